"""Thread programs with MLX streams and arrays: drawing them, running them on MLX, and a model of their state."""
