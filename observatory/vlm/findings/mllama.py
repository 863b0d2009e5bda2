"""The entries of observatory/FINDINGS.md about mlx-vlm's Llama 3.2 Vision."""

from __future__ import annotations

from ..repairs.mllama import ids_of_ratios, inputs_of_layers, last_rows, outer_epsilons, text_alone, tower_activation
from .trial import Trial, alone, below, entry, times, together

FAMILY = "mllama"
REQUESTS = ("base/images-batch", "base/images-generate", "mlx-8bit/images-generate")

entry("vlm-mllama-states", "Llama 3.2 Vision: the states of earlier layers of the tower.",
      alone(below(FAMILY, "base/image", "base/images", "base/images-decode", "mlx-8bit/images-decode"), inputs_of_layers, last_rows))
entry("vlm-mllama-decode", "Llama 3.2 Vision: what decoded tokens see.",
      alone(below(FAMILY, "base/image", "base/images", "base/images-decode"), last_rows, loads=(inputs_of_layers,)))
entry("vlm-mllama-text", "Llama 3.2 Vision: prompts without images.",
      alone(below(FAMILY, "base/single", "base/batch", "lengths/long-single", "lengths/long-batch", "lengths/long-generate",
                  "lengths/prefill-1024", "lengths/rows-decode-1024"), text_alone),
      alone(below(FAMILY, "base/images-batch", "base/images-generate"), text_alone, inputs_of_layers, last_rows),
      alone(below(FAMILY, "mlx-8bit/images-generate"), text_alone, loads=(inputs_of_layers, last_rows)),
      together(below(FAMILY, "base/batch", "lengths/long-batch", "lengths/long-generate"), text_alone))
entry("vlm-mllama-epsilon", "Llama 3.2 Vision: the epsilon of the norms around the tower's layers.",
      alone(below(FAMILY, "epsilons/images"), outer_epsilons, loads=(inputs_of_layers, last_rows)))
entry("vlm-mllama-members", "Llama 3.2 Vision: another number of aspect ratios, and hidden_act of the tower.",
      alone(below(FAMILY, "tiles-6/images"), ids_of_ratios, tower_activation, inputs_of_layers, last_rows))
# No repair is known for these two.
entry("vlm-mllama-names", "Llama 3.2 Vision: the names of tensors that transformers stores.",
      lambda: times(Trial("mllama/old/images-batch"))[0])
entry("vlm-mllama-requests", "Llama 3.2 Vision: several requests with images in one batch generator.",
      lambda: max(times(Trial(case, True))[0] for case in below(FAMILY, *REQUESTS)))
