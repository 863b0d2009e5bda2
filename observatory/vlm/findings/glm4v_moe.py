"""The entries of observatory/FINDINGS.md about mlx-vlm's GLM-4.5V."""

from ..repairs import glm as repairs, glm4v_moe as own_repairs
from .trial import alone, below, entry, together

FAMILY = "glm4v_moe"
IMAGES = (repairs.table, repairs.block_epsilon, repairs.start_token)

entry("vlm-glm4v-moe-images", "GLM-4.5V: the table of positions, an epsilon, and the positions of images.",
      alone(below(FAMILY, "base/image", "base/images-batch", "base/images-generate", "epsilons/images"), *IMAGES))
entry("vlm-glm4v-moe-requests", "GLM-4.5V: several requests in one batch generator.",
      together(below(FAMILY, "base/images-batch", "base/images-generate"), *IMAGES, repairs.request_positions),
      together(below(FAMILY, "base/batch", "lengths/long-batch", "lengths/long-generate"), repairs.text_positions))
entry("vlm-glm4v-moe-groups", "GLM-4.5V: the experts of groups that are not chosen.",
      alone(below(FAMILY, "unnormalised/single"), own_repairs.excluded_groups))
entry("vlm-glm4v-moe-sum", "GLM-4.5V: the number that is added to the sum of shares.",
      alone(below(FAMILY, "small-sum/single"), own_repairs.sum_offset))
entry("vlm-glm4v-moe-members", "GLM-4.5V: fused experts, a tied head, and attention_bias and hidden_act of the tower.",
      alone(below(FAMILY, "defaults/image-narrow"), *IMAGES, own_repairs.fused_experts, repairs.tied_head),
      alone(below(FAMILY, "merge-3/images"), *IMAGES, repairs.tower_biases, repairs.tower_activation))
entry("vlm-glm4v-moe-table-groups", "GLM-4.5V: a table of positions in groups.",
      alone(below(FAMILY, "mlx-4bit/images-decode", "mlx-4bit/images-generate", "mlx-4bit/image-narrow"), *IMAGES, repairs.table_of_groups))
