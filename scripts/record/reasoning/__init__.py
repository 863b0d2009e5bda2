"""Reasoning parsers of the published server: drawn replies, the parsers' answers, which are goldens."""
