"""Images as tiles, in prompts of Mllama: one placeholder token for each image, and a mask that says which images each
token sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..variants.variant import Config
from .parts import Medium, Picture, media_of


@dataclass(frozen=True)
class Tiles:
    """Pictures as `pixel_values` [1, tiles, C, S, S], `aspect_ratio_ids` and `aspect_ratio_mask`."""

    begin: str | None = None  # no token marks an image
    end: str | None = None
    frames_apart: bool = False
    videos: bool = False

    def tokens(self, picture: Picture) -> int:
        """The number of placeholder tokens of an image."""
        return 1

    def ratio(self, config: Config, picture: Picture) -> tuple[int, int]:
        """(rows, columns) of tiles: those of the picture, as far as the model has tiles."""
        most = config["vision_config"]["max_num_tiles"]
        rows = min(picture.rows, most)
        return rows, min(picture.columns, most // rows)

    def draw(self, rng: np.random.Generator, config: Config, picture: Picture) -> Medium:
        """Pixels from a normal distribution, as published normalisation gives them; missing tiles are 0."""
        tower = config["vision_config"]
        ratio = self.ratio(config, picture)
        most, side = tower["max_num_tiles"], tower["image_size"]
        pixels = np.zeros((1, most, tower["num_channels"], side, side), np.float32)
        n_tiles = ratio[0] * ratio[1]
        pixels[:, :n_tiles] = rng.standard_normal(pixels[:, :n_tiles].shape)
        index = tower["supported_aspect_ratios"].index(list(ratio))
        return Medium("image", {"pixel_values": pixels, "aspect_ratio_ids": np.array([1 + index], np.int32),
                                "aspect_ratio_mask": (np.arange(most) < n_tiles).astype(np.int32)[None]})


def cross_mask(model: torch.nn.Module, tokens: list[int]) -> torch.Tensor:
    """cross_attention_mask [1, n, images, tiles] of all tokens, as the published processor makes it of a prompt; the
    published generation repeats its last row, which is what the processor makes of the longer prompt."""
    from transformers.models.mllama.processing_mllama import (
        convert_sparse_cross_attention_mask_to_dense, get_cross_attention_token_mask)
    n_tiles = [int(medium.arrays["aspect_ratio_mask"].sum()) for medium in media_of(tokens)]
    sparse = get_cross_attention_token_mask(list(tokens), model.config.image_token_index)
    dense = convert_sparse_cross_attention_mask_to_dense(
        [sparse], [n_tiles], model.config.vision_config.max_num_tiles, len(tokens))
    return torch.from_numpy(dense)


def inputs(model: torch.nn.Module, tokens: list[int], joined: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The media and the mask of a prompt with images. joined: the arrays of all images, as tensors."""
    return {name: tensor[None] for name, tensor in joined.items()} | {"cross_attention_mask": cross_mask(model, tokens)}


def step_inputs(model: torch.nn.Module, tokens: list[int]) -> dict[str, torch.Tensor]:
    """What the published generation gives the model beside the last of `tokens`, whose others are cached."""
    return {"cross_attention_mask": cross_mask(model, tokens), "cache_position": torch.tensor([len(tokens) - 1])}
