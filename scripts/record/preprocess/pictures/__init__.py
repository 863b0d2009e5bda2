"""Picture files of every kind that lib/image/decode reads, valid and invalid, and what transformers' load_image makes of them with Pillow."""
