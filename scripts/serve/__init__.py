"""Clients that try to break `assay serve`: see scripts/check-serve. Standard library only."""
