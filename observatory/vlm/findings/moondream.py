"""The entries of observatory/FINDINGS.md about mlx-vlm's Moondream 3."""

from ..repairs import moondream as moondream_repairs
from .trial import RepairFails, Trial, compare, shows, times


@shows
def vlm_moondream_prefix() -> float:
    """Moondream 3: prompts with an image."""
    return compare([Trial(f"moondream3/{case}") for case in (
        "base/crops", "base/crops-batch", "base/crops-decode", "base/crops-generate", "base/crops-ids", "converted/crops-batch",
        "converted/crops-narrow", "epsilons/crops", "mlx-4bit/crops-generate", "mlx-4bit/crops-narrow", "sizes/crops-borders")], moondream_repairs.prefix_mask)


@shows
def vlm_moondream_requests() -> float:
    """Moondream 3: requests with images in one batch generator; each alone."""
    worst = 0.0
    for case in ("base/crops-batch", "base/crops-generate", "base/crops-ids", "converted/crops-batch", "mlx-4bit/crops-generate",
                 "sizes/crops-borders"):
        together, _ = times(Trial(f"moondream3/{case}", True))
        alone, _ = times(Trial(f"moondream3/{case}"), (moondream_repairs.prefix_mask,))
        print(f"  moondream3/{case}: {together:.3g} times the bound; alone {alone:.3g}")
        worst = max(worst, together)
        if alone > 1:
            raise RepairFails(case)
    return worst


@shows
def vlm_moondream_padding() -> float:
    """Moondream 3: requests of text in one batch generator."""
    return compare([Trial(f"moondream3/{case}", True) for case in (
        "base/batch", "lengths/long-batch", "lengths/long-generate")], moondream_repairs.no_padding)
