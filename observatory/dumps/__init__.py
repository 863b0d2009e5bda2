"""Tensors that other systems dump, as observations."""
