"""A model whose cache is the state of an inference request, as LLMPipeline runs it with ATTENTION_BACKEND="SDPA": prompts of new samples are
one batch, padded on the left, with an attention mask; its rows go on together, chosen by beam_idx, with a token each. A sample that gets
several tokens, as in a chat, or whose batch went on without it, goes on alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openvino

from assay.errors import Unsupported

States = dict[str, np.ndarray]


class Model:
    """lengths: for each state the axis along which tokens are stored, None for a recurrent state."""

    def __init__(self, path: Path, properties: dict[str, Any]):
        core = openvino.Core()
        self.compiled = core.compile_model(core.read_model(path), "CPU", properties)
        self.n_vocab = self.compiled.output("logits").partial_shape[-1].get_length()
        self.lengths: dict[str, int | None] = {}
        for state in self.compiled.create_infer_request().query_state():
            empty = [axis for axis, size in enumerate(state.state.shape) if axis and not size]
            self.lengths[state.name] = empty[0] if empty else None


@dataclass
class Batch:
    """A request whose state has `width` columns for each of its rows; the tokens of a sample are the last ones of its row."""

    request: openvino.InferRequest
    rows: list[Sample] = field(default_factory=list)
    width: int = 0


@dataclass(eq=False)
class Sample:
    """Its cache is in a batch, or in `states` [1, ...] without padding, or nowhere, and then all tokens are evaluated again."""

    tokens: list[int] = field(default_factory=list)
    batch: Batch | None = None
    states: States | None = None

    def forget(self) -> None:
        self.batch = self.states = None


class Cache:
    """The samples of a session."""

    def __init__(self, model: Model):
        self.model = model

    def sample(self) -> Sample:
        return Sample()

    def states(self, sample: Sample) -> States | None:
        """A copy of a sample's cache."""
        batch = sample.batch
        if batch is None:
            return sample.states  # never written in place
        index, found = batch.rows.index(sample), {}
        for state in batch.request.query_state():
            row = state.state.data[index:index + 1]
            if (axis := self.model.lengths[state.name]) is not None:
                row = np.take(row, np.arange(batch.width - len(sample.tokens), batch.width), axis)
            found[state.name] = row.copy()
        return found

    def copy(self, origin: Cache, sample: Sample) -> Sample:
        return Sample(list(sample.tokens), None, origin.states(sample))

    def rewind(self, sample: Sample, n_tokens: int) -> None:
        states = self.states(sample) if n_tokens else None
        if states is not None and n_tokens < len(sample.tokens):
            if None in self.model.lengths.values():
                raise Unsupported("a recurrent state cannot be rewound")
            states = {name: np.take(row, np.arange(n_tokens), self.model.lengths[name]) for name, row in states.items()}
        sample.tokens, sample.batch, sample.states = sample.tokens[:n_tokens], None, states

    def append(self, members: list[Sample], tokens: list[list[int]], padded_width: int) -> list[np.ndarray]:
        """The logits [n, n_vocab] of the last n tokens of each member, n at least the number of its new ones."""
        outputs: list[np.ndarray] = [np.empty(0)] * len(members)
        try:
            for group in groups(members, tokens):
                found = self.evaluate([members[i] for i in group], [tokens[i] for i in group], padded_width)
                for i, rows in zip(group, found):
                    outputs[i] = rows
        except BaseException:  # the state of a request that failed is not known
            for sample in members:
                sample.forget()
            raise
        for sample, new in zip(members, tokens):
            sample.tokens += new
        return outputs

    def batch_of(self, members: list[Sample]) -> tuple[Batch, list[int]]:
        """The batch in which members go on, and their rows in it. Other samples of the batch take copies of theirs."""
        batch, states = members[0].batch, members[0].states
        if batch is not None and len(batch.rows) > 1 and len(members) == 1:
            batch, states = None, self.states(members[0])
        if batch is not None:
            for sample in batch.rows:
                if sample.batch is batch and sample not in members:
                    sample.states = self.states(sample)
                    sample.batch = None
            return batch, [batch.rows.index(sample) for sample in members]
        batch = Batch(self.model.compiled.create_infer_request())
        if states is not None:
            batch.width = len(members[0].tokens)
            for state in batch.request.query_state():
                state.state = openvino.Tensor(np.ascontiguousarray(states[state.name]))
        return batch, list(range(len(members)))

    def evaluate(self, members: list[Sample], tokens: list[list[int]], padded_width: int) -> list[np.ndarray]:
        batch, rows = self.batch_of(members)
        given = tokens if batch.width else [sample.tokens + new for sample, new in zip(members, tokens)]
        n = max(len(new) for new in given)
        n = n if batch.width else max(n, padded_width)
        total = batch.width + n
        mask = padded([[1] * (len(sample.tokens) + len(new)) for sample, new in zip(members, tokens)], total)
        batch.request.infer({
            "input_ids": padded(given, n),
            "attention_mask": mask,
            "position_ids": np.maximum(np.cumsum(mask, 1) - 1, 0)[:, -n:],
            "beam_idx": np.array(rows, np.int32),
        })
        batch.rows, batch.width = members, total
        for sample in members:
            sample.batch, sample.states = batch, None
        logits = batch.request.get_tensor("logits").data
        return [row[n - len(new):].copy() for row, new in zip(logits, given)]


def groups(members: list[Sample], tokens: list[list[int]]) -> list[list[int]]:
    """The indices of the members that are evaluated in one batch."""
    found: dict[object, list[int]] = {}
    for i, (sample, new) in enumerate(zip(members, tokens)):
        key: object = ("alone", i)
        if sample.batch is None and sample.states is None:
            key = "prompts"
        elif sample.batch is not None and len(new) == 1:
            key = id(sample.batch)
        found.setdefault(key, []).append(i)
    return list(found.values())


def padded(rows: list[list[int]], width: int) -> np.ndarray:
    return np.array([[0] * (width - len(row)) + row for row in rows], np.int64)
