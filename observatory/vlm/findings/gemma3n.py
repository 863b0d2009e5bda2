"""The entries of observatory/FINDINGS.md about mlx-vlm's Gemma 3n. Its encoder has constant blocks, so that every entry but that one is
about a tower with the blocks of the config (listed_blocks)."""

from collections.abc import Callable

from scripts.record.checkpoint.opening import listed_blocks

from ..repairs import gemma3n as repairs
from ..repairs.general import Repair
from .trial import alone, entry

ALL = (*repairs.TOWER, repairs.scaled_embeddings, repairs.shared_offset)
CASE, FAINT = "gemma3n/images/image", "gemma3n/images-epsilons/image-narrow"


def left(case: str, repair: Repair) -> Callable[[], float]:
    """What is left where everything else is repaired."""
    return alone([case], repair, loads=(listed_blocks, *(other for other in ALL if other is not repair)))


entry("vlm-gemma3n-blocks", "Gemma 3n: the blocks of model_args.", alone([CASE, FAINT], listed_blocks, *ALL))
entry("vlm-gemma3n-scale", "Gemma 3n: the embeddings of a prompt.",
      *(left(case, repairs.scaled_embeddings) for case in (CASE, FAINT)))
entry("vlm-gemma3n-shared-offset", "Gemma 3n: the queries of layers that read another layer's keys.",
      *(left(case, repairs.shared_offset) for case in (CASE, FAINT)))
entry("vlm-gemma3n-rows", "Gemma 3n: the order and the resampling of the tower's output.", left(CASE, repairs.token_order))
entry("vlm-gemma3n-padding", "Gemma 3n: the convolutions of keys and values.",
      *(left(case, repairs.key_padding) for case in (CASE, FAINT)))
entry("vlm-gemma3n-epsilons", "Gemma 3n: the norms of the tower.", left(FAINT, repairs.tower_epsilons))
entry("vlm-gemma3n-activation", "Gemma 3n: the GELU of the tower.", left(CASE, repairs.tower_activations))
