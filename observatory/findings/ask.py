"""For findings: reads bundled cases and checkpoints, and runs the published systems on them."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scripts.record.support import h5

from ..observe.mlx_lm import distance, load, prompts
from ..observe.table import LIMIT

FIXTURES = Path("fixtures")
SHOWN: dict[str, Callable[[], float]] = {}  # name -> function: largest error in bounds; infinite: no result


def shows(function: Callable[[], float]) -> Callable[[], float]:
    SHOWN[function.__name__.replace("_", "-")] = function
    return function


def golden(case: str) -> dict[str, np.ndarray]:
    return h5.read(FIXTURES / f"{case}.h5")[0]


def bound(case: dict[str, np.ndarray]) -> float:
    """The largest allowed error of a logit."""
    return LIMIT * distance(case, case, "/expect/float32")


def truth(case: dict[str, np.ndarray], sample: int = 0) -> np.ndarray:
    """[length, V]: logits of the prompt without padding."""
    return case["/expect/truth/prefill"][sample][-int(case["/input/length"][sample]):]


def off(what: str, found: np.ndarray, expected: np.ndarray, allowed: float) -> float:
    times = float(np.abs(found - expected).max() / allowed)
    print(f"  {what}: {times:.3g} times the bound")
    return times


@contextlib.contextmanager
def edited(variant: str, change: Callable[[dict[str, Any]], Any]) -> Iterator[Path]:
    """A copy of a bundled checkpoint with another config.json."""
    with tempfile.TemporaryDirectory() as scratch:
        model = Path(scratch) / "model"
        shutil.copytree(FIXTURES / variant / "model", model)
        config = json.loads((model / "config.json").read_text())
        change(config)
        (model / "config.json").write_text(json.dumps(config))
        yield model


@contextlib.contextmanager
def widened_norms(variant: str) -> Iterator[Path]:
    """A copy of a bundled checkpoint with the weights of its norms stored as float32."""
    from safetensors.torch import load_file, save_file
    with edited(variant, lambda config: None) as model:
        file = model / "model.safetensors"
        save_file({name: tensor.float() if tensor.dim() == 1 and "norm" in name else tensor
                   for name, tensor in load_file(file).items()}, file, {"format": "pt"})
        yield model


def published(model: Path) -> Any:
    import torch
    import transformers
    from scripts.record.checkpoint.checkpoint import quiet
    quiet()
    torch.set_grad_enabled(False)
    return transformers.AutoModelForCausalLM.from_pretrained(
        model, dtype=torch.float32, attn_implementation="eager").eval()


def ask(model: Any, tokens: list[int]) -> np.ndarray:
    """Logits [length, V] of transformers, whole sequence, no cache."""
    import torch
    return model(torch.tensor([tokens]), use_cache=False).logits[0].numpy()


def ask_mlx(model: Any, tokens: list[int], cached: bool = True) -> np.ndarray:
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache
    cache = make_prompt_cache(model) if cached else None
    return np.array(model(mx.array([tokens]), cache=cache))[0]


def limited(case: str) -> tuple[dict[str, np.ndarray], int, Any, list[int], np.ndarray]:
    """(case, limit, mlx-lm's model, tokens, truth [length, V]) for sample 0 of a case with caches of limited
    capacity; tokens are the prompt and the forced tokens."""
    recorded, attributes = h5.read(FIXTURES / f"{case}.h5")
    tokens = prompts(recorded)[0] + recorded["/input/decode"][0].tolist()
    expected = np.concatenate([truth(recorded), recorded["/expect/truth/decode"][0]])
    model, _ = load(FIXTURES / case.rpartition("/")[0] / "model")
    return recorded, attributes["cache_limit"], model, tokens, expected


def ask_in_chunks(model: Any, tokens: list[int], chunks: list[int], cache: list) -> np.ndarray:
    """Logits [length, V] of mlx-lm, prefilled in chunks of these lengths; the last length repeats."""
    import mlx.core as mx
    rows = []
    while tokens:
        here, chunks = chunks[0], chunks[1:] or chunks
        rows.append(np.array(model(mx.array([tokens[:here]]), cache=cache))[0])
        tokens = tokens[here:]
    return np.concatenate(rows)


def flat(config: dict[str, Any], kind: str = "type") -> None:
    """Writes rope_parameters in the older spelling."""
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["partial_rotary_factor"] = rope.pop("partial_rotary_factor", 1.0)
    if rope["rope_type"] != "default":
        config["rope_scaling"] = rope | {kind: rope.pop("rope_type")}
