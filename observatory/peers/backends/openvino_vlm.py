"""OpenVINO's runtime on a model with a tower, prefill of prompts with images: each image by itself through the tower,
as openvino-genai does, then the text model; logits of the last position only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import openvino

from . import Capacity, Images
from .openvino_lm import describe, keep_last_position, settings, version

__all__ = ["Peer", "describe", "version"]


class Peer:
    def __init__(self, model: Path, capacity: Capacity):
        self.config: dict[str, Any] = json.loads((model / "config.json").read_text())
        self.core, self.wanted = openvino.Core(), settings(capacity)
        self.text = self._open(model / "openvino_language_model.xml", True)
        self.embed = self._open(model / "openvino_text_embeddings_model.xml")
        self.patches = self._open(model / "openvino_vision_embeddings_model.xml")
        self.tower = self._open(model / "openvino_vision_embeddings_merger_model.xml")

    def _open(self, path: Path, head: bool = False) -> openvino.InferRequest:
        read = self.core.read_model(path)
        if head:
            keep_last_position(read)
        return self.core.compile_model(read, "CPU", self.wanted).create_infer_request()

    def _image(self, pixels: np.ndarray, grid: np.ndarray) -> np.ndarray:
        """The rows of one image, for its placeholders."""
        rows = self.patches.infer({0: pixels}, share_inputs=True)[0]
        return self.tower.infer({
            "hidden_states": rows, "rotary_pos_emb": self._angles(grid),
            "attention_mask": np.zeros((1, len(rows), len(rows)), np.float32)}, share_inputs=True)[0]

    def _angles(self, grid: np.ndarray) -> np.ndarray:
        """[patches, half of a head]: the row, then the column of each patch, at each frequency. Patches come in the
        order of blocks that are merged."""
        vision = self.config["vision_config"]
        quarter = vision["embed_dim"] // vision["num_heads"] // 4
        merge, (_, height, width) = vision["spatial_merge_size"], grid
        frequencies = 10000.0 ** (-np.arange(quarter) / quarter)
        places = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1)
        blocks = places.reshape(height // merge, merge, width // merge, merge, 2).swapaxes(1, 2)
        return (blocks.reshape(-1, 2, 1) * frequencies).reshape(height * width, -1).astype(np.float32)

    def _positions(self, held: np.ndarray, grids: np.ndarray) -> np.ndarray:
        """[3, 1, T]. held: [T], whether a token is a placeholder. Tokens of an image count rows and columns from the
        first position after what is before it; text goes on after the largest."""
        merge = self.config["vision_config"]["spatial_merge_size"]
        out, at, start, images = np.empty((3, 1, len(held)), np.int64), 0, 0, iter(grids)
        while at < len(held):
            if not held[at]:
                out[:, 0, at] = start
                at, start = at + 1, start + 1
                continue
            _, height, width = (int(size) // merge for size in next(images))
            n = height * width
            out[0, 0, at:at + n] = start
            out[1, 0, at:at + n] = start + np.arange(n) // width
            out[2, 0, at:at + n] = start + np.arange(n) % width
            at, start = at + n, start + max(height, width)
        return out

    def prefill(self, tokens: np.ndarray, images: Images) -> np.ndarray:
        held = tokens[0] == self.config["image_token_id"]
        rows = self.embed.infer({0: tokens.astype(np.int64)})[0].copy()
        ends = np.cumsum(images.grid.prod(1))[:-1]
        rows[0, held] = np.concatenate([self._image(pixels, grid) for pixels, grid in
                                        zip(np.split(images.pixels, ends), images.grid)])
        self.text.reset_state()
        out = self.text.infer({
            "inputs_embeds": rows, "attention_mask": np.ones(tokens.shape, np.int64),
            "position_ids": self._positions(held, images.grid), "beam_idx": np.zeros(1, np.int32),
        }, share_inputs=True)
        return out["logits"][:, -1]
