"""Asks `assay generate` and `assay serve` what the recorded end-to-end cases hold: `scripts/e2e`."""
