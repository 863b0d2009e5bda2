"""Prompts with images as `assay bench --prompt WxHxN` makes them (conformance/bench/pictures.c), without numpy."""

from __future__ import annotations

import array
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from . import draw

TEXT = 16     # tokens after the images; before each image there is one
STEPS = 2001  # values of a pixel, from -1 to 1


class Pictures(NamedTuple):
    """N images of one size, in pixels."""
    width: int
    height: int
    n: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}x{self.n}"


def parse(word: str) -> Pictures:
    """Of "WxHxN". Raises ValueError."""
    sizes = [int(size) for size in word.split("x")]
    if len(sizes) != 3 or min(sizes) < 1:
        raise ValueError(f"{word}: expected WxHxN")
    return Pictures(*sizes)


class Tower(NamedTuple):
    """What a checkpoint's tower takes. side: pixels of the square that one token stands for. row: numbers of a row
    of pixel_values, one for each patch."""
    patch: int
    side: int
    row: int
    image_token: int
    video_token: int


class Prompt(NamedTuple):
    """tokens: ids. pixels: [sum of patches, row] of all images one after the other; grid: (1, rows, columns) of
    patches of each image."""
    tokens: list[int]
    pixels: array.array
    grid: list[tuple[int, int, int]]


def read_tower(model: Path) -> Tower | None:
    """None if the checkpoint has no tower."""
    config = json.loads((model / "config.json").read_text())
    vision = config.get("vision_config")
    if not vision:
        return None
    patch = vision["patch_size"]
    return Tower(patch, patch * vision["spatial_merge_size"],
                 vision["in_chans"] * vision["temporal_patch_size"] * patch * patch,
                 config["image_token_id"], config["video_token_id"])


def tokens_of(pictures: Pictures, tower: Tower) -> int:
    """Placeholder tokens of one image."""
    return pictures.width // tower.side * (pictures.height // tower.side)


def n_tokens(pictures: Pictures, tower: Tower) -> int:
    return pictures.n * (1 + tokens_of(pictures, tower)) + TEXT


def place(tokens: list[int], pictures: Pictures, tower: Tower) -> None:
    """Puts placeholders into a drawn prompt, and removes those that were drawn."""
    n = tokens_of(pictures, tower)
    for t, token in enumerate(tokens):
        if t < pictures.n * (1 + n) and t % (1 + n) > 0:
            tokens[t] = tower.image_token
        elif token in (tower.image_token, tower.video_token):
            tokens[t] = 0


def draw_pixels(stream: Iterator[int], n: int) -> array.array:
    """float32, rounded after the division and after the subtraction, as C does."""
    values = array.array("f", (step / (STEPS // 2) for step in range(STEPS)))
    values = array.array("f", (value - 1 for value in values))
    return array.array("f", (values[next(stream) % STEPS] for _ in range(n)))


def draw_prompt(pictures: Pictures, tower: Tower, seed: int, n_ids: int) -> Prompt:
    """The prompt that assay bench draws from this seed; every image has its own pixels."""
    stream = draw.words(seed)
    tokens = [next(stream) % n_ids for _ in range(n_tokens(pictures, tower))]
    place(tokens, pictures, tower)
    rows, columns = pictures.height // tower.patch, pictures.width // tower.patch
    pixels = draw_pixels(stream, pictures.n * rows * columns * tower.row)
    return Prompt(tokens, pixels, [(1, rows, columns)] * pictures.n)
