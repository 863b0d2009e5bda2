"""Event streams of the published server: drawn requests and model outputs, the server's answers, which are goldens."""
