"""Tokenizers that are drawn and trained, and the texts that they encode."""
