"""The entries of observatory/FINDINGS.md about mlx-vlm's Falcon-OCR. Each function runs the cases of its entry as published, and with the cause repaired, and
returns the largest error as published, in multiples of the bound."""

from scripts.record.checkpoint.opening import converted_once

from ..repairs import falcon as falcon_repairs
from .trial import RepairFails, Trial, compare, shows, times


@shows
def vlm_falcon_grids() -> float:
    """Falcon-OCR: a prompt with two images."""
    return compare([Trial("falcon_ocr/base/images-alike")], falcon_repairs.all_grids)


@shows
def vlm_falcon_deltas() -> float:
    """Falcon-OCR: a prompt without images after one with an image."""
    return compare([Trial("falcon_ocr/base/image-then-text")], falcon_repairs.own_deltas)


@shows
def vlm_falcon_padding() -> float:
    """Falcon-OCR: requests of text in one batch generator."""
    return compare([Trial(f"falcon_ocr/{case}", True) for case in (
        "base/batch", "lengths/long-batch", "lengths/long-generate")], falcon_repairs.text_positions)


@shows
def vlm_falcon_requests() -> float:
    """Falcon-OCR: requests with images in one batch generator; each alone."""
    worst = 0.0
    for case in ("base/image-batch", "base/image-generate", "base/image-then-text", "sizes/image-batch"):
        together, _ = times(Trial(f"falcon_ocr/{case}", True))
        # base/image-then-text diverges without own_deltas, which is another entry.
        alone, _ = times(Trial(f"falcon_ocr/{case}"), (falcon_repairs.own_deltas,))
        print(f"  falcon_ocr/{case}: {together:.3g} times the bound; alone {alone:.3g}")
        worst = max(worst, together)
        if alone > 1:
            raise RepairFails(case)
    return worst


@shows
def vlm_falcon_converted() -> float:
    """Falcon-OCR: a checkpoint that mlx-vlm has converted."""
    return compare([Trial("falcon_ocr/converted/image-batch")], converted_once)
