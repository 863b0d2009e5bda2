"""Batches of the transformers adapter. A sample owns a row of the cache of the last batch that it was in. A batch whose samples
are those of the cache, in its order, goes on with that cache, as generate() does; otherwise rows are taken out of the caches in
which they are, and left-padded into a new one. No tensor of a cache is changed in place while a sample refers to it.
"""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from assay.engine import StepOptions
from assay.errors import Invalid, Unsupported
from assay.requests import Item, Step

from . import shared
from .transformers_taps import taps

PLACEHOLDERS = ("image", "video", "audio")


@dataclass
class Row:
    """A row of a batch's cache of `width` columns, whose sample has `n_tokens` tokens at the right end."""

    cache: DynamicCache
    index: int
    n_rows: int
    width: int
    n_tokens: int


@dataclass
class Sample:
    tokens: list[int] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    row: Row | None = None
    delta: torch.Tensor | None = None  # rope_deltas [1, 1] of M-RoPE

    def copy(self) -> Sample:
        return replace(self, tokens=list(self.tokens), items=list(self.items))

    def rewound(self, config: Any, n_tokens: int) -> Sample:
        """Raises Unsupported if the cache does not hold what it held after n_tokens tokens."""
        if n_tokens == len(self.tokens):
            return self
        if n_tokens == 0:
            return Sample()
        assert self.row is not None
        placeholders = [i for i, token in enumerate(self.tokens) if token in placeholder_ids(config).values()]
        kept = self.items and placeholders and placeholders[-1] < n_tokens
        if self.items and placeholders and not kept and placeholders[0] < n_tokens:
            raise Unsupported("a rewind between or into images is not supported")
        layers = [row_of_layer(layer, self.row) for layer in self.row.cache.layers]
        for layer in layers:
            crop(layer, len(self.tokens), n_tokens)
        items, delta = (self.items, self.delta) if kept else ([], None)
        return Sample(self.tokens[:n_tokens], list(items), Row(cache_of(layers), 0, 1, n_tokens, n_tokens), delta)


def placeholder_ids(config: Any) -> dict[str, int]:
    found = {kind: getattr(config, f"{kind}_token_id", None) for kind in PLACEHOLDERS}
    return {kind: token for kind, token in found.items() if token is not None}


# ---- Caches ----

def cache_of(layers: list[Any]) -> DynamicCache:
    cache = DynamicCache()
    cache.layers, cache.layer_class_to_replicate = layers, None
    return cache


def has_keys(layer: Any) -> bool:
    return getattr(layer, "keys", None) is not None and layer.keys.numel() > 0


def states_of(layer: Any) -> list[str]:
    """The names of the states of a recurrent layer: dicts of tensors [rows, ...]."""
    return [name for name in ("conv_states", "recurrent_states") if hasattr(layer, name)]


def row_of_layer(layer: Any, row: Row) -> Any:
    """A layer with one row, without padding; shares no tensor that is changed in place."""
    one = copy.copy(layer)
    for name, value in vars(layer).items():
        if isinstance(value, dict):
            setattr(one, name, dict(value))
    if has_keys(layer):
        n = min(row.n_tokens, layer.keys.shape[-2])
        one.keys, one.values = (tensor[row.index:row.index + 1, :, tensor.shape[-2] - n:] for tensor in (layer.keys, layer.values))
        if hasattr(layer, "cumulative_length"):
            one.cumulative_length = row.n_tokens
    for name in states_of(layer):
        setattr(one, name, {i: None if state is None else state[row.index:row.index + 1].clone()
                            for i, state in getattr(layer, name).items()})
    return one


def joined_layer(rows: list[Any]) -> Any:
    """One layer of several rows, padded on the left."""
    layer = rows[0]
    if has_keys(layer):
        width = max(row.keys.shape[-2] for row in rows)
        for name in ("keys", "values"):
            tensors = [getattr(row, name) for row in rows]
            setattr(layer, name, torch.cat([torch.nn.functional.pad(t, (0, 0, width - t.shape[-2], 0)) for t in tensors]))
        if hasattr(layer, "cumulative_length"):
            layer.cumulative_length = max(row.cumulative_length for row in rows)
    for name in states_of(layer):
        setattr(layer, name, {i: None if state is None else torch.cat([getattr(row, name)[i] for row in rows])
                              for i, state in getattr(layer, name).items()})
    return layer


def crop(layer: Any, n_before: int, n_tokens: int) -> None:
    if states_of(layer):
        raise Unsupported("a recurrent state cannot be rewound")
    if not has_keys(layer):
        return
    if layer.keys.shape[-2] != n_before:
        raise Unsupported("a sliding cache that has dropped keys cannot be rewound")
    layer.crop(n_tokens - n_before)
    if hasattr(layer, "cumulative_length"):
        layer.cumulative_length = n_tokens


