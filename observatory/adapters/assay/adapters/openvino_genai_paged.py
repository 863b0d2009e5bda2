"""A model with paged attention, and the blocks of its cache. The runtime takes the cache as inputs [n_blocks, ...] of each layer, which it
writes in place, and for each sample of a batch the list of its blocks: no padding, no mask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openvino
from openvino._offline_transformations import paged_attention_transformation

from assay.errors import Unsupported

CACHES = ("key_cache.", "value_cache.")
FIRST_BLOCKS = 16


@dataclass
class Sample:
    """n_tokens: how many the cache holds, in `blocks`, of which the last may have room left."""

    n_tokens: int = 0
    blocks: list[int] = field(default_factory=list)


class Model:
    def __init__(self, path: Path, properties: dict[str, Any]):
        """The transformations of GenAI's ContinuousBatchingImpl, but for the one that keeps the last rows of logits."""
        core = openvino.Core()
        model = core.read_model(path)
        try:
            paged_attention_transformation(model, allow_score_aggregation=True)
        except RuntimeError as error:
            raise Unsupported(f"SDPAToPagedAttention: {str(error).splitlines()[-1]:.300}") from error
        self.compiled = core.compile_model(model, "CPU", properties)
        self.inputs = {port.any_name for port in self.compiled.inputs}
        self.caches = {port.any_name: port for port in self.compiled.inputs if port.any_name.startswith(CACHES)}
        shape = next(port for name, port in self.caches.items() if name.startswith("key_cache.")).partial_shape
        self.block_size = shape[2].get_length()
        self.n_vocab = self.compiled.output("logits").partial_shape[-1].get_length()


class Cache:
    """The samples of a session: an inference request and the blocks that they own."""

    def __init__(self, model: Model):
        self.model, self.request = model, model.compiled.create_infer_request()
        self.caches: dict[str, openvino.Tensor] = {}
        self.free: list[int] = []
        self.n_blocks = 0

    def sample(self) -> Sample:
        return Sample()

    def grow(self, n_blocks: int) -> None:
        for name, port in self.model.caches.items():
            shape = [n_blocks, *(size.get_length() for size in list(port.partial_shape)[1:])]
            tensor = openvino.Tensor(port.element_type, openvino.Shape(shape))
            contents(tensor)[:] = 0
            if self.n_blocks:
                contents(tensor)[:self.n_blocks] = contents(self.caches[name])
            self.caches[name] = tensor
            self.request.set_tensor(name, tensor)
        self.free += range(self.n_blocks, n_blocks)
        self.n_blocks = n_blocks

    def reserve(self, sample: Sample, n_tokens: int) -> None:
        """Gives a sample the blocks for n_tokens tokens."""
        more = -(-n_tokens // self.model.block_size) - len(sample.blocks)
        if more > len(self.free):
            self.grow(max(FIRST_BLOCKS, 2 * self.n_blocks, self.n_blocks + more))
        for _ in range(more):
            sample.blocks.append(self.free.pop(0))

    def rewind(self, sample: Sample, n_tokens: int) -> None:
        n_blocks = -(-n_tokens // self.model.block_size)
        self.free += sample.blocks[n_blocks:]
        sample.n_tokens, sample.blocks = n_tokens, sample.blocks[:n_blocks]

    def copy(self, origin: Cache, sample: Sample) -> Sample:
        """A sample like one of another session of the same model, or of this one, with blocks of its own."""
        made = Sample(sample.n_tokens)
        self.reserve(made, sample.n_tokens)
        for name in self.model.caches if made.blocks else ():
            contents(self.caches[name])[made.blocks] = contents(origin.caches[name])[sample.blocks[:len(made.blocks)]]
        return made

    def append(self, members: list[Sample], tokens: list[list[int]], padded_width: int) -> list[np.ndarray]:
        """One batch; padded_width has no meaning here. The logits [n, n_vocab] of the new tokens of each member."""
        lengths = [sample.n_tokens + len(new) for sample, new in zip(members, tokens)]
        for sample, length in zip(members, lengths):
            self.reserve(sample, length)
        inputs = {
            "input_ids": np.concatenate([np.array(new, np.int64) for new in tokens]),
            "position_ids": np.concatenate([np.arange(s.n_tokens, n, dtype=np.int64) for s, n in zip(members, lengths)]),
            "past_lens": np.array([sample.n_tokens for sample in members], np.int32),
            "subsequence_begins": begins([len(new) for new in tokens]),
            "block_indices": np.array([block for sample in members for block in sample.blocks], np.int32),
            "block_indices_begins": begins([len(sample.blocks) for sample in members]),
            "max_context_len": np.array(max(lengths), np.int32),
            "score_aggregation_window": np.zeros(len(members), np.int32),
        }
        self.request.infer({name: value for name, value in inputs.items() if name in self.model.inputs})
        for sample, length in zip(members, lengths):
            sample.n_tokens = length
        logits = self.request.get_tensor("logits").data.reshape(-1, self.model.n_vocab)
        ends = begins([len(new) for new in tokens])
        return [logits[first:end].copy() for first, end in zip(ends, ends[1:])]


def begins(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)


def contents(tensor: openvino.Tensor) -> np.ndarray:
    """The bytes of a tensor [n_blocks, bytes of a block]: numpy has no bfloat16."""
    found: np.ndarray = tensor.data.view(np.uint8).reshape(tensor.shape[0], -1)
    return found
