"""mlx-vlm's batches as an engine, on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.mlx_vlm_batches' fixtures

What is judged is what `BatchGenerator` computes with. The prompts of one step are embedded one by one, as the server inserts them,
sorted by length, joined by `_merge_prefill_prompt_kwargs` and prefilled by `PromptProcessingBatch`, which pads on the left. Tokens of
samples that decode together are one batch, as in `GenerationBatch`, whose caches are merged from those of the samples and taken apart
again, with the rope deltas of its rows. A sample alone, and further tokens of a prompt, go the way of mlx_vlm.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_vlm.generate.ar import PromptProcessingBatch, _merge_prefill_prompt_kwargs

from assay.engine import Tap
from assay.errors import Unsupported
from assay.requests import SessionOptions, Step

from . import mlx_vlm
from .mlx import samples
from .mlx.hooks import active_stream, float32, hooked, text_places
from .mlx.processors import of_step
from .mlx.samples import Sample
from .mlx.sessions import Session
from .mlx.vlm_taps import adds_features, tapped


@contextlib.contextmanager
def rows_tapped(model: Any, steps: list[Step], tap: Tap | None) -> Iterator[None]:
    """Tensors of the decoder, of each sample without its padding; their columns may come in several calls, and are given at the end. A
    model that computes padded samples one by one shows none."""
    if tap is None:
        yield
        return
    text = model.language_model.model
    found: dict[str, list[np.ndarray]] = {}

    def keep(name: str, tensor: Any) -> None:
        tensor = active_stream(text, tensor)
        if tap.wants(name) and len(tensor) == len(steps):
            found.setdefault(name, []).append(float32(tensor))

    with hooked(text_places(text, adds_features(model)), keep):
        yield
    width = max(len(step.tokens) for step in steps)
    for name, columns in found.items():
        if sum(part.shape[1] for part in columns) != width:
            continue
        for step, rows in zip(steps, np.concatenate(columns, axis=1)):
            tap(step.sample, name, np.ascontiguousarray(rows[-len(step.tokens):]))


class Kept:
    """A language model that keeps the logits [B, n, V] of each call, of all rows, also where only the last is asked for."""

    def __init__(self, language: Any):
        self.language = language
        self.logits: list[np.ndarray] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.language, name)

    def __call__(self, *args: Any, logits_to_keep: int | None = None, **kwargs: Any) -> Any:
        out = self.language(*args, **kwargs)
        self.logits.append(float32(out.logits))
        return out


def prefill(model: Any, members: list[Sample], steps: list[Step], tap: Tap | None) -> list[np.ndarray]:
    """The logits of prompts of one batch, the shortest first."""
    prompts = [step.tokens for step in steps]
    given: list[dict[str, Any] | None] = []
    for step in steps:
        tensors = of_step(model.config, step)
        with tapped(model, step.sample, tap, tensors):
            given.append(samples.first_inputs(model, mx.array([step.tokens]), tensors))
    embeddings, inputs = _merge_prefill_prompt_kwargs(given, prompts)
    language = Kept(model.language_model)
    numbers = [step.sample for step in steps]
    batch = PromptProcessingBatch(language, numbers, prompts, [1] * len(steps), embeddings, inputs)
    with rows_tapped(model, steps, tap):
        while batch.needs_processing():
            batch.prompt_step()
        # the first half of generate(): the second begins to decode
        language(batch._input_ids, cache=batch.prompt_cache, inputs_embeds=batch._inputs_embeds, **batch._prompt_kwargs)
    deltas = batch._capture_rope_deltas_from_prompt_kwargs(inputs, language, len(steps))
    take_apart(members, batch.prompt_cache, deltas)
    rows = np.concatenate(language.logits, axis=1)
    return [row[-len(prompt):] for row, prompt in zip(rows, prompts)]


def decode(model: Any, members: list[Sample], steps: list[Step], tap: Tap | None) -> list[np.ndarray]:
    """The logits of one token of each sample."""
    cache = [type(layers[0]).merge(list(layers)) for layers in zip(*(sample.cache for sample in members))]
    deltas = None if members[0].deltas is None else mx.concatenate([sample.deltas for sample in members])
    with rows_tapped(model, steps, tap):
        out = model.language_model(mx.array([step.tokens for step in steps]), cache=cache,
                                   **({} if deltas is None else {"rope_deltas": deltas}))
        rows = float32(out.logits)
    take_apart(members, cache, deltas)
    return list(rows)


def take_apart(members: list[Sample], cache: list[Any], deltas: Any) -> None:
    for row, sample in enumerate(members):
        sample.cache = [layer.extract(row) for layer in cache]
        sample.deltas = None if deltas is None else deltas[row:row + 1]


class Engine(mlx_vlm.Engine):
    name = "mlx-vlm-batches"

    def session_open(self, model: mlx_vlm.Model, options: SessionOptions) -> Session:
        if options.limit:
            raise Unsupported("BatchGenerator has no caches with a limit")
        return super().session_open(model, options)

    def evaluate_all(self, model: mlx_vlm.Model, after: dict[int, Sample], steps: list[Step], tap: Tap | None) -> dict[int, np.ndarray]:
        found: dict[int, np.ndarray] = {}
        for compute, group in ((prefill, [step for step in steps if not after[step.sample].tokens]),
                               (decode, [step for step in steps if after[step.sample].tokens and len(step.tokens) == 1])):
            if len(group) > 1:
                group = sorted(group, key=lambda step: len(step.tokens))
                members = [after[step.sample] for step in group]
                found |= zip((step.sample for step in group), compute(model.module, members, group, tap))
                for sample, step in zip(members, group):
                    sample.tokens += step.tokens
                    sample.items += step.items
        return found | super().evaluate_all(model, after, [step for step in steps if step.sample not in found], tap)
