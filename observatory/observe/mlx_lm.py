"""Runs mlx-lm on recorded cases: observations to compare, never goldens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

SYSTEM = "mlx-lm"
MOST_REASON = 300  # characters of a recorded error message


def observe(case: Path) -> str:
    """Writes observed/<case>.mlx-lm.h5 beside a case, or <case>.mlx-lm.txt with mlx-lm's error message. Returns
    text for the log."""
    golden, attributes = h5.read(case)
    limit = attributes.get("cache_limit")
    place = case.parent / "observed" / f"{case.stem}.{SYSTEM}"
    for old in (place.with_name(place.name + suffix) for suffix in (".h5", ".txt")):
        old.unlink(missing_ok=True)
    try:
        datasets = run(case.parent / "model", golden, limit)
    except Exception as error:  # any error of mlx-lm is its result
        reason = refusal(error, case)
        place.parent.mkdir(exist_ok=True)
        place.with_name(place.name + ".txt").write_text(f"{versions()}: {reason}\n")
        return f"{SYSTEM} cannot: {reason[:90]}"
    h5.write(place.with_name(place.name + ".h5"), {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{versions()}; stored weights upcast to float32; {caching(limit)}, "
                  "cached decode; tokens from its BatchGenerator; traces of sample 0 alone",
    }, datasets)
    far = distance(golden, datasets, "/observed")
    return f"{SYSTEM} {far / distance(golden, golden, '/expect/float32'):.3g} x noise"


def caching(limit: int | None) -> str:
    if limit is None:
        return "left-padded batch caches"
    return f"each sample alone, in make_prompt_cache(model, max_kv_size={limit})"


def distance(golden: dict[str, np.ndarray], found: dict[str, np.ndarray], group: str) -> float:
    """The largest distance of the logits below `group` from the truth."""
    return max(float(np.nanmax(np.abs(found[f"{group}/{part}"] - golden[f"/expect/truth/{part}"])))
               for part in ("prefill", "decode"))


def versions() -> str:
    import mlx.core as mx
    import mlx_lm
    return f"{SYSTEM} {mlx_lm.__version__}, mlx {mx.__version__} on a CPU"


def refusal(error: Exception, case: Path) -> str:
    """The error as one line, without paths of this machine, and with the members of sets sorted."""
    text = re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")
    text = re.sub(r"\{('[^'{}:]*'(?:, '[^'{}:]*')+)\}",
                  lambda one: "{" + ", ".join(sorted(one[1].split(", "))) + "}", text)
    text = text.replace(str(case.parent) + "/", "").strip()
    return text if len(text) <= MOST_REASON else text[:MOST_REASON - 1] + "…"


def run(model_directory: Path, golden: dict[str, np.ndarray],
        limit: int | None = None) -> dict[str, np.ndarray]:
    """The datasets of an observation: float32 logits as in /expect/truth, NaN on padding or of the listed rows;
    greedy tokens if the case has them; and the case's traces. limit: capacity of the caches; None: unlimited."""
    import mlx.core as mx
    from mlx_lm.models import cache as caches
    mx.set_default_device(mx.cpu)
    model, config = load(model_directory)
    prefill, decode = forced(model, golden) if limit is None else forced_alone(
        model, golden, lambda: caches.make_prompt_cache(model, max_kv_size=limit))
    if "/expect/rows" in golden:
        padding = prefill.shape[1] - golden["/input/length"]
        prefill = np.stack([prefill[b, padding[b] + t] for b, t in golden["/expect/rows"]])
    datasets = {"/observed/prefill": prefill, "/observed/decode": decode}
    if "/expect/tokens" in golden:
        datasets["/observed/tokens"] = greedy(model, golden, config.get("eos_token_id"))
    names = [name.removeprefix("/trace/") for name in golden if name.startswith("/trace/")]
    traced = trace(model, prompts(golden)[0]) if names else {}
    return datasets | {f"/observed/trace/{name}": traced[name] for name in names}


def load(model_directory: Path) -> tuple[Any, dict[str, Any]]:
    """(model with its weights upcast to float32, config as mlx-lm merges it)."""
    import mlx.core as mx
    from mlx_lm.utils import load_model
    model, config = load_model(model_directory)
    model.set_dtype(mx.float32)
    return model, config


