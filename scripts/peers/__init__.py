"""Speeds of published engines, to compare with `assay bench`. See scripts/bench-peers.

What runs by itself needs nothing but Python: each peer has a venv of its own, and only
`measure`, `prepare` and the modules below `backends` run inside of one.
"""
