"""Speeds of published engines, to compare with `assay bench`. See scripts/bench-peers."""
