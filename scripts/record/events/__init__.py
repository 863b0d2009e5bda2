"""Event streams of the published server: requests and models that are drawn, streams, which of them are goldens."""
