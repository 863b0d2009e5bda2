"""Tool-call parsers of the published server: drawn replies, answers, which of them are goldens."""
