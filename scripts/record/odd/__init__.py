"""Small checkpoints that are odd in one respect each, for probes of correct servers."""
