"""The entries of observatory/FINDINGS.md about mlx-vlm's PaddleOCR-VL."""

from ..repairs.general import tower_activation
from ..repairs.paddleocr import mlp_biases, no_biases, projector_epsilon, projector_width, request_positions, tied_head
from .trial import alone, below, entry, together

FAMILY = "paddleocr_vl"

entry("vlm-paddleocr-width", "PaddleOCR-VL: a language model of another width than 1,024.",
      alone(below(FAMILY, "base/single", "base/image", "base/images", "base/images-batch"), projector_width, projector_epsilon))
entry("vlm-paddleocr-epsilon", "PaddleOCR-VL: the epsilon of the projector's norm.",
      alone(below(FAMILY, "epsilons/images"), projector_epsilon, loads=(projector_width,)))
entry("vlm-paddleocr-requests", "PaddleOCR-VL: several requests with images in one batch generator.",
      together(below(FAMILY, "mlx-8bit/images-generate"), request_positions),
      together(below(FAMILY, "base/images-batch", "base/images-generate"), request_positions, projector_epsilon, loads=(projector_width,)))
entry("vlm-paddleocr-biases", "PaddleOCR-VL: use_bias.",
      alone(below(FAMILY, "merge-3/images"), projector_width, projector_epsilon, mlp_biases, tower_activation),
      alone(below(FAMILY, "old/images-batch"), projector_width, projector_epsilon, tied_head, no_biases))
