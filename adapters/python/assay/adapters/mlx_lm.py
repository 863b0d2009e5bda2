"""mlx-lm as an engine: each sample alone, with a prompt cache of its own, in float32 on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.mlx_lm' fixtures

What is judged is the published model with `make_prompt_cache`, as `stream_generate` uses it; quantised checkpoints stay quantised.
mlx_lm_taps.py says where its tensors come from.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models import cache as caches
from mlx_lm.utils import load_model

from ..engine import Engine as Base
from ..engine import StepOptions
from ..errors import FormatError, Unsupported
from ..requests import ModelOptions, SessionOptions, Step
from . import parts
from .mlx_hooks import float32
from .mlx_lm_taps import tapped

TYPES = {None: mx.float32, "F32": mx.float32, "BF16": mx.bfloat16}


@dataclass
class Model:
    module: Any
    config: dict[str, Any]


@dataclass
class Session:
    model: Model
    limit: int
    samples: dict[int, Sample] = field(default_factory=dict)

    def sample(self) -> Sample:
        return Sample(caches.make_prompt_cache(self.model.module, max_kv_size=self.limit or None))


@dataclass
class Sample:
    cache: list[Any]
    n_tokens: int = 0

    def copy(self) -> Sample:
        """Arrays of mlx are immutable, and the copied cache refers to its own: what is written to one is not seen in the other."""
        return copy.deepcopy(self)


class Engine(Base):
    name, version, taps = "mlx-lm", version("mlx-lm"), True

    def __init__(self) -> None:
        mx.set_default_device(mx.cpu)

    def model_open(self, directory: str, options: ModelOptions) -> Model:
        if options.compute not in TYPES:
            raise Unsupported(f"compute {options.compute} is not supported")
        try:
            module, config = load_model(Path(directory))
        except ValueError as error:
            known = str(error).startswith(("Model type", "Unsupported"))
            raise (Unsupported if known else FormatError)(f"mlx-lm: {str(error).splitlines()[0]:.300}") from error
        module.set_dtype(TYPES[options.compute])
        return Model(module, config)

    def model_vocab(self, model: Model) -> int:
        return int(model.module(mx.array([[0]])).shape[-1])

    def stop_ids(self, model: Model) -> Sequence[int]:  # type: ignore[override]
        ids = model.config.get("eos_token_id")
        return parts.sorted_ids(ids)

    def session_open(self, model: Model, options: SessionOptions) -> Session:
        if options.limit and options.sink_tokens != 4:
            raise Unsupported(f"a limit with {options.sink_tokens} attention sink tokens: RotatingKVCache of make_prompt_cache keeps 4")
        session = Session(model, options.limit)
        session.samples = {number: session.sample() for number in range(options.n_samples)}
        return session

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        for step in steps:
            if step.items or step.positions is not None:
                raise Unsupported("items and positions are not supported")
        after = {step.sample: session.samples[step.sample].copy() for step in steps}
        outputs = []
        for step in steps:
            sample = after[step.sample]
            with tapped(session.model.module, step.sample, options.tap):
                logits = session.model.module(mx.array([step.tokens]), cache=sample.cache)
                rows = float32(logits[0])
            sample.n_tokens += len(step.tokens)
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
        rewound = session.samples[sample].copy()
        more = rewound.n_tokens - n_tokens
        if n_tokens == 0:
            rewound = session.sample()
        elif more and not caches.can_trim_prompt_cache(rewound.cache):
            raise Unsupported("can_trim_prompt_cache says that these caches cannot be trimmed")
        elif more and caches.trim_prompt_cache(rewound.cache, more) != more:
            raise Unsupported(f"trim_prompt_cache did not remove {more} tokens")
        rewound.n_tokens = n_tokens
        session.samples[sample] = rewound

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = self.join(into)
        into.samples[number] = origin.samples[sample].copy()
        return number
