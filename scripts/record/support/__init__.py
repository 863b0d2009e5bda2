"""What several recorders use: files, the published server, the text functions of a module."""
