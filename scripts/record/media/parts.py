"""The parts of prompts: texts, pictures and audio clips; and prompts with the model's inputs of their media."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Picture:
    """An image of rows x columns placeholder tokens, or a video with that many of each of its frames.

    frames: 0 for an image. bare: without the tokens that mark its beginning and end, so that the placeholder
    tokens of two pictures can follow each other. audio: the frames of the spectrogram of a video's audio, whose tokens are
    among its own; 0: it has none.
    """

    rows: int
    columns: int
    frames: int = 0
    bare: bool = False
    audio: int = 0


@dataclass(frozen=True)
class Audio:
    """An audio clip of that many frames of its mel spectrogram."""

    frames: int


@dataclass(frozen=True)
class Shared:
    """The text, picture or audio clip that has this name in every prompt of a case: the same tokens, pixels and spectrogram."""

    name: str
    part: int | Picture | Audio


SECONDS = {"second_per_grid_ts": 0.75, "video_second_per_grid": 2.0}  # of the latter, whole ones: so are their positions
Part = int | Picture | Audio | Shared  # of a prompt: that many text tokens, a picture, or an audio clip


@dataclass(frozen=True)
class Medium:
    """The published inputs of one image, video or audio clip; those of several are concatenated along the first axis, those
    of audio clips after zeros have extended them to the longest."""

    kind: str  # image | video | audio
    arrays: dict[str, np.ndarray] = field(hash=False)


class Prompt(list):
    """The token ids of a sample, with its media in the order of their placeholder tokens. Appending tokens keeps
    the media."""

    def __init__(self, tokens: list[int], media: tuple[Medium, ...] = ()):
        super().__init__(tokens)
        self.media = media

    def __add__(self, tokens: list[int]) -> Prompt:
        return Prompt([*self, *tokens], self.media)


def media_of(tokens: list[int]) -> tuple[Medium, ...]:
    """The media of a prompt; those of a plain list of tokens are none."""
    return getattr(tokens, "media", ())
