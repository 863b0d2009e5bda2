"""The entries of observatory/FINDINGS.md about mlx-vlm's GLM-4.1V and GLM-OCR."""

from ..repairs import glm as glm_repairs
from .trial import Trial, compare, shows

GLM_IMAGES = (glm_repairs.table, glm_repairs.block_epsilon, glm_repairs.start_token, glm_repairs.segments)


@shows
def vlm_glm4v_images() -> float:
    """GLM-4.1V: the table of positions, an epsilon, and the positions of images."""
    return compare([Trial(f"glm4v/base/{case}") for case in (
        "image", "images", "images-batch", "images-decode", "images-generate")], *GLM_IMAGES)


@shows
def vlm_glm4v_requests() -> float:
    """GLM-4.1V: several requests with images in one batch generator."""
    return compare([Trial(f"glm4v/base/{case}", True) for case in ("images-batch", "images-generate")], *GLM_IMAGES,
                   glm_repairs.request_positions)


@shows
def vlm_glm_ocr_requests() -> float:
    """GLM-OCR: several requests with images in one batch generator."""
    return compare([Trial(f"glm_ocr/{case}", True) for case in (
        "base/images-batch", "base/images-generate", "mlx-8bit/images-generate")], glm_repairs.request_positions)


@shows
def vlm_glm4v_padding() -> float:
    """GLM-4.1V and GLM-OCR: requests of text in one batch generator."""
    cases = ("glm4v/base/batch", "glm_ocr/base/batch", "glm_ocr/lengths/long-batch", "glm_ocr/lengths/long-generate")
    return compare([Trial(case, True) for case in cases], glm_repairs.text_positions)


@shows
def vlm_glm4v_rope_parameters() -> float:
    """GLM-4.1V: rope_parameters."""
    return max(compare([Trial(f"glm4v/lengths/{case}") for case in (
        "long-single", "long-batch", "long-generate", "prefill-1024", "rows-decode-1024")], glm_repairs.rope_parameters),
        compare([Trial("glm4v/lengths/long-batch", True)], glm_repairs.rope_parameters, glm_repairs.text_positions),
        compare([Trial("glm4v/epsilons/images")], *GLM_IMAGES, glm_repairs.rope_parameters))


@shows
def vlm_glm4v_members() -> float:
    """GLM-4.1V and GLM-OCR: attention_bias and hidden_act of the tower, and a tied head."""
    return max(compare([Trial("glm4v/merge-3/images")], *GLM_IMAGES, glm_repairs.rope_parameters,
                       glm_repairs.tower_biases, glm_repairs.tower_activation),
               compare([Trial("glm4v/old/images-batch")], *GLM_IMAGES, glm_repairs.tied_head),
               compare([Trial("glm_ocr/merge-3/images")], glm_repairs.ignored_rope, glm_repairs.tower_activation),
               compare([Trial("glm_ocr/old/images-batch")], glm_repairs.tied_head))


@shows
def vlm_glm4v_table_groups() -> float:
    """GLM-4.1V: a table of positions in groups."""
    return compare([Trial(f"glm4v/mlx-8bit/{case}") for case in ("images-decode", "images-generate")], *GLM_IMAGES,
                   glm_repairs.table_of_groups)


@shows
def vlm_glm4v_segments() -> float:
    """GLM-4.1V: a prompt of four images."""
    return compare([Trial("glm4v/old/images-batch")], glm_repairs.segments, loads=(*GLM_IMAGES[:-1], glm_repairs.tied_head))
