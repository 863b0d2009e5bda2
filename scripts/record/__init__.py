"""Records the goldens: tiny checkpoints, their float64 truth, and how other systems see them."""
