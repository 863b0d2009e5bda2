"""The entries of observatory/FINDINGS.md about mlx-vlm's HunYuanVL."""

from ..repairs import hunyuan
from .trial import Trial, compare, shows


@shows
def vlm_hunyuan_table() -> float:
    """HunYuanVL: the table of positions of the tower."""
    return compare([Trial("hunyuan_vl/base/image")], hunyuan.table_taps, loads=(hunyuan.axes_of_elements,))


@shows
def vlm_hunyuan_pairs() -> float:
    """HunYuanVL: the axes of a pair of the rope."""
    return compare([Trial("hunyuan_vl/base/image")], hunyuan.axes_of_elements, loads=(hunyuan.table_taps,))


@shows
def vlm_hunyuan_segments() -> float:
    """HunYuanVL: several images in a prompt."""
    cases = ("base/images", "base/images-decode", "base/images-generate", "base/images-batch", "epsilons/images",
             "mlx-8bit/images-decode", "mlx-8bit/images-generate")
    return compare([Trial(f"hunyuan_vl/{case}") for case in cases], hunyuan.image_segments,
                   loads=(hunyuan.table_taps, hunyuan.axes_of_elements, hunyuan.image_numbers))


@shows
def vlm_hunyuan_numbers() -> float:
    """HunYuanVL: the number of an image."""
    return compare([Trial("hunyuan_vl/base/images")], hunyuan.image_numbers,
                   loads=(hunyuan.table_taps, hunyuan.axes_of_elements, hunyuan.image_segments))


@shows
def vlm_hunyuan_requests() -> float:
    """HunYuanVL: several requests in one batch generator."""
    return max(compare([Trial("hunyuan_vl/base/batch", True)], hunyuan.request_positions),
               compare([Trial(f"hunyuan_vl/{case}", True) for case in (
                   "base/images-batch", "base/images-generate", "mlx-8bit/images-generate")],
                   hunyuan.request_positions, hunyuan.table_taps, hunyuan.axes_of_elements, hunyuan.image_segments,
                   hunyuan.image_numbers))