def cache_for(model: torch.nn.Module, samples: list[Sample]) -> tuple[DynamicCache, int]:
    """The cache of a batch of these samples, which the batch may change, and its number of columns."""
    rows = [sample.row for sample in samples]
    if rows[0] is None:
        return DynamicCache(config=model.config), 0
    first = rows[0]
    whole = all(row.cache is first.cache and row.index == i for i, row in enumerate(rows)) and len(rows) == first.n_rows
    if whole:  # a shallow copy of its layers: attention replaces its tensors, recurrent states are written in place
        layers = [copy.copy(layer) for layer in first.cache.layers]
        for layer in layers:
            for name, value in vars(layer).items():
                if isinstance(value, dict):
                    setattr(layer, name, {i: v.clone() if isinstance(v, torch.Tensor) else v for i, v in value.items()})
        return cache_of(layers), first.width
    split = [[row_of_layer(layer, row) for layer in row.cache.layers] for row in rows]
    joined = [joined_layer([layers[i] for layers in split]) for i in range(len(split[0]))]
    return cache_of(joined), max(row.n_tokens for row in rows)


# ---- One batch ----

def check_items(config: Any, sample: Sample, step: Step) -> None:
    """Items come with their placeholder tokens. Those of a sample without items are tokens like others, as published."""
    if step.positions is not None:
        raise Unsupported("positions are not supported")
    ids = placeholder_ids(config)
    found = {kind for kind, token in ids.items() if token in step.tokens}
    given = {item.kind for item in step.items}
    if given - set(ids):
        raise Unsupported(f"items of kind {', '.join(sorted(given - set(ids)))} are not supported by this model")
    if any(item.kind in found - given for item in sample.items):
        raise Unsupported("a step that divides the placeholder tokens of an item is not supported")
    both = sample.tokens[-1:] + step.tokens[:1]
    if blocks_of_images(config) and len(both) == 2 and set(both) <= set(ids.values()):
        raise Unsupported("a step that continues a block of tokens which attend to each other is not supported")
    for kind in given & found:
        n_tokens, n_placeholders = step.tokens.count(ids[kind]), n_placeholders_of(config, kind, step.items)
        if n_placeholders is not None and n_tokens < n_placeholders:
            raise Unsupported("a step that divides the placeholder tokens of an item is not supported")
        if n_placeholders is not None and n_tokens > n_placeholders:
            raise Invalid(f"sample {step.sample}: {n_tokens} placeholder tokens of kind {kind}; its items have {n_placeholders}")
    if given - found:
        raise Invalid(f"sample {step.sample}: items of kind {', '.join(sorted(given - found))} without placeholder tokens")


