"""Picture files of every kind that image/decode reads, valid and invalid, and what transformers' load_image makes of them with Pillow."""
