"""mlx-vlm as an engine: each sample alone, with a prompt cache of its own, on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.mlx_vlm' fixtures

What is judged is the path of `generate_step`: a prompt with its images in one call of `get_input_embeddings` and one of the
language model, then tokens alone with the cache of `make_prompt_cache`. mlx-vlm keeps the rope deltas of the latest prompt in the
language model. Samples take turns here, so each one's own are given with its later tokens, as `GenerationBatch` of mlx-vlm gives them.
mlx_vlm_batches.py has its `BatchGenerator`. Quantised checkpoints stay quantised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_vlm.models.cache import make_prompt_cache
from mlx_vlm.utils import load_config, load_model

from ..engine import Engine as Base
from ..engine import StepOptions
from ..errors import FormatError, Unsupported
from ..requests import ModelOptions, SessionOptions, Step
from . import mlx_vlm_samples as samples
from . import parts
from .mlx_vlm_samples import Sample

TYPES = {None: mx.float32, "F32": mx.float32, "BF16": mx.bfloat16}


@dataclass
class Model:
    module: Any
    stop_ids: list[int]


@dataclass
class Session:
    model: Model
    limit: int
    samples: dict[int, Sample] = field(default_factory=dict)

    def sample(self) -> Sample:
        return Sample(make_prompt_cache(self.model.module.language_model, max_kv_size=self.limit or None))


def stop_ids(directory: Path) -> list[int]:
    """eos_token_id as mlx-vlm merges it from config.json and generation_config.json."""
    ids = load_config(directory).get("eos_token_id")
    return parts.sorted_ids(ids)


class Engine(Base):
    name, version, taps = "mlx-vlm", version("mlx-vlm"), True

    def __init__(self) -> None:
        mx.set_default_device(mx.cpu)

    def model_open(self, directory: str, options: ModelOptions) -> Model:
        if options.compute not in TYPES:
            raise Unsupported(f"compute {options.compute} is not supported")
        try:
            module = load_model(Path(directory))
        except ValueError as error:
            known = str(error).startswith(("Model type", "Unsupported"))
            raise (Unsupported if known else FormatError)(f"mlx-vlm: {str(error).splitlines()[0]:.300}") from error
        if "language_model" not in module or not hasattr(module, "get_input_embeddings"):
            raise Unsupported(f"{type(module).__module__} is no language model with a cache")
        module.set_dtype(TYPES[options.compute])
        return Model(module, stop_ids(Path(directory)))

    def model_vocab(self, model: Model) -> int:
        language = model.module.language_model
        head = language["lm_head"] if "lm_head" in language else language.model.embed_tokens
        return int(head.weight.shape[0])

    def stop_ids(self, model: Model) -> Sequence[int]:  # type: ignore[override]
        return model.stop_ids

    def session_open(self, model: Model, options: SessionOptions) -> Session:
        if options.limit and options.sink_tokens != 4:
            raise Unsupported(f"a limit with {options.sink_tokens} attention sink tokens: RotatingKVCache of make_prompt_cache keeps 4")
        session = Session(model, options.limit)
        session.samples = {number: session.sample() for number in range(options.n_samples)}
        return session

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        module = session.model.module
        for step in steps:
            samples.check(module, session.samples[step.sample], step)
        after = {step.sample: session.samples[step.sample].copy() for step in steps}
        outputs = []
        for step in steps:
            rows = samples.evaluate(module, after[step.sample], step, options.tap)
            if step.n_last:
                outputs.append(rows[-step.n_last:])
        session.samples.update(after)
        return outputs

    def free(self, owned: object) -> None:
        pass  # no other object refers to it

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = parts.new_number(session.samples)
        session.samples[number] = session.sample()
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        del session.samples[sample]

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        rewound = samples.rewound(session.model.module, session.samples[sample], n_tokens)
        session.samples[sample] = rewound if n_tokens else session.sample()

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = self.join(into)
        into.samples[number] = origin.samples[sample].copy()
        return number

    def positions(self, model: Model, step: Step, n_axes: int) -> tuple[np.ndarray, int]:  # type: ignore[override]
        axes, delta = samples.first_positions(model.module, step)
        if len(axes) > n_axes:
            raise Unsupported(f"the positions have {len(axes)} axes, not {n_axes}")
        return np.broadcast_to(axes, (n_axes, len(step.tokens))), delta
