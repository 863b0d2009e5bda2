"""The cases of the end-to-end table: checkpoints in their published storage, with everything that a server needs, and the truth's
answers to conversations with images."""
