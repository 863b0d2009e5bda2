"""OpenVINO GenAI's continuous batches as an engine, on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.openvino_genai' fixtures

GenAI's pipelines give tokens, and no logits but the logarithm of a generated token's probability. So this calls the runtime as they do:
optimum-intel's export, the transformation to paged attention that LLMPipeline chooses on a CPU, and batches that its ModelRunner would
make. README.md says what of GenAI is not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import openvino
import openvino_genai

from assay.engine import Engine as Base
from assay.engine import StepOptions
from assay.errors import Unsupported
from assay.requests import ModelOptions, SessionOptions, Step

from . import openvino_genai_paged as paged
from . import openvino_genai_stateful as stateful
from . import shared
from .openvino_genai_export import MODEL, exported

PRECISIONS = {None: "f32", "F32": "f32", "BF16": "bf16"}


def properties(compute: str | None) -> dict[str, Any]:
    """Without them the plugin computes in bfloat16 where the processor has it, and rounds its cache to 8 bits."""
    if compute not in PRECISIONS:
        raise Unsupported(f"compute {compute} is not supported")
    precision = PRECISIONS[compute]
    if precision == "bf16" and "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        raise Unsupported("compute BF16: OpenVINO does not compute in bfloat16 on this processor")
    return {"INFERENCE_PRECISION_HINT": precision, "KV_CACHE_PRECISION": precision}


@dataclass
class Opened:
    model: Any
    path: Path


@dataclass
class Session:
    cache: Any
    samples: dict[int, Any]


class Engine(Base):
    """kind: the module with the Model, the Cache of a session and its samples."""

    name, version = "openvino", openvino.__version__.split("-")[0]
    kind: ModuleType = paged

    def model_open(self, directory: str, options: ModelOptions) -> Opened:
        wanted = properties(options.compute)
        path = exported(directory)
        return Opened(self.kind.Model(path / MODEL, wanted), path)

    def model_vocab(self, model: Opened) -> int:
        return int(model.model.n_vocab)

    def stop_ids(self, model: Opened) -> Sequence[int]:  # type: ignore[override]
        """Those that GenAI reads from the exported generation_config.json."""
        file = model.path / "generation_config.json"
        if not file.exists():
            return []
        config = openvino_genai.GenerationConfig(str(file))
        return sorted(set(config.stop_token_ids) | ({config.eos_token_id} - {-1}))

    def session_open(self, model: Opened, options: SessionOptions) -> Session:
        if options.limit:
            raise Unsupported("caches with a limit are not supported")
        cache = self.kind.Cache(model.model)
        return Session(cache, {number: cache.sample() for number in range(options.n_samples)})

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        for step in steps:
            if step.items or step.positions is not None:
                raise Unsupported("items and positions are not supported")
        members = [session.samples[step.sample] for step in steps]
        rows = session.cache.append(members, [step.tokens for step in steps], options.padded_width)
        return [found[-step.n_last:] for found, step in zip(rows, steps) if step.n_last]

    def free(self, owned: object) -> None:
        pass  # no other object refers to it

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = shared.new_number(session.samples)
        session.samples[number] = session.cache.sample()
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        session.cache.rewind(session.samples.pop(sample), 0)

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        session.cache.rewind(session.samples[sample], n_tokens)

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        copied = into.cache.copy(origin.cache, origin.samples[sample])
        number = self.join(into)
        into.samples[number] = copied
        return number


class Stateful(Engine):
    """LLMPipeline with ATTENTION_BACKEND="SDPA": python3 -m assay assay.adapters.openvino_genai:Stateful"""

    name, kind = "openvino-stateful", stateful
