"""Where the published server's parsers and endpoints disagree with themselves: examples.tsv."""
