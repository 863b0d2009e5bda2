"""The entries of observatory/FINDINGS.md about mlx-vlm's Falcon-OCR."""

from __future__ import annotations

from scripts.record.checkpoint.opening import converted_once

from ..repairs.falcon import all_grids, own_deltas, text_positions
from .trial import alone, below, entry, together, together_alone

FAMILY = "falcon_ocr"

entry("vlm-falcon-grids", "Falcon-OCR: a prompt with two images.", alone(below(FAMILY, "base/images-alike"), all_grids))
entry("vlm-falcon-deltas", "Falcon-OCR: a prompt without images after one with an image.",
      alone(below(FAMILY, "base/image-then-text"), own_deltas))
entry("vlm-falcon-padding", "Falcon-OCR: requests of text in one batch generator.",
      together(below(FAMILY, "base/batch", "lengths/long-batch", "lengths/long-generate"), text_positions))
# Alone, base/image-then-text diverges without own_deltas, which is another entry.
entry("vlm-falcon-requests", "Falcon-OCR: requests with images in one batch generator; each alone.",
      together_alone(below(FAMILY, "base/image-batch", "base/image-generate", "base/image-then-text", "sizes/image-batch"), own_deltas))
entry("vlm-falcon-converted", "Falcon-OCR: a checkpoint that mlx-vlm has converted.",
      alone(below(FAMILY, "converted/image-batch"), converted_once))
