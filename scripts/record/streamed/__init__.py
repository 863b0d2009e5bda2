"""Truth of any checkpoint that transformers loads, with the weights of one layer in memory at a time."""
