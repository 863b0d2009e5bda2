"""onnxruntime-genai as an engine: checkpoints that its model builder exports, in float32 on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.onnxruntime_genai' fixtures

What is judged is the exported graph, onnxruntime's kernels and Generator: prompts of several samples are right-padded into one
Generator, whose search is then made to choose the tokens of each step; a sample alone is decoded continuously (append_tokens). A
Generator for several samples cannot rewind, or go on with some of them: a sample that leaves one, and a fork, has its
tokens evaluated again in a Generator of its own.
"""

from __future__ import annotations

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the builder looks for tokenizers and generation configs
os.environ.setdefault("TQDM_DISABLE", "1")

from collections.abc import Sequence  # noqa: E402

import numpy as np  # noqa: E402
import onnxruntime_genai as og  # noqa: E402
import transformers  # noqa: E402

from assay.engine import Engine as Base  # noqa: E402
from assay.engine import StepOptions  # noqa: E402
from assay.errors import Unsupported  # noqa: E402
from assay.requests import ModelOptions, SessionOptions, Step  # noqa: E402

from . import shared  # noqa: E402
from .onnxruntime_genai_export import Export, Exports  # noqa: E402
from .onnxruntime_genai_samples import Alone, Sample, Session, check_length  # noqa: E402


class Engine(Base):
    name, version = "onnxruntime-genai", og.__version__

    def __init__(self) -> None:
        self.exports = Exports()
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()

    def model_open(self, directory: str, options: ModelOptions) -> Export:
        if options.compute not in (None, "F32"):
            raise Unsupported(f"compute {options.compute} is not supported")
        return self.exports.open(directory)

    def model_vocab(self, model: Export) -> int:
        return model.vocab

    def stop_ids(self, model: Export) -> Sequence[int]:  # type: ignore[override]
        return model.stop_ids

    def session_open(self, model: Export, options: SessionOptions) -> Session:
        if options.limit:
            raise Unsupported("caches with a limit are not supported")
        check_length(model, options.max_tokens)
        return Session(model, options.max_tokens, {number: Sample() for number in range(options.n_samples)})

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        for step in steps:
            if step.items or step.positions is not None:
                raise Unsupported("items and positions are not supported")
        try:
            rows = session.evaluate(steps, options.padded_width)
        except BaseException:
            for step in steps:  # their tokens are evaluated again
                session.vacate(session.samples[step.sample].place)
                session.samples[step.sample].place = None
            raise
        for step in steps:
            session.samples[step.sample].tokens += step.tokens
        return [rows[step.sample][-step.n_last:] for step in steps if step.n_last]

    def free(self, owned: object) -> None:
        pass  # exports are kept; no other object refers to a session

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = shared.new_number(session.samples)
        session.samples[number] = Sample()
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        session.vacate(session.samples[sample].place)
        del session.samples[sample]

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        rewound = session.samples[sample]
        if n_tokens == len(rewound.tokens):
            return
        session.vacate(rewound.place)
        if isinstance(rewound.place, Alone) and n_tokens:
            try:
                rewound.place.generator.rewind_to(n_tokens)
            except RuntimeError as error:
                rewound.place = None
                raise Unsupported(f"onnxruntime-genai: {str(error).splitlines()[0]}") from error
        else:
            rewound.place = None
        rewound.tokens = rewound.tokens[:n_tokens]

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = self.join(into)
        into.samples[number] = Sample(list(origin.samples[sample].tokens))
        return number
