"""The entries of observatory/FINDINGS.md about mlx-vlm's Gemma 3n. Its encoder has constant blocks, so that every entry but that one is
about a tower with the blocks of the config (listed_blocks)."""

from scripts.record.checkpoint.opening import listed_blocks

from ..repairs import gemma3n as repairs
from ..repairs.general import Repair
from .trial import Trial, compare, shows

ALL = (*repairs.TOWER, repairs.scaled_embeddings, repairs.shared_offset)
CASE, FAINT = "gemma3n/images/image", "gemma3n/images-epsilons/image-narrow"


def alone(case: str, repair: Repair) -> float:
    """What is left where everything else is repaired."""
    others = tuple(other for other in ALL if other is not repair)
    return compare([Trial(case)], repair, loads=(listed_blocks, *others))


@shows
def vlm_gemma3n_blocks() -> float:
    """Gemma 3n: the blocks of model_args."""
    return compare([Trial(CASE), Trial(FAINT)], listed_blocks, *ALL)


@shows
def vlm_gemma3n_scale() -> float:
    """Gemma 3n: the embeddings of a prompt."""
    return max(alone(case, repairs.scaled_embeddings) for case in (CASE, FAINT))


@shows
def vlm_gemma3n_shared_offset() -> float:
    """Gemma 3n: the queries of layers that read another layer's keys."""
    return max(alone(case, repairs.shared_offset) for case in (CASE, FAINT))


@shows
def vlm_gemma3n_rows() -> float:
    """Gemma 3n: the order and the resampling of the tower's output."""
    return alone(CASE, repairs.token_order)


@shows
def vlm_gemma3n_padding() -> float:
    """Gemma 3n: the convolutions of keys and values."""
    return max(alone(case, repairs.key_padding) for case in (CASE, FAINT))


@shows
def vlm_gemma3n_epsilons() -> float:
    """Gemma 3n: the norms of the tower."""
    return alone(FAINT, repairs.tower_epsilons)


@shows
def vlm_gemma3n_activation() -> float:
    """Gemma 3n: the GELU of the tower."""
    return alone(CASE, repairs.tower_activations)
