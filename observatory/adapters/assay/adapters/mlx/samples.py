"""Samples of the mlx-vlm adapter: the tokens, images, cache and rope deltas of one, and one step of it."""

from __future__ import annotations

import copy
import inspect
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_vlm.generate.dispatch import _prefix_cache_trim_amount

from assay.engine import Tap
from assay.errors import Unsupported
from assay.requests import Item, Step

from .hooks import float32
from .processors import of_step, placeholder_ids
from .vlm_taps import tapped


@dataclass
class Sample:
    cache: list[Any]
    tokens: list[int] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    deltas: Any = None  # rope_deltas [1, 1] of M-RoPE
    positions: Any = None  # of the prompt, where the language model keeps them

    def copy(self) -> Sample:
        """Arrays of mlx are immutable, and the copied cache refers to its own: what is written to one is not seen in the other."""
        return Sample(copy.deepcopy(self.cache), list(self.tokens), list(self.items), self.deltas, self.positions)


def blocks_of_images(model: Any) -> bool:
    """Whether tokens of an image attend to each other, so that a mask needs the kinds of the tokens."""
    return getattr(getattr(model.config, "text_config", None), "use_bidirectional_attention", None) == "vision"


def check(model: Any, sample: Sample, step: Step) -> None:
    """mlx-vlm embeds all images of a prompt in one call, and goes on after a cached prefix with text alone
    (`_apc_suffix_is_text_only`). Placeholder tokens of a sample without images are tokens like others, unless masks depend on them."""
    if step.positions is not None:
        raise Unsupported("positions are not supported")
    ids = placeholder_ids(model.config)
    given = {item.kind for item in step.items}
    if given - set(ids):
        raise Unsupported(f"items of kind {', '.join(sorted(given - set(ids)))} are not supported by this model")
    found = {kind for kind, token in ids.items() if token in step.tokens}
    if sample.tokens and step.items:
        raise Unsupported("images after the first step of a sample are not supported: mlx-vlm embeds those of a prompt in one call")
    if sample.tokens and found and (sample.items or blocks_of_images(model)):
        raise Unsupported("placeholder tokens of images after the first step of a sample are not supported")
    for kind in given:
        n_tokens, wanted = step.tokens.count(ids[kind]), placeholders(model, kind, step.items)
        if wanted is not None and n_tokens < wanted:
            raise Unsupported("a step that divides the placeholder tokens of an item is not supported")


def placeholders(model: Any, kind: str, items: list[Item]) -> int | None:
    """How many placeholder tokens the items of a kind have; None if neither they nor their grids say it."""
    mine = [item for item in items if item.kind == kind]
    if all(item.n_tokens for item in mine):
        return sum(item.n_tokens for item in mine)
    merge = getattr(model.config.vision_config, "spatial_merge_size", None)
    grids = [item.tensors[f"{kind}_grid_thw"] for item in mine if f"{kind}_grid_thw" in item.tensors]
    if merge is None or len(grids) < len(mine):
        return None
    return sum(int(np.prod(row)) for grid in grids for row in grid) // int(merge) ** 2


def first_inputs(model: Any, ids: Any, given: dict[str, np.ndarray]) -> dict[str, Any]:
    """The language model's inputs for a prompt, beside its tokens, as generate_step makes them."""
    others = {name: mx.array(array) if isinstance(array, np.ndarray) else array for name, array in given.items()}
    pixels = others.pop("pixel_values", None)
    embedded = model.get_input_embeddings(ids, pixels, mask=mx.ones(ids.shape, dtype=mx.int32), **others)
    return others | {name: value for name, value in embedded.to_dict().items() if value is not None}


def evaluate(model: Any, sample: Sample, step: Step, tap: Tap | None) -> np.ndarray:
    """Appends the tokens of a step; returns the logits [at least n_last, V]. A tap wants all rows."""
    language, ids = model.language_model, mx.array([step.tokens])
    given = {} if sample.tokens else of_step(model.config, step)
    with tapped(model, step.sample, tap, given):
        if sample.tokens:
            for name, value in (("_position_ids", sample.positions), ("_rope_deltas", sample.deltas)):
                if hasattr(language, name):
                    setattr(language, name, value)
            inputs = {} if sample.deltas is None else {"rope_deltas": sample.deltas}
        else:
            inputs = first_inputs(model, ids, given)
        kept = len(step.tokens) if tap else max(1, step.n_last)
        out = language(ids, cache=sample.cache, logits_to_keep=kept, **inputs)
        rows = float32(out.logits[0])
    if not sample.tokens:  # PaddleOCR-VL does not return them
        sample.deltas = inputs.get("rope_deltas", getattr(language, "_rope_deltas", None))
        sample.positions = getattr(language, "_position_ids", None)
    sample.tokens += step.tokens
    sample.items += step.items
    return rows


def rewound(model: Any, sample: Sample, n_tokens: int) -> Sample:
    """A copy with its first tokens alone. Raises Unsupported where mlx-vlm would compute the prompt again."""
    found = sample.copy()
    ids = set(placeholder_ids(model.config).values())
    places = [i for i, token in enumerate(found.tokens) if token in ids] if found.items else []
    if n_tokens and places and places[0] < n_tokens <= places[-1]:
        raise Unsupported("a rewind between or into images is not supported")
    n_drop = _prefix_cache_trim_amount(found.cache, n_tokens)
    if n_drop is None:
        raise Unsupported("a cache that cannot be trimmed, or has dropped keys, cannot be rewound")
    for one in found.cache:
        if n_drop and one.trim(n_drop) != n_drop:
            raise Unsupported(f"trim did not remove {n_drop} tokens")
    if places and n_tokens <= places[0]:
        found.items, found.deltas = [], None if found.deltas is None else mx.zeros_like(found.deltas)
    del found.tokens[n_tokens:]
    found.positions = None  # the deltas say where other tokens are
    return found


def first_positions(model: Any, step: Step) -> tuple[np.ndarray, int]:
    """([1 or 3, n], rope_deltas) of a sample that begins with this step."""
    index = getattr(model.language_model, "get_rope_index", None)
    if index is None or "video_grid_thw" not in inspect.signature(index).parameters:
        raise Unsupported("the positions of this model are not made by get_rope_index")
    grids = {name: mx.array(array) for name, array in of_step(model.config, step).items() if name.endswith("_grid_thw")}
    ids = mx.array([step.tokens])
    found, deltas = index(ids, grids.get("image_grid_thw"), grids.get("video_grid_thw"), mx.ones(ids.shape, dtype=mx.int32))
    axes = np.array(found).reshape(-1, len(step.tokens))
    return axes, int(np.array(deltas).reshape(-1)[0])
