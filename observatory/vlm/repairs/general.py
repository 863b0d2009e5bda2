"""Repairs of mlx-vlm: each changes one behaviour of the installed package while it is in use, which shows that the
behaviour is the cause of a divergence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

Repair = Callable[[Config], Any]  # of a checkpoint's config: a context


def base_of(family: str) -> str:
    """The family whose classes a family inherits."""
    return "qwen3_5" if family == "qwen3_5_moe" else family


def deepstack_by_token(config: Config) -> Any:
    """The features of DeepStack follow the tokens that they belong to: in the batch generator, as an array
    [B, T, layers, D] that is padded, joined and sliced as the embeddings are."""
    from mlx_vlm.generate import ar
    language = module(config["model_type"], "language").LanguageModel

    def spread(row: dict, length: int) -> dict:
        layers = row.get("deepstack_visual_embeds")
        here = row.get("visual_pos_masks")
        if here is None:
            here = mx.zeros((1, length), dtype=mx.bool_)
        width = row["inputs_embeds"].shape[-1]
        n_layers = len(config["vision_config"]["deepstack_visual_indexes"])
        dense = np.zeros((1, length, n_layers, width), np.float32)
        if layers is not None:
            dense[0, np.flatnonzero(np.array(here)[0])] = np.stack([np.array(layer) for layer in layers], 1)
        return row | {"visual_pos_masks": here, "deepstack_visual_embeds": mx.array(dense)}

    def merge(original, rows, input_ids):
        return original([spread(row, len(ids)) for row, ids in zip(rows, input_ids)], input_ids)

    def call(original, self, inputs, *args, deepstack_visual_embeds=None, visual_pos_masks=None, **kwargs):
        if isinstance(deepstack_visual_embeds, mx.array) and deepstack_visual_embeds.ndim == 4:
            dense = np.array(deepstack_visual_embeds)[np.array(visual_pos_masks)]
            deepstack_visual_embeds = [mx.array(dense[:, k]) for k in range(dense.shape[1])] if len(dense) else None
        return original(self, inputs, *args, deepstack_visual_embeds=deepstack_visual_embeds,
                        visual_pos_masks=visual_pos_masks, **kwargs)

    return both(wrapped(ar, "_merge_prefill_prompt_kwargs", merge), wrapped(language, "__call__", call))


def deepstack_of_rows(config: Config) -> Any:
    """batch_generate gives each row of a batch the DeepStack features of its own images."""
    from mlx_vlm.generate import ar

    def split(original, given, batch_size):
        rows, layers = original(given, batch_size), given.get("deepstack_visual_embeds")
        if layers is not None:
            counts = np.array(given["visual_pos_masks"].sum(axis=1)).tolist()
            ends = np.cumsum(counts).tolist()
            for row, count, end in zip(rows, counts, ends):
                row["deepstack_visual_embeds"] = [layer[end - count:end] for layer in layers]
        return rows

    return wrapped(ar, "_split_prompt_kwargs_per_row", split)


@contextlib.contextmanager
def both(*contexts: Any) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def activation(owner: Any, function: Callable) -> Any:
    """Another activation in every instance of a class."""
    def make(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.act_fn = function
    return wrapped(owner, "__init__", make)


def moe_activations(config: Config) -> Any:
    """Qwen3-VL with experts: the tanh form in the tower's MLP, the exact form in the mergers."""
    vision = module("qwen3_vl_moe", "vision")
    return both(activation(vision.MLP, nn.gelu_approx), activation(vision.PatchMerger, nn.gelu))


FUNCTIONS = {"silu": nn.silu, "gelu": nn.gelu, "gelu_pytorch_tanh": nn.gelu_approx, "relu": nn.relu,
             "quick_gelu": lambda x: x * mx.sigmoid(1.702 * x)}


def tower_activation(config: Config) -> Any:
    """The tower's MLP uses the activation of the config."""
    tower = config["vision_config"]
    function = FUNCTIONS[tower.get("hidden_activation") or tower.get("hidden_act")]
    vision = module(config["model_type"], "vision")
    if config["model_type"] == "gemma4":
        return wrapped(vision.VisionMLP, "__call__", lambda _, self, x: self.down_proj(
            function(self.gate_proj(x)) * self.up_proj(x)))
    if config["model_type"] in ("qwen2_vl", "paddleocr_vl"):
        return wrapped(vision.MLP, "__call__", lambda _, self, x: self.fc2(function(self.fc1(x))))
    return wrapped(vision.MLP, "__call__", lambda _, self, x: self.down_proj(
        function(self.gate_proj(x)) * self.up_proj(x)))


