"""Measures published engines, to compare them with `assay bench`. See scripts/bench-peers.

The main program needs only Python: each peer has a venv of its own, and only `measure`, `prepare` and
the modules in `backends` run inside it.
"""
