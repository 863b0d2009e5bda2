"""Programs of MLX streams and arrays: drawn, run by MLX, and a model of what they do."""
