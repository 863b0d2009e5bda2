"""The entries of observatory/FINDINGS.md about mlx-vlm's GLM-4.1V and GLM-OCR."""

from ..repairs import glm as repairs
from .trial import alone, below, entry, together

IMAGES = (repairs.table, repairs.block_epsilon, repairs.start_token, repairs.segments)

entry("vlm-glm4v-images", "GLM-4.1V: the table of positions, an epsilon, and the positions of images.",
      alone(below("glm4v/base", "image", "images", "images-batch", "images-decode", "images-generate"), *IMAGES))
entry("vlm-glm4v-requests", "GLM-4.1V: several requests with images in one batch generator.",
      together(below("glm4v/base", "images-batch", "images-generate"), *IMAGES, repairs.request_positions))
entry("vlm-glm-ocr-requests", "GLM-OCR: several requests with images in one batch generator.",
      together(below("glm_ocr", "base/images-batch", "base/images-generate", "mlx-8bit/images-generate"), repairs.request_positions))
entry("vlm-glm4v-padding", "GLM-4.1V and GLM-OCR: requests of text in one batch generator.",
      together(["glm4v/base/batch", "glm_ocr/base/batch", "glm_ocr/lengths/long-batch", "glm_ocr/lengths/long-generate"], repairs.text_positions))
entry("vlm-glm4v-rope-parameters", "GLM-4.1V: rope_parameters.",
      alone(below("glm4v/lengths", "long-single", "long-batch", "long-generate", "prefill-1024", "rows-decode-1024"), repairs.rope_parameters),
      together(["glm4v/lengths/long-batch"], repairs.rope_parameters, repairs.text_positions),
      alone(["glm4v/epsilons/images"], *IMAGES, repairs.rope_parameters))
entry("vlm-glm4v-members", "GLM-4.1V and GLM-OCR: attention_bias and hidden_act of the tower, and a tied head.",
      alone(["glm4v/merge-3/images"], *IMAGES, repairs.rope_parameters, repairs.tower_biases, repairs.tower_activation),
      alone(["glm4v/old/images-batch"], *IMAGES, repairs.tied_head),
      alone(["glm_ocr/merge-3/images"], repairs.ignored_rope, repairs.tower_activation),
      alone(["glm_ocr/old/images-batch"], repairs.tied_head))
entry("vlm-glm4v-table-groups", "GLM-4.1V: a table of positions in groups.",
      alone(below("glm4v/mlx-8bit", "images-decode", "images-generate"), *IMAGES, repairs.table_of_groups))
entry("vlm-glm4v-segments", "GLM-4.1V: a prompt of four images.",
      alone(["glm4v/old/images-batch"], repairs.segments, loads=(*IMAGES[:-1], repairs.tied_head)))
