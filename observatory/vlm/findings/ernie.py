"""The entries of observatory/FINDINGS.md about mlx-vlm's ERNIE 4.5 VL."""

from ..repairs.ernie import experts_by_token, experts_without_biases, image_segments, request_positions
from .trial import alone, below, entry, together

FAMILY = "ernie4_5_vl_moe"

entry("vlm-ernie-experts", "ERNIE: the experts of the tokens of an image.",
      alone(below(FAMILY, "base/image", "base/images-generate", "new/image-narrow", "epsilons/images", "mlx-8bit/images-decode",
                  "mlx-8bit/images-generate", "mlx-8bit/image-narrow"), experts_by_token))
entry("vlm-ernie-segments", "ERNIE: a prompt of four images.",
      alone(below(FAMILY, "base/images-batch"), image_segments, loads=(experts_by_token,)))
entry("vlm-ernie-requests", "ERNIE: several requests in one batch generator.",
      together(below(FAMILY, "base/batch"), request_positions),
      together(below(FAMILY, "base/images-batch", "base/images-generate", "mlx-8bit/images-generate"), experts_by_token, request_positions,
               image_segments))
entry("vlm-ernie-biases", "ERNIE: use_bias.", alone(below(FAMILY, "merge-3/image"), experts_without_biases, experts_by_token))
