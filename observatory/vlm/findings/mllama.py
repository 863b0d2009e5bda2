"""The entries of observatory/FINDINGS.md about mlx-vlm's Llama 3.2 Vision."""

from ..repairs.mllama import ids_of_ratios, inputs_of_layers, last_rows, outer_epsilons, text_alone, tower_activation
from .trial import Trial, compare, shows, times


@shows
def vlm_mllama_states() -> float:
    """Llama 3.2 Vision: the states of earlier layers of the tower."""
    return compare([Trial(f"mllama/{case}") for case in (
        "base/image", "base/images", "base/images-decode", "mlx-8bit/images-decode")], inputs_of_layers, last_rows)


@shows
def vlm_mllama_decode() -> float:
    """Llama 3.2 Vision: what decoded tokens see."""
    return compare([Trial(f"mllama/{case}") for case in ("base/image", "base/images", "base/images-decode")], last_rows,
                   loads=(inputs_of_layers,))


@shows
def vlm_mllama_text() -> float:
    """Llama 3.2 Vision: prompts without images."""
    cases = [f"mllama/base/{case}" for case in ("single", "batch")] + [f"mllama/lengths/{case}" for case in (
        "long-single", "long-batch", "long-generate", "prefill-1024", "rows-decode-1024")]
    return max(compare([Trial(case) for case in cases], text_alone),
               compare([Trial(f"mllama/base/{case}") for case in ("images-batch", "images-generate")], text_alone,
                       inputs_of_layers, last_rows),
               compare([Trial("mllama/mlx-8bit/images-generate")], text_alone, loads=(inputs_of_layers, last_rows)),
               compare([Trial(f"mllama/{case}", True) for case in (
                   "base/batch", "lengths/long-batch", "lengths/long-generate")], text_alone))


@shows
def vlm_mllama_epsilon() -> float:
    """Llama 3.2 Vision: the epsilon of the norms around the tower's layers."""
    return compare([Trial("mllama/epsilons/images")], outer_epsilons, loads=(inputs_of_layers, last_rows))


@shows
def vlm_mllama_members() -> float:
    """Llama 3.2 Vision: another number of aspect ratios, and hidden_act of the tower."""
    return compare([Trial("mllama/tiles-6/images")], ids_of_ratios, tower_activation, inputs_of_layers, last_rows)


@shows
def vlm_mllama_names() -> float:
    """Llama 3.2 Vision: the names of tensors that transformers stores."""
    return times(Trial("mllama/old/images-batch"))[0]


@shows
def vlm_mllama_requests() -> float:
    """Llama 3.2 Vision: several requests with images in one batch generator."""
    return max(times(Trial(f"mllama/{case}", True))[0] for case in (
        "base/images-batch", "base/images-generate", "mlx-8bit/images-generate"))
