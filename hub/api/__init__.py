"""REST: the verbs over HTTP, behind keys, with errors as problem details."""

from hub.api.app import create_app
from hub.api.rates import rated
from hub.api.server import serve, served

__all__ = ["create_app", "rated", "serve", "served"]
