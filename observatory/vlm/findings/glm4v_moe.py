"""The entries of observatory/FINDINGS.md about mlx-vlm's GLM-4.5V."""

from ..repairs import glm as glm_repairs, glm4v_moe as glm4v_moe_repairs
from .trial import Trial, compare, shows

IMAGES = (glm_repairs.table, glm_repairs.block_epsilon, glm_repairs.start_token)


@shows
def vlm_glm4v_moe_images() -> float:
    """GLM-4.5V: the table of positions, an epsilon, and the positions of images."""
    return compare([Trial(f"glm4v_moe/{case}") for case in (
        "base/image", "base/images-batch", "base/images-generate", "epsilons/images")], *IMAGES)


@shows
def vlm_glm4v_moe_requests() -> float:
    """GLM-4.5V: several requests in one batch generator."""
    return max(compare([Trial(f"glm4v_moe/base/{case}", True) for case in ("images-batch", "images-generate")], *IMAGES,
                       glm_repairs.request_positions),
               compare([Trial(f"glm4v_moe/{case}", True) for case in (
                   "base/batch", "lengths/long-batch", "lengths/long-generate")], glm_repairs.text_positions))


@shows
def vlm_glm4v_moe_groups() -> float:
    """GLM-4.5V: the experts of groups that are not chosen."""
    return compare([Trial("glm4v_moe/unnormalised/single")], glm4v_moe_repairs.excluded_groups)


@shows
def vlm_glm4v_moe_sum() -> float:
    """GLM-4.5V: the number that is added to the sum of shares."""
    return compare([Trial("glm4v_moe/small-sum/single")], glm4v_moe_repairs.sum_offset)


@shows
def vlm_glm4v_moe_members() -> float:
    """GLM-4.5V: fused experts, a tied head, and attention_bias and hidden_act of the tower."""
    return max(compare([Trial("glm4v_moe/defaults/image-narrow")], *IMAGES, glm4v_moe_repairs.fused_experts,
                       glm_repairs.tied_head),
               compare([Trial("glm4v_moe/merge-3/images")], *IMAGES, glm_repairs.tower_biases, glm_repairs.tower_activation))


@shows
def vlm_glm4v_moe_table_groups() -> float:
    """GLM-4.5V: a table of positions in groups."""
    return compare([Trial(f"glm4v_moe/mlx-4bit/{case}") for case in ("images-decode", "images-generate", "image-narrow")],
                   *IMAGES, glm_repairs.table_of_groups)
