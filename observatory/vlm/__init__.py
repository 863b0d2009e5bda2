"""Running mlx-vlm on recorded cases: observations, and where it diverges."""
