"""`python -m hub.cli`: the same as `hub`."""

from hub.cli import main

main()
