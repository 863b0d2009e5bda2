"""The entries of observatory/FINDINGS.md about mlx-vlm's Moondream 3."""

from ..repairs.moondream import no_padding, prefix_mask
from .trial import alone, below, entry, together, together_alone

FAMILY = "moondream3"

entry("vlm-moondream-prefix", "Moondream 3: prompts with an image.",
      alone(below(FAMILY, "base/crops", "base/crops-batch", "base/crops-decode", "base/crops-generate", "base/crops-ids",
                  "converted/crops-batch", "converted/crops-narrow", "epsilons/crops", "mlx-4bit/crops-generate", "mlx-4bit/crops-narrow",
                  "sizes/crops-borders"), prefix_mask))
entry("vlm-moondream-requests", "Moondream 3: requests with images in one batch generator; each alone.",
      together_alone(below(FAMILY, "base/crops-batch", "base/crops-generate", "base/crops-ids", "converted/crops-batch",
                           "mlx-4bit/crops-generate", "sizes/crops-borders"), prefix_mask))
entry("vlm-moondream-padding", "Moondream 3: requests of text in one batch generator.",
      together(below(FAMILY, "base/batch", "lengths/long-batch", "lengths/long-generate"), no_padding))
