"""Traces of mlx-vlm's modules, under the names of the goldens (traces.hooks, towers.hooks)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np

from ..mlx_lm_observation import install_hooks, mixer


class Tracer:
    """Traces the tower and the text model of one run, by patching __call__ of their classes, as a context.

    Text tensors are those of one row of a batch, whose columns may come in several calls. Of a tower it keeps the last
    call; sample 0's images are the first ones of a call.
    """

    def __init__(self, model: Any):
        self.model = model
        self.rows: dict[str, list[np.ndarray]] = {}
        self.towers: dict[str, list[np.ndarray]] = {}
        self.traces_text = self.traces_towers = False
        self.place = (0, 0, 0, 1)

    def begin(self, row: int, length: int, columns: int, n_rows: int = 1) -> None:
        """Traces sample 0 from now on: a row of the batch, its tokens, and the columns and rows of the padded batch.
        Tensors of other batches, of a model that takes padded samples one by one, are left out."""
        self.traces_text = self.traces_towers = True
        self.place = (row, length, columns, n_rows)

    def end_towers(self) -> None:
        """The images of sample 0 have been embedded."""
        self.traces_towers = False

    def stop(self) -> None:
        self.traces_text = self.traces_towers = False

    def __enter__(self) -> Tracer:
        hooks: dict[int, tuple] = {}
        self.hook_text(hooks)
        self.hook_tower(hooks)
        modules = [module for _, module in self.model.named_modules() if id(module) in hooks]
        self.context = install_hooks({type(module) for module in modules}, hooks)
        self.context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.context.__exit__(*error)

    def hook_text(self, hooks: dict[int, tuple]) -> None:
        text = self.model.language_model.model
        hooks[id(text.norm)] = (None, self.text("norm"))
        for index, layer in enumerate(text.layers):
            name = f"layer.{index:02d}"
            last = index + 1 == len(text.layers)
            following = text.norm if last else text.layers[index + 1]
            # deepstack features are added after the layer: the golden has the input of what follows
            _, after = hooks.get(id(following), (None, None))
            hooks[id(following)] = (self.text(f"{name}.out"), after)
            before, _ = hooks.get(id(layer), (None, None))
            hooks[id(layer)] = (before or self.text("embed"), None)
            hooks[id(mixer(layer))] = (None, self.text(f"{name}.attn"))
            hooks[id(layer.mlp)] = (None, self.text(f"{name}.mlp"))
            if "experts" in layer:
                hooks[id(layer.experts)] = (None, self.text(f"{name}.experts"))

    def hook_tower(self, hooks: dict[int, tuple]) -> None:
        tower = getattr(self.model, "vision_tower", None)
        if tower is None:
            return
        if "embed_vision" in self.model:
            # called for the sum with the positions: the embedding itself is its linear layer
            patch, layers, merger = tower.patch_embedder.input_proj, tower.encoder.layers, self.model.embed_vision
        else:
            patch, layers, merger = tower.patch_embed, tower.blocks, tower.merger
        hooks[id(patch)] = (None, self.tower("vision.patch"))
        hooks[id(merger)] = (None, self.tower("vision.merged"))
        for index, layer in enumerate(layers):
            hooks[id(layer)] = (None, self.tower(f"vision.{index:02d}.out"))
        for index, one in enumerate(getattr(tower, "deepstack_merger_list", None) or ()):
            hooks[id(one)] = (None, self.tower(f"vision.deepstack.{index}"))

    def text(self, name: str) -> Callable:
        def store(tensor):
            if self.traces_text and tensor.shape[0] == self.place[3]:
                self.rows.setdefault(name, []).append(np.array(tensor[self.place[0]]))
        return store

    def tower(self, name: str) -> Callable:
        def store(tensor):
            if self.traces_towers:
                self.towers.setdefault(name, []).append(np.array(tensor).reshape(-1, tensor.shape[-1]))
        return store

    def found(self, wanted: dict[str, int], media: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The tensors with these names and numbers of rows, of those that were traced. media: sample 0's inputs."""
        _, length, columns, _ = self.place
        made = {}
        for name, n_rows in wanted.items():
            if name in self.rows:
                made[name] = np.concatenate(self.rows[name])[columns - length:columns]
            elif name in self.towers:
                made[name] = self.in_order(name, self.towers[name][-1], media)[:n_rows]
        return {name: tensor for name, tensor in made.items() if len(tensor) == wanted[name]}

    def in_order(self, name: str, rows: np.ndarray, media: dict[str, np.ndarray]) -> np.ndarray:
        """rows [n, D] of a tower in the order of its input, without the padding of Gemma 4's images, and not window by
        window as in Qwen2.5-VL."""
        if "image_position_ids" in media and name != "vision.merged":
            present = (media["image_position_ids"] != -1).all(-1).reshape(-1)
            return rows[:len(present)][present]
        tower = self.model.vision_tower
        if not hasattr(tower, "get_window_index") or name == "vision.patch":
            return rows
        grids = media.get("video_grid_thw", media.get("image_grid_thw"))
        back = np.argsort(np.array(tower.get_window_index(mx.array(grids))[0]))
        unit = len(rows) // len(back)
        return rows.reshape(len(back), unit, -1)[back].reshape(len(rows), -1)
