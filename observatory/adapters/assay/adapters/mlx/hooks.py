"""Tensors of models of mlx-lm and mlx-vlm. mlx has no hooks, so __call__ of the classes of the wanted modules is replaced meanwhile.
The observers of observatory use this module, too."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import mlx.core as mx
import numpy as np

from assay.errors import Unsupported

# By id of a module: the module, the name of its first argument or None, and the name of its result or None.
Places = dict[int, tuple[Any, "str | None", "str | None"]]


def decoder(model: Any) -> Any:
    """The nested module that has embed_tokens, layers and norm."""
    while "embed_tokens" not in model:
        model = model["language_model"] if "language_model" in model else model["model"]
    return model


def mixer(layer: Any) -> Any:
    """The module of a layer that mixes tokens: attention, to tokens or to images, or a delta net."""
    return next(layer[name] for name in ("self_attn", "attn", "cross_attn", "linear_attn") if name in layer)


def text_places(text: Any, between: bool = False) -> Places:
    """The places of a decoder, by our names. between: features are added between layers (DeepStack), so that the result of a
    layer is the argument of what follows it."""
    norm = text["post_ln"] if "post_ln" in text else text.norm
    found: Places = {id(norm): (norm, None, "norm")}
    for index, layer in enumerate(text.layers):
        name = f"layer.{index:02d}"
        found[id(layer)] = layer, None if index else "embed", f"{name}.out"
        found[id(mixer(layer))] = mixer(layer), None, f"{name}.attn"
        found[id(layer.mlp)] = layer.mlp, None, f"{name}.mlp"
        if "experts" in layer:
            found[id(layer.experts)] = layer.experts, None, f"{name}.experts"
    if between:
        found[id(norm)] = norm, f"layer.{len(text.layers) - 1:02d}.out", "norm"
        for index, layer in enumerate(text.layers):
            found[id(layer)] = layer, f"layer.{index - 1:02d}.out" if index else "embed", None
    return found


def tower_places(model: Any) -> Places:
    """The places of the tower of a model of mlx-vlm, by our names; of a tower with other parts none."""
    tower = getattr(model, "vision_tower", getattr(model, "visual", None))
    if tower is None and "vision" in model and "proj_mlp" in model.vision:  # Moondream 3
        patch, layers, merger = model.vision.encoder.patch_emb, model.vision.encoder.blocks, model.vision.proj_mlp
    elif tower is not None and "projector" in tower:  # PaddleOCR-VL
        patch, layers, merger = tower.embeddings.patch_embedding, tower.layers, tower.projector
    elif tower is not None and "perceive" in tower:  # HunYuanVL: called for each image, unlike the tower
        patch, layers, merger = tower.embeddings.patch_embedding, tower.layers, tower
    elif tower is not None and "global_transformer" in tower:  # Llama 3.2 Vision
        patch, merger = tower.patch_embedding, model.multi_modal_projector
        layers = (*tower.transformer.layers, *tower.global_transformer.layers)
    elif tower is not None and "patch_embedder" in tower:  # Gemma 4
        # called for the sum with the positions: the embedding itself is its linear layer
        patch, layers, merger = tower.patch_embedder.input_proj, tower.encoder.layers, model.embed_vision
    elif tower is not None and "blocks" in tower:
        merger = model.resampler_model if "resampler_model" in model else tower.merger  # ERNIE's
        patch, layers = tower.patch_embed, tower.blocks
    else:
        return {}
    found: Places = {id(patch): (patch, None, "vision.patch"), id(merger): (merger, None, "vision.merged")}
    for index, layer in enumerate(layers):
        found[id(layer)] = layer, None, f"vision.{index:02d}.out"
    for index, one in enumerate(getattr(tower, "deepstack_merger_list", None) or ()):
        found[id(one)] = one, None, f"vision.deepstack.{index}"
    return found


def tower_rows(model: Any, name: str, rows: np.ndarray, media: dict[str, np.ndarray]) -> np.ndarray:
    """rows [n, D] of a tower in the order of its input: without the padding of Gemma 4's images, and not window by window as in
    Qwen2.5-VL. media: the tensors of the images or videos of the call, by their published names."""
    if "image_position_ids" in media and name != "vision.merged":
        present = np.flatnonzero((media["image_position_ids"] != -1).all(-1))
        return np.take(rows, present, axis=0)
    tower = getattr(model, "vision_tower", None)
    if not hasattr(tower, "get_window_index") or name == "vision.patch":
        return rows
    grids = media["video_grid_thw" if "video_grid_thw" in media else "image_grid_thw"]
    back = np.argsort(np.array(tower.get_window_index(mx.array(grids))[0]))
    unit = len(rows) // len(back)
    return rows.reshape(len(back), unit, -1)[back].reshape(len(rows), -1)


def float32(tensor: Any) -> np.ndarray:
    """Evaluates a tensor. Some operations of mlx, such as products of experts, exist on a CPU in float32 alone."""
    try:
        return np.array(tensor.astype(mx.float32))
    except RuntimeError as error:
        if "only supports float32" in str(error):
            raise Unsupported(f"mlx: {error}") from error
        raise


@contextlib.contextmanager
def hooked(places: Places, give: Callable[[str, Any], None]) -> Iterator[None]:
    """Gives the tensors at these places, in the order of their computation."""
    def wrap(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(module: Any, *args: Any, **kwargs: Any) -> Any:
            _, before, after = places.get(id(module), (None, None, None))
            if before is not None:
                give(before, args[0] if args else next(iter(kwargs.values())))
            out = call(module, *args, **kwargs)
            if after is not None:
                give(after, out[0] if isinstance(out, tuple) else out)
            return out
        return wrapped

    originals = {kind: kind.__call__ for kind in {type(module) for module, _, _ in places.values()}}
    for kind, call in originals.items():
        kind.__call__ = wrap(call)
    try:
        yield
    finally:
        for kind, call in originals.items():
            kind.__call__ = call


def active_stream(text: Any, tensor: Any) -> Any:
    """Of a tensor of AltUp [streams, ...], the active stream."""
    return tensor[text.config.altup_active_idx] if tensor.ndim == 4 else tensor
