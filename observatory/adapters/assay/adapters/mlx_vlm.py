"""mlx-vlm as an engine: each sample alone, with a prompt cache of its own, on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.mlx_vlm' fixtures

What is judged is the path of `generate_step`: a prompt with its images in one call of `get_input_embeddings` and one of the
language model, then tokens alone with the cache of `make_prompt_cache`. mlx-vlm keeps the positions and the rope deltas of the latest
prompt in the language model. Samples take turns here, so each one finds its own there: deltas are given as `GenerationBatch` gives them.
mlx_vlm_batches.py has its `BatchGenerator`. Quantised checkpoints stay quantised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from mlx_vlm.models.cache import make_prompt_cache
from mlx_vlm.utils import load_config, load_model

from assay.engine import Tap
from assay.errors import Unsupported
from assay.requests import Step

from . import shared
from .mlx import samples, sessions
from .mlx.samples import Sample
from .mlx.sessions import Session


@dataclass
class Model:
    module: Any
    stop_ids: list[int]


def stop_ids(directory: Path) -> list[int]:
    """eos_token_id as mlx-vlm merges it from config.json and generation_config.json."""
    ids = load_config(directory).get("eos_token_id")
    return shared.sorted_ids(ids)


class Engine(sessions.Engine):
    name, version = "mlx-vlm", version("mlx-vlm")

    def load(self, directory: Path) -> Model:
        shared.refuse_attention_to_images(load_config(directory))
        module = load_model(directory)
        if not hasattr(module, "language_model") or not hasattr(module, "get_input_embeddings"):
            raise Unsupported(f"{type(module).__module__} is no language model with a cache")
        return Model(module, stop_ids(directory))

    def model_vocab(self, model: Model) -> int:
        language = model.module.language_model
        head = language["lm_head"] if "lm_head" in language else language.model.embed_tokens
        return int(head.weight.shape[0])

    def stop_ids(self, model: Model) -> Sequence[int]:  # type: ignore[override]
        return model.stop_ids

    def sample(self, session: Session) -> Sample:
        return Sample(make_prompt_cache(session.model.module.language_model, max_kv_size=session.limit))

    def check(self, session: Session, step: Step) -> None:
        samples.check(session.model.module, session.samples[step.sample], step)

    def evaluate(self, model: Model, sample: Sample, step: Step, tap: Tap | None) -> np.ndarray:
        return samples.evaluate(model.module, sample, step, tap)

    def rewound(self, session: Session, sample: Sample, n_tokens: int) -> Sample:
        found = samples.rewound(session.model.module, sample, n_tokens)
        return found if n_tokens else self.sample(session)

    def positions(self, model: Model, step: Step, n_axes: int) -> tuple[np.ndarray, int]:  # type: ignore[override]
        axes, delta = samples.first_positions(model.module, step)
        if len(axes) > n_axes:
            raise Unsupported(f"the positions have {len(axes)} axes, not {n_axes}")
        return np.broadcast_to(axes, (n_axes, len(step.tokens))), delta
