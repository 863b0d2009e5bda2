"""The entries of observatory/FINDINGS.md about mlx-vlm's ERNIE 4.5 VL."""

from ..repairs import ernie as ernie_repairs
from .trial import Trial, compare, shows


@shows
def vlm_ernie_experts() -> float:
    """ERNIE: the experts of the tokens of an image."""
    return compare([Trial(f"ernie4_5_vl_moe/{case}") for case in (
        "base/image", "base/images-generate", "new/image-narrow", "epsilons/images",
        "mlx-8bit/images-decode", "mlx-8bit/images-generate", "mlx-8bit/image-narrow")], ernie_repairs.experts_by_token)


@shows
def vlm_ernie_segments() -> float:
    """ERNIE: a prompt of four images."""
    return compare([Trial("ernie4_5_vl_moe/base/images-batch")], ernie_repairs.image_segments,
                   loads=(ernie_repairs.experts_by_token,))


@shows
def vlm_ernie_requests() -> float:
    """ERNIE: several requests in one batch generator."""
    return max(compare([Trial("ernie4_5_vl_moe/base/batch", True)], ernie_repairs.request_positions),
               compare([Trial(f"ernie4_5_vl_moe/{case}", True) for case in (
                   "base/images-batch", "base/images-generate", "mlx-8bit/images-generate")],
                   ernie_repairs.experts_by_token, ernie_repairs.request_positions, ernie_repairs.image_segments))


@shows
def vlm_ernie_biases() -> float:
    """ERNIE: use_bias."""
    return compare([Trial("ernie4_5_vl_moe/merge-3/image")], ernie_repairs.experts_without_biases,
                   ernie_repairs.experts_by_token)
