"""mlx-lm as an engine: each sample alone, with a prompt cache of its own, in float32 on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.mlx_lm' fixtures

What is judged is the published model with `make_prompt_cache`, as `stream_generate` uses it; quantised checkpoints stay quantised.
mlx/lm_taps.py says where its tensors come from.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models import cache as caches
from mlx_lm.utils import load_model

from assay.engine import Tap
from assay.errors import Unsupported
from assay.requests import Step

from . import shared
from .mlx import sessions
from .mlx.hooks import float32
from .mlx.lm_taps import tapped
from .mlx.sessions import Session


@dataclass
class Model:
    module: Any
    config: dict[str, Any]


@dataclass
class Sample:
    cache: list[Any]
    n_tokens: int = 0

    def copy(self) -> Sample:
        """Arrays of mlx are immutable, and the copied cache refers to its own: what is written to one is not seen in the other."""
        return copy.deepcopy(self)


class Engine(sessions.Engine):
    name, version = "mlx-lm", version("mlx-lm")

    def load(self, directory: Path) -> Model:
        return Model(*load_model(directory))

    def model_vocab(self, model: Model) -> int:
        return int(model.module(mx.array([[0]])).shape[-1])

    def stop_ids(self, model: Model) -> Sequence[int]:  # type: ignore[override]
        ids = model.config.get("eos_token_id")
        return shared.sorted_ids(ids)

    def sample(self, session: Session) -> Sample:
        return Sample(caches.make_prompt_cache(session.model.module, max_kv_size=session.limit))

    def check(self, session: Session, step: Step) -> None:
        if step.items or step.positions is not None:
            raise Unsupported("items and positions are not supported")

    def evaluate(self, model: Model, sample: Sample, step: Step, tap: Tap | None) -> np.ndarray:
        with tapped(model.module, step.sample, tap):
            rows = float32(model.module(mx.array([step.tokens]), cache=sample.cache)[0])
        sample.n_tokens += len(step.tokens)
        return rows

    def rewound(self, session: Session, sample: Sample, n_tokens: int) -> Sample:
        if n_tokens == 0:
            return self.sample(session)
        found = sample.copy()
        more = found.n_tokens - n_tokens
        if more and not caches.can_trim_prompt_cache(found.cache):
            raise Unsupported("can_trim_prompt_cache says that these caches cannot be trimmed")
        if more and caches.trim_prompt_cache(found.cache, more) != more:
            raise Unsupported(f"trim_prompt_cache did not remove {more} tokens")
        found.n_tokens = n_tokens
        return found
