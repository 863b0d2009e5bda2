"""The entries of observatory/FINDINGS.md about mlx-vlm's HunYuanVL."""

from ..repairs.hunyuan import axes_of_elements, image_numbers, image_segments, request_positions, table_taps
from .trial import alone, below, entry, together

FAMILY = "hunyuan_vl"

entry("vlm-hunyuan-table", "HunYuanVL: the table of positions of the tower.",
      alone(below(FAMILY, "base/image"), table_taps, loads=(axes_of_elements,)))
entry("vlm-hunyuan-pairs", "HunYuanVL: the axes of a pair of the rope.",
      alone(below(FAMILY, "base/image"), axes_of_elements, loads=(table_taps,)))
entry("vlm-hunyuan-segments", "HunYuanVL: several images in a prompt.",
      alone(below(FAMILY, "base/images", "base/images-decode", "base/images-generate", "base/images-batch", "epsilons/images",
                  "mlx-8bit/images-decode", "mlx-8bit/images-generate"), image_segments,
            loads=(table_taps, axes_of_elements, image_numbers)))
entry("vlm-hunyuan-numbers", "HunYuanVL: the number of an image.",
      alone(below(FAMILY, "base/images"), image_numbers, loads=(table_taps, axes_of_elements, image_segments)))
entry("vlm-hunyuan-requests", "HunYuanVL: several requests in one batch generator.",
      together(below(FAMILY, "base/batch"), request_positions),
      together(below(FAMILY, "base/images-batch", "base/images-generate", "mlx-8bit/images-generate"), request_positions, table_taps,
               axes_of_elements, image_segments, image_numbers))
