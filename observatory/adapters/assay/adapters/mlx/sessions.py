"""What the engines on MLX do alike: sessions in which each sample has a prompt cache of its own, on a CPU.

A step is evaluated on copies of its samples, which replace them at the end: after a step that raised, every sample has the tokens that it
had before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import numpy as np

from assay.engine import Engine as Base
from assay.engine import StepOptions, Tap
from assay.errors import FormatError, Unsupported
from assay.requests import ModelOptions, SessionOptions, Step

from .. import shared

TYPES = {None: mx.float32, "F32": mx.float32, "BF16": mx.bfloat16}
SINK_TOKENS = 4  # which RotatingKVCache of make_prompt_cache keeps


class Model(Protocol):
    module: Any


class Sample(Protocol):
    def copy(self) -> Any:
        """What is written to the copy's cache is not seen in this one's."""


@dataclass
class Session:
    """limit: of each sample's cache; None: without one."""

    model: Any
    limit: int | None
    samples: dict[int, Any] = field(default_factory=dict)


class Engine(Base):
    taps = True

    def __init__(self) -> None:
        mx.set_default_device(mx.cpu)

    def load(self, directory: Path) -> Model:
        """Opens a checkpoint. A ValueError is reported as the library's refusal."""
        raise NotImplementedError("load")

    def sample(self, session: Session) -> Sample:
        """A new sample, without tokens."""
        raise NotImplementedError("sample")

    def check(self, session: Session, step: Step) -> None:
        """Raises Unsupported for what the library does not compute."""
        raise NotImplementedError("check")

    def evaluate(self, model: Any, sample: Any, step: Step, tap: Tap | None) -> np.ndarray:
        """Appends the tokens of a step to a sample; returns the logits [at least n_last, V]."""
        raise NotImplementedError("evaluate")

    def rewound(self, session: Session, sample: Any, n_tokens: int) -> Sample:
        """A copy of a sample with its first tokens alone."""
        raise NotImplementedError("rewound")

    def model_open(self, directory: str, options: ModelOptions) -> Model:
        if options.compute not in TYPES:
            raise Unsupported(f"compute {options.compute} is not supported")
        try:
            model = self.load(Path(directory))
        except ValueError as error:
            known = str(error).startswith(("Model type", "Unsupported"))
            raise (Unsupported if known else FormatError)(f"{self.name}: {str(error).splitlines()[0]:.300}") from error
        model.module.set_dtype(TYPES[options.compute])
        return model

    def session_open(self, model: Any, options: SessionOptions) -> Session:
        if options.limit and options.sink_tokens != SINK_TOKENS:
            raise Unsupported(f"a limit with {options.sink_tokens} attention sink tokens: RotatingKVCache of make_prompt_cache keeps {SINK_TOKENS}")
        session = Session(model, options.limit or None)
        session.samples = {number: self.sample(session) for number in range(options.n_samples)}
        return session

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        for step in steps:
            self.check(session, step)
        after = {step.sample: session.samples[step.sample].copy() for step in steps}
        found = self.evaluate_all(session.model, after, steps, options.tap)
        session.samples.update(after)
        return [found[step.sample][-step.n_last:] for step in steps if step.n_last]

    def evaluate_all(self, model: Any, after: dict[int, Any], steps: list[Step], tap: Tap | None) -> dict[int, np.ndarray]:
        """Appends the tokens of all steps to the samples; returns the logits by sample."""
        return {step.sample: self.evaluate(model, after[step.sample], step, tap) for step in steps}

    def free(self, owned: object) -> None:
        pass  # no other object refers to it

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = shared.new_number(session.samples)
        session.samples[number] = self.sample(session)
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        del session.samples[sample]

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        session.samples[sample] = self.rewound(session, session.samples[sample], n_tokens)

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = shared.new_number(into.samples)
        into.samples[number] = origin.samples[sample].copy()
        return number
