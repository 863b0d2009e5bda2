"""Records the goldens: tiny checkpoints, their float64 truth, and the results of other systems on them."""
