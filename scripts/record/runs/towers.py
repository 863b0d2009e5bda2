"""Traces of towers of images and of audio. Rows are patches, or merged patches, in the order of the tower's input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

ATTRIBUTES = ("visual", "vision_tower", "vision_model")  # of the multimodal model


def find(model: torch.nn.Module) -> torch.nn.Module | None:
    """The vision tower of a multimodal model."""
    return next((tower for name in ATTRIBUTES if (tower := getattr(model.model, name, None)) is not None), None)


def trace_input(trace: dict, name: str) -> Callable:
    """A pre-hook that traces the hidden states which a module is given; of several streams, the first."""
    def store(_module, args, kwargs):
        states = args[0] if args else kwargs["hidden_states"]
        states = states[0] if states.dim() == 4 else states
        trace[name] = states.reshape(-1, states.shape[-1]).numpy().copy()
    return store


class Order:
    """Which rows of a tower's layers are patches, and their order: that of the input, or window by window
    (Qwen2.5-VL), or with padding after each image (Gemma 4)."""

    def __init__(self, tower: torch.nn.Module):
        self.tower = tower
        self.back: np.ndarray | None = None  # by merged patch of the input: its place in the layers
        self.present: np.ndarray | None = None  # [images * patches]: whether a row is a patch

    def begin(self, _module, args, kwargs) -> None:
        """A pre-hook of the tower."""
        if "pixel_position_ids" in kwargs:
            self.present = (kwargs["pixel_position_ids"] != -1).all(-1).reshape(-1).numpy()
        if not hasattr(self.tower, "window_size"):
            return
        from transformers.vision_utils import get_vision_window_index  # which older versions lack
        grids = kwargs.get("grid_thw", args[1] if len(args) > 1 else None)
        config = self.tower.config
        index, _ = get_vision_window_index(grids, config.spatial_merge_size, config.window_size, config.patch_size)
        self.back = np.argsort(index.numpy())

    def patches(self, rows: np.ndarray) -> np.ndarray:
        """rows without padding."""
        return rows if self.present is None else rows[self.present]

    def undo(self, rows: np.ndarray) -> np.ndarray:
        """rows [P, D] in the order of the input, without padding."""
        if self.back is None:
            return self.patches(rows)
        unit = len(rows) // len(self.back)
        return rows.reshape(len(self.back), unit, -1)[self.back].reshape(len(rows), -1)


def audio_hooks(model: torch.nn.Module, trace: dict[str, np.ndarray]) -> list:
    """Handles of hooks on an audio tower, if the model has one that is traced: `audio.patch` (the product after the
    convolutions, before positions), `audio.NN.out` and `audio.merged`, of all audio clips of a prompt, one after the other."""
    tower = getattr(model.model, "audio_tower", None)
    if tower is None or not hasattr(tower, "conv2d1"):
        return []
    chunks: list[np.ndarray] = []  # rows of all chunks of an audio clip, of which only the last one has some too many

    def add(name: str, rows: np.ndarray) -> None:
        trace[name] = np.concatenate([trace[name], rows]) if name in trace else rows

    def keep(_module, _args, out):
        chunks.append(out.reshape(-1, out.shape[-1]).numpy().copy())

    def cut(_module, args):
        add("audio.patch", chunks.pop()[:len(args[0])])

    def store(name: str) -> Callable:
        def hook(_module, _args, out):
            add(name, (out[0] if isinstance(out, tuple) else out).numpy().copy())
        return hook

    return [tower.conv_out.register_forward_hook(keep), tower.layers[0].register_forward_pre_hook(cut),
            tower.proj2.register_forward_hook(store("audio.merged")),
            *(layer.register_forward_hook(store(f"audio.{i:02d}.out")) for i, layer in enumerate(tower.layers))]


def conv_hooks(tower: torch.nn.Module, embedder: torch.nn.Module, trace: dict[str, np.ndarray]) -> list:
    """The same of timm's encoder: `vision.NN.out` of its stem and its blocks, [pixels, channels], row by row, and the
    embedder's rows for features; it also embeds ids."""
    def store_pixels(name: str) -> Callable:
        def hook(_module, _args, out):
            trace[name] = out.permute(0, 2, 3, 1).reshape(-1, out.shape[1]).numpy().copy()
        return hook

    def store_rows(_module, _args, kwargs, out):
        if kwargs.get("inputs_embeds") is not None:
            trace["vision.merged"] = out.reshape(-1, out.shape[-1]).numpy().copy()

    blocks = [tower.conv_stem, *(block for stage in tower.blocks for block in stage)]
    return [*(block.register_forward_hook(store_pixels(f"vision.{i:02d}.out")) for i, block in enumerate(blocks)),
            embedder.register_forward_hook(store_rows, with_kwargs=True)]


def hooks(model: torch.nn.Module, trace: dict[str, np.ndarray]) -> list:
    """Handles of hooks on the tower of a multimodal model, which trace `vision.patch` (after the patch embedding,
    before positions), `vision.NN.out`, `vision.merged` and `vision.deepstack.K`: of all images of a prompt, one
    after the other; [patches, D], or one row for each placeholder token."""
    tower = find(model)
    if hasattr(tower, "timm_model"):
        return conv_hooks(tower.timm_model, model.model.embed_vision, trace)
    order = Order(tower)

    def store(name: str, of_order: Callable) -> Callable:
        def hook(_module, _args, out):
            out = out[0] if isinstance(out, tuple) else getattr(out, "pooler_output", out)
            if out.dim() == 4 and isinstance(_module, torch.nn.Conv2d) and out.shape[-1] > 1:
                out = out.permute(0, 2, 3, 1)  # of whole tiles: [tiles, D, rows, columns]
            out = out.flatten(1) if out.dim() == 4 and out.shape[-1] == 1 else out  # one pixel a patch
            trace[name] = of_order(out.reshape(-1, out.shape[-1]).numpy().copy())
        return hook

    def as_is(rows: np.ndarray) -> np.ndarray:
        return rows

    if hasattr(tower, "global_transformer"):
        patch, merger, merged = tower.patch_embedding, model.model.multi_modal_projector, as_is
        layers = (*tower.transformer.layers, *tower.global_transformer.layers)
    elif hasattr(tower, "vision_model"):
        inside = tower.vision_model
        patch, layers, merger = inside.embeddings.patch_embedding, inside.encoder.layers, model.model.projector
        merged = as_is
    elif hasattr(tower, "patch_merger"):  # HunYuanVL: called for each image, so that the whole tower has all of them
        patch, layers, merger, merged = tower.embeddings.patch_embedding, tower.layers, tower, as_is
    elif hasattr(model.model, "embed_vision"):
        patch, layers, merger = tower.patch_embedder.input_proj, tower.encoder.layers, model.model.embed_vision
        merged = as_is
    else:
        merger = getattr(model.model, "resampler_model", None)  # ERNIE's
        patch, layers, merger, merged = tower.patch_embed, tower.blocks, merger or tower.merger, order.undo
    modules = [(patch, "vision.patch", order.patches), (merger, "vision.merged", merged)]
    modules += [(layer, f"vision.{i:02d}.out", order.undo) for i, layer in enumerate(layers)]
    modules += [(one, f"vision.deepstack.{i}", as_is)
                for i, one in enumerate(getattr(tower, "deepstack_merger_list", ()))]
    return [*audio_hooks(model, trace), tower.register_forward_pre_hook(order.begin, with_kwargs=True),
            *(module.register_forward_hook(store(name, of_order)) for module, name, of_order in modules)]
