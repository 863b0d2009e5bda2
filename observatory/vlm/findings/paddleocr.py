"""The entries of observatory/FINDINGS.md about mlx-vlm's PaddleOCR-VL."""

from ..repairs import general as repairs, paddleocr as paddleocr_repairs
from .trial import Trial, compare, shows


@shows
def vlm_paddleocr_width() -> float:
    """PaddleOCR-VL: a language model of another width than 1,024."""
    return compare([Trial(f"paddleocr_vl/base/{case}") for case in ("single", "image", "images", "images-batch")],
                   paddleocr_repairs.projector_width, paddleocr_repairs.projector_epsilon)


@shows
def vlm_paddleocr_epsilon() -> float:
    """PaddleOCR-VL: the epsilon of the projector's norm."""
    return compare([Trial("paddleocr_vl/epsilons/images")], paddleocr_repairs.projector_epsilon,
                   loads=(paddleocr_repairs.projector_width,))


@shows
def vlm_paddleocr_requests() -> float:
    """PaddleOCR-VL: several requests with images in one batch generator."""
    return max(compare([Trial("paddleocr_vl/mlx-8bit/images-generate", True)], paddleocr_repairs.request_positions),
               compare([Trial(f"paddleocr_vl/base/{case}", True) for case in ("images-batch", "images-generate")],
                       paddleocr_repairs.request_positions, paddleocr_repairs.projector_epsilon,
                       loads=(paddleocr_repairs.projector_width,)))


@shows
def vlm_paddleocr_biases() -> float:
    """PaddleOCR-VL: use_bias."""
    return max(compare([Trial("paddleocr_vl/merge-3/images")], paddleocr_repairs.projector_width,
                       paddleocr_repairs.projector_epsilon, paddleocr_repairs.mlp_biases, repairs.tower_activation),
               compare([Trial("paddleocr_vl/old/images-batch")], paddleocr_repairs.projector_width,
                       paddleocr_repairs.projector_epsilon, paddleocr_repairs.tied_head, paddleocr_repairs.no_biases))
