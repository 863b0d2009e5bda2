"""The published eager attention, in blocks of rows, and to keys and values that a cache has rounded. Neither changes what is in the published files for
longer than a pass."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch
from torch import nn
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

from ..formats.rounding import Rounder

SCORES_BYTES = 1 << 28  # of a block of rows of all heads, of which the published code has a few at a time
EAGER = "eager"


def files_of(model: nn.Module) -> set[ModuleType]:
    """The published files that have modules of the model, and an eager attention."""
    found = {sys.modules[type(module).__module__] for module in model.modules()}
    return {file for file in found if hasattr(file, "eager_attention_forward")}


@contextlib.contextmanager
def replaced(model: nn.Module, wrap: Callable[[Callable], Callable]) -> Iterator[None]:
    """Inside, the eager attention of the model is `wrap` of the published one."""
    before = {file: file.eager_attention_forward for file in files_of(model)}
    for file, published in before.items():
        file.eager_attention_forward = wrap(published)
    try:
        yield
    finally:
        for file, published in before.items():
            file.eager_attention_forward = published


def cached(rounder: Rounder) -> Callable[[Callable], Callable]:
    """Attention to keys and values as a cache keeps them."""
    def wrap(published: Callable) -> Callable:
        def forward(layer: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            return published(layer, query, rounder(key), rounder(value), *args, **kwargs)
        return forward
    return wrap


class MaskRows:
    """A mask [batch, 1, rows, keys] whose rows are made by the published code when they are asked for. To code that uses it otherwise it is the whole."""

    def __init__(self, published: Callable, n_rows: int, first: int, said: dict[str, Any]):
        self.published, self.n_rows, self.first, self.said = published, n_rows, first, said

    def rows(self, begin: int, end: int) -> torch.Tensor | None:
        return self.published(q_length=end - begin, q_offset=self.first + begin, **self.said)

    def __getitem__(self, index: Any) -> torch.Tensor:
        return self.rows(0, self.n_rows)[index]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows(0, self.n_rows), name)


def in_rows(published: Callable) -> Callable:
    def make(q_length: int, q_offset: int = 0, **said: Any) -> MaskRows:
        return MaskRows(published, q_length, q_offset, said)
    return make


def in_blocks(published: Callable) -> Callable:
    """Attention of blocks of rows, one after the other."""
    def forward(layer: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Any, *args: Any, **kwargs: Any) -> Any:
        n, step = query.shape[2], max(1, SCORES_BYTES // (query.shape[1] * key.shape[2] * query.element_size()))
        parts = []
        for begin in range(0, n, step):
            end = min(n, begin + step)
            rows = mask.rows(begin, end) if isinstance(mask, MaskRows) else None if mask is None else mask[..., begin:end, :]
            parts.append(published(layer, query[:, :, begin:end], key, value, rows, *args, **kwargs)[0])
        return torch.cat(parts, dim=1), None
    return forward


def is_large(model: nn.Module, n_tokens: int, dtype: torch.dtype) -> bool:
    """Whether the scores of all heads for a prompt are more than a block; False where attention is code of the model's own."""
    config = model.config.get_text_config()
    heads = getattr(config, "num_attention_heads", 0)
    return bool(files_of(model)) and isinstance(heads, int) and heads * n_tokens ** 2 * dtype.itemsize > SCORES_BYTES


@contextlib.contextmanager
def blocked(model: nn.Module) -> Iterator[None]:
    """Inside, attention and its masks are computed in blocks of rows."""
    masks = ALL_MASK_ATTENTION_FUNCTIONS._global_mapping
    before = masks[EAGER]
    masks[EAGER] = in_rows(before)
    try:
        with replaced(model, in_blocks):
            yield
    finally:
        masks[EAGER] = before
