"""Runs mlx-lm on a recorded case: an observation to compare, never a golden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from . import h5
from .cases import left_pad


def observe(case: Path, result: dict[str, Any]) -> str:
    """Writes observed/<case>.mlx-lm.h5 beside a case; returns a remark, also when it cannot."""
    import mlx.core as mx
    import mlx_lm
    mx.set_default_device(mx.cpu)
    datasets = result["datasets"]
    try:
        prefill, decode = run(case.parent / "model", datasets)
    except Exception as error:  # whatever stops a foreign system is its answer
        return f"mlx-lm cannot: {type(error).__name__}: {str(error).splitlines()[0][:90]}"
    with h5py.File(case) as golden:
        recorder = golden.attrs["recorder"].decode()
    h5.write(case.parent / "observed" / f"{case.stem}.mlx-lm.h5", {
        "kind": "observation", "case": f"../{case.name}", "recorder": recorder,
        "source": f"mlx-lm {mlx_lm.__version__}, mlx {mx.__version__} on a CPU; stored weights "
                  "upcast to float32; left-padded batch caches, cached decode",
    }, {"/observed/prefill": prefill, "/observed/decode": decode})
    far = max(np.nanmax(np.abs(prefill - datasets["/expect/truth/prefill"])),
              np.abs(decode - datasets["/expect/truth/decode"]).max())
    return f"mlx-lm {far / result['noise']:.3g} x noise"


def run(model_directory: Path, datasets: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(prefill [B, T, V] with NaN on padding, decode [B, N, V]), both float32."""
    import mlx.core as mx
    from mlx_lm.models import cache as caches
    from mlx_lm.utils import load_model
    model, _ = load_model(model_directory)
    model.set_dtype(mx.float32)
    tokens, lengths = datasets["/input/tokens"], datasets["/input/length"]
    padding = [int(tokens.shape[1] - length) for length in lengths]
    cache = caches.make_prompt_cache(model)
    if len(padding) > 1:
        cache = [batched(one, padding, caches) for one in cache]
    prefill = np.array(model(mx.array(tokens), cache=cache))
    steps = [np.array(model(mx.array(column[:, None]), cache=cache))[:, -1]
             for column in datasets["/input/decode"].T]
    rows = [row[pad:] for row, pad in zip(prefill, padding)]
    return left_pad(rows, np.nan), np.stack(steps, axis=1)


def batched(cache: Any, padding: list[int], caches: Any) -> Any:
    """The left-padded batch cache that stands for a cache of one sample."""
    if isinstance(cache, caches.RotatingKVCache):
        return caches.BatchRotatingKVCache(cache.max_size, padding)
    if isinstance(cache, caches.KVCache):
        return caches.BatchKVCache(padding)
    raise RuntimeError(f"no batch cache stands for {type(cache).__name__}")
