"""Benches: what the hub keeps and how fast, on real material; each a command of its own."""
