"""Drawn and trained tokenizers, and the texts that they encode."""