def n_placeholders_of(config: Any, kind: str, items: list[Item]) -> int | None:
    """How many placeholder tokens the grids of the items of a kind ask for; None if they have no grids."""
    grids = [item.tensors.get(f"{kind}_grid_thw") for item in items if item.kind == kind]
    merge = getattr(config.vision_config, "spatial_merge_size", None)
    if any(grid is None for grid in grids) or merge is None:
        return None
    more = config.model_type == "hunyuan_vl"  # the ends of rows and two marks around an image are placeholders, too
    return sum(int(t * (h // merge) * (w // merge + more) + 2 * more) for grid in grids for t, h, w in grid)  # type: ignore[union-attr]


def media(items: list[Item]) -> dict[str, torch.Tensor]:
    """The tensors of all items, as a processor returns them for a batch."""
    names = dict.fromkeys(name for item in items for name in item.tensors)
    found = {}
    for name in names:
        arrays = [item.tensors[name] for item in items if name in item.tensors]
        array = shared.padded(arrays) if name in shared.AUDIO else np.concatenate(arrays)
        found[name] = torch.from_numpy(array).to(torch.float32 if array.dtype.kind == "f" else torch.int64)
    return found


def padded(rows: list[list[int]], width: int, value: int = 0) -> torch.Tensor:
    return torch.tensor([[value] * (width - len(row)) + row for row in rows], dtype=torch.int64)


def kinds(config: Any, rows: list[list[int]]) -> list[list[int]]:
    """mm_token_type_ids, as the published processors make them."""
    ids = {token: number for number, token in enumerate(map(placeholder_ids(config).get, PLACEHOLDERS), 1) if token is not None}
    return [[ids.get(token, 0) for token in row] for row in rows]


def expert_kinds(config: Any, rows: torch.Tensor) -> torch.Tensor:
    """moe_mm_token_type_ids, as the published processor makes them: those of images and videos with their marks."""
    from transformers.models.ernie4_5_vl_moe.processing_ernie4_5_vl_moe import Ernie4_5_VLMoeProcessor
    names = [f"{kind}{part}" for kind in ("image", "video") for part in ("_token", "_start_token", "_end_token")]
    processor = SimpleNamespace(**{f"{name}_id": getattr(config, f"{name}_id") for name in names})
    return torch.tensor(Ernie4_5_VLMoeProcessor.create_moe_mm_token_type_ids(processor, rows.tolist()), dtype=torch.int64)


def audio_in_videos(config: Any, members: list[Sample]) -> bool:
    """Whether the videos have audio clips: the mark of an audio clip's beginning follows that of theirs. The published class of Qwen3-Omni is
    told it for all at once, and places videos without audio clips as text then."""
    marks = [getattr(config, f"{name}_start_token_id", None) for name in ("vision", "audio")]
    n_videos = sum(item.kind == "video" for sample in members for item in sample.items)
    if None in marks or n_videos == 0:
        return False
    n_heard = sum([*pair] == marks for sample in members for pair in zip(sample.tokens, sample.tokens[1:]))
    if n_heard not in (0, n_videos):
        raise Unsupported("videos with and without audio in one batch are not supported by this model")
    return n_heard > 0


def positions(model: torch.nn.Module, members: list[Sample], cache: DynamicCache, everything: dict[str, Any], n: int) -> torch.Tensor:
    """position_ids of the last n columns, from the published method of generate(), which keeps rope_deltas in the model."""
    if hasattr(model.model, "rope_deltas"):
        deltas = [torch.zeros(1, 1, dtype=torch.int64) if s.delta is None else s.delta for s in members]
        model.model.rope_deltas = torch.cat(deltas) if cache.get_seq_length() else None
    prepared = model._prepare_position_ids_for_generation(everything["input_ids"], {**everything, "past_key_values": cache})
    if (deltas := getattr(model.model, "rope_deltas", None)) is not None:
        for i, sample in enumerate(members):
            sample.delta = deltas[i:i + 1].clone() if len(deltas) == len(members) else deltas.clone()
    return prepared[..., -n:]


def inputs_of(model: torch.nn.Module, members: list[Sample], steps: list[Step], n: int,
              total: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The model's inputs for the new tokens, in n columns, and for all tokens, in `total`, of which positions are made."""
    rows = [sample.tokens for sample in members]
    inputs: dict[str, Any] = {"input_ids": padded([step.tokens for step in steps], n),
                              "attention_mask": padded([[1] * len(row) for row in rows], total)}
    everything = {**inputs, "input_ids": padded(rows, total)}
    if "moe_mm_token_type_ids" in inspect.signature(model.forward).parameters:
        inputs["moe_mm_token_type_ids"] = expert_kinds(model.config, inputs["input_ids"])
    if placeholder_ids(model.config):
        typed = padded(kinds(model.config, rows), total)
        if any(item for sample in members for item in sample.items) or blocks_of_images(model.config):
            everything |= {"mm_token_type_ids": typed, **media([i for s in members for i in s.items])}
            if audio_in_videos(model.config, members):
                everything["use_audio_in_video"] = True
            inputs |= media([i for step in steps for i in step.items])
            if n == total or bool(typed[:, -n:].any()):  # masks of blocks read them from the first column on; decode has none
                inputs["mm_token_type_ids"] = typed if blocks_of_images(model.config) else typed[:, -n:]
    return inputs, everything


def first_positions(model: torch.nn.Module, step: Step, n_axes: int) -> tuple[np.ndarray, int]:
    """([1 or n_axes, n], rope_deltas) of a sample that begins with this step; most published methods return the positions of a text
    before those of the axes."""
    sample = Sample(list(step.tokens), list(step.items))
    n = len(step.tokens)
    _, everything = inputs_of(model, [sample], [step], n, n)
    found = positions(model, [sample], DynamicCache(config=model.config), everything, n).numpy()
    axes = found[-n_axes:, 0] if found.ndim == 3 else found[:1]
    return axes, int(axes.max()) + 1 - n if sample.delta is None else int(sample.delta)


def evaluate(model: torch.nn.Module, samples: dict[int, Sample], steps: list[Step], options: StepOptions) -> dict[int, np.ndarray]:
    """Appends tokens to samples, either all without tokens, or all with some and equally many new ones; returns the logits by
    sample. Leaves the samples of a batch that fails to the caller."""
    members = [samples[step.sample].copy() for step in steps]
    for sample, step in zip(members, steps):
        check_items(model.config, sample, step)
    cache, width = cache_for(model, members)
    n = max(len(step.tokens) for step in steps)
    if not members[0].tokens:
        n = max(n, options.padded_width)
    for sample, step in zip(members, steps):
        sample.tokens += step.tokens
        sample.items += step.items
    total = width + n
    inputs, everything = inputs_of(model, members, steps, n, total)
    inputs["position_ids"] = positions(model, members, cache, everything, n)
    # layers that share keys evaluate these rows alone, as Gemma 4 does: a tap wants all of them
    kept = n if options.tap else max(1, *(step.n_last for step in steps), 0)
    with taps(model, options.tap, steps, n):
        try:
            out = model(**inputs, past_key_values=cache, use_cache=True, logits_to_keep=kept)
        except ValueError as error:
            if "do not match" in str(error):
                raise Unsupported(f"a step that divides the placeholder tokens of an item is not supported: {error}") from error
            raise
    for i, (sample, step) in enumerate(zip(members, steps)):
        sample.row = Row(out.past_key_values, i, len(steps), total, len(sample.tokens))
        samples[step.sample] = sample
    logits = out.logits.float().numpy()
    return {step.sample: logits[i, logits.shape[1] - step.n_last:].copy() for i, step in enumerate(steps) if step.n_last}


def blocks_of_images(config: Any) -> bool:
    """Whether tokens of an image attend to each other, so that a mask needs the kinds of the tokens."""
    text = config.get_text_config()
    return text is not config and getattr(text, "use_bidirectional_attention", None) == "vision"
