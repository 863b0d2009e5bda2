"""Models that transformers does not have, written again in torch from what mlx-vlm, their only implementation, computes.

A module here stands in for the package `transformers`: it has a config class and a model class by the names that a family
states. The truth is its run in float64; `published.py` checks that mlx-vlm gives the same logits in float32, within the noise."""
