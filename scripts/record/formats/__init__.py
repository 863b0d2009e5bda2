"""Stored weights in the published formats of quantised checkpoints: read as data by one decoder, written by the published tools."""