def prompts(golden: dict[str, np.ndarray]) -> list[list[int]]:
    """The prompts without their padding."""
    return [row[len(row) - length:].tolist()
            for row, length in zip(golden["/input/tokens"], golden["/input/length"])]


def forced(model: Any, golden: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(prefill [B, T, V], decode [B, N, V]): left-padded prompts, then the recorded tokens."""
    import mlx.core as mx
    from mlx_lm.models import cache as caches
    tokens, lengths = golden["/input/tokens"], golden["/input/length"]
    padding = [int(tokens.shape[1] - length) for length in lengths]
    cache = caches.make_prompt_cache(model)
    if len(padding) > 1:
        cache = [batched(one, padding, caches) for one in cache]
    prefill = np.array(model(mx.array(tokens), cache=cache))
    steps = [np.array(model(mx.array(column[:, None]), cache=cache))[:, -1]
             for column in golden["/input/decode"].T]
    rows = [row[pad:] for row, pad in zip(prefill, padding)]
    return left_pad(rows, np.nan), np.stack(steps, axis=1)


def forced_alone(model: Any, golden: dict[str, np.ndarray],
                 make_cache: Callable[[], list]) -> tuple[np.ndarray, np.ndarray]:
    """The same for limited caches, with a cache of its own for every sample, because mlx-lm's batch caches do not
    keep attention sink tokens."""
    import mlx.core as mx
    prefill, decode = [], []
    for prompt, tokens in zip(prompts(golden), golden["/input/decode"]):
        cache = make_cache()
        prefill.append(np.array(model(mx.array([prompt]), cache=cache))[0])
        decode.append(np.concatenate([np.array(model(mx.array([[token]]), cache=cache))[0]
                                      for token in tokens.tolist()]))
    return left_pad(prefill, np.nan), np.stack(decode)


def batched(cache: Any, padding: list[int], caches: Any) -> Any:
    """The left-padded batch cache that corresponds to a cache of one sample."""
    if isinstance(cache, caches.RotatingKVCache):
        return caches.BatchRotatingKVCache(cache.max_size, padding)
    if isinstance(cache, caches.KVCache):
        return caches.BatchKVCache(padding)
    if isinstance(cache, caches.ArraysCache):
        return caches.ArraysCache(len(cache.cache), padding)
    raise RuntimeError(f"no batch cache stands for {type(cache).__name__}")


def greedy(model: Any, golden: dict[str, np.ndarray], stop_ids: int | list[int]) -> np.ndarray:
    """Tokens [B, M] of mlx-lm's own batch generator, including the stop id, -1 after it.

    stop_ids: as its loader found them and passes them to its tokenizer.
    """
    from mlx_lm.generate import BatchGenerator
    found = np.full_like(golden["/expect/tokens"], -1)
    stops = [stop_ids] if isinstance(stop_ids, int) else stop_ids
    generator = BatchGenerator(model, max_tokens=found.shape[1], stop_tokens=[[i] for i in stops])
    uids = generator.insert(prompts(golden))
    n_made = dict.fromkeys(uids, 0)
    while responses := generator.next_generated():
        for response in responses:
            found[uids.index(response.uid), n_made[response.uid]] = response.token
            n_made[response.uid] += 1
    generator.close()
    return found


def trace(model: Any, prompt: list[int]) -> dict[str, np.ndarray]:
    """Tensors [length, D] of a single prompt, under the names of the goldens (truth.hooks)."""
    import mlx.core as mx
    from assay.adapters.mlx.hooks import active_stream, decoder, float32, hooked, text_places
    from mlx_lm.models import cache as caches
    text = decoder(model)
    found: dict[str, np.ndarray] = {}

    def store(name: str, tensor: Any) -> None:
        tensor = active_stream(text, tensor)
        found[name] = float32(tensor).reshape(-1, tensor.shape[-1])

    with hooked(text_places(text), store):
        mx.eval(model(mx.array([prompt]), cache=caches.make_prompt_cache(model)))
    return found