def causal_full_attention(config: Config) -> Any:
    """Gemma 4: blocks of image tokens in sliding layers only."""
    text = module("gemma4", "language").Gemma4TextModel

    def make(original, self, h, cache, mm_token_type_ids=None):
        blocks, causal = original(self, h, cache, mm_token_type_ids), original(self, h, cache, None)
        return [plain if layer.layer_type == "full_attention" else block
                for layer, block, plain in zip(self.layers, blocks, causal)]

    return wrapped(text, "_make_masks", make)


def merge_size(config: Config) -> Any:
    """Qwen2-VL, Qwen2.5-VL: the merger concatenates as many patches as the config says."""
    merger = module(config["model_type"], "vision").PatchMerger
    size = config["vision_config"]["spatial_merge_size"]
    return wrapped(merger, "__init__", lambda original, self, *args, **kwargs: original(
        self, *args, spatial_merge_size=size, **kwargs))


def attention_biases(config: Config) -> Any:
    """Qwen3-VL: biases of the attention."""
    def make(original, self, args):
        original(self, args)
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            width_out, width_in = self[name].weight.shape
            self[name] = nn.Linear(width_in, width_out, bias=True)
    return wrapped(module(config["model_type"], "language").Attention, "__init__", make)


def limited_caches(config: Config) -> Any:
    """A model with a make_cache of its own: the capacity holds for its caches of keys and values."""
    from mlx_vlm.models import cache as caches

    def make(original, model, max_kv_size=None):
        made = original(model, max_kv_size)
        return [caches.RotatingKVCache(max_size=max_kv_size, keep=4)
                if max_kv_size and isinstance(one, caches.KVCache) else one for one in made]

    return wrapped(caches, "make_prompt_cache", make)


def wide_norms(config: Config) -> Any:
    """Qwen3.5: 1 is added to the weights of norms in float32."""
    def widen(original, self, weights):
        return original(self, {name: array.astype(mx.float32) if name.endswith("norm.weight") else array
                               for name, array in weights.items()})
    family = config["model_type"]
    return wrapped(module(family, family).Model, "sanitize", widen)


def older_rope(config: Config) -> Any:
    """Qwen3.5: rope_theta, rope_scaling and partial_rotary_factor, where there is no rope_parameters."""
    def read(original, params):
        if "rope_parameters" not in params and "rope_theta" in params:
            params = params | {"rope_parameters": {"type": "default"} | params.get("rope_scaling", {}) | {
                name: params[name] for name in ("rope_theta", "partial_rotary_factor") if name in params}}
        return original(params)
    return wrapped(module(config["model_type"], "config").TextConfig, "from_dict", read)


def deltas_of_tokens(config: Config) -> Any:
    """Prompts without images: the delta of decode counts tokens, as the generator's caches do, without padding."""
    language = module(base_of(config["model_type"]), "language").LanguageModel

    def index(original, self, input_ids, image_grid_thw=None, video_grid_thw=None, attention_mask=None):
        positions, deltas = original(self, input_ids, image_grid_thw, video_grid_thw, attention_mask)
        if image_grid_thw is None and video_grid_thw is None and attention_mask is not None:
            deltas = positions.max(axis=-1, keepdims=True) + 1 - attention_mask.sum(axis=-1, keepdims=True)
        return positions, deltas

    return wrapped(language, "get_rope_index", index)


def deltas_by_cache(config: Config) -> Any:
    """The rope deltas of a prompt belong to its cache, not to the model."""
    language = module(base_of(config["model_type"]), "language").LanguageModel
    deltas: dict[int, Any] = {}

    def call(original, self, *args, cache=None, rope_deltas=None, **kwargs):
        rope_deltas = deltas.setdefault(id(cache[0]), rope_deltas)
        return original(self, *args, cache=cache, rope_deltas=rope_deltas, **kwargs)

    return wrapped(language, "__call__", call)
