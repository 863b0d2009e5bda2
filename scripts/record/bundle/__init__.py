"""The bundle: trained checkpoints that servers of all kinds can serve, with the truth by which `assay probe` judges them."""
