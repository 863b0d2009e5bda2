"""Draws configs of feature extractors and lengths of audio clips; the published extractor answers with frames and tokens."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from . import audio
from .draw import Vector, vector

MOST_SECONDS = 12
MELS = 4  # bins: frames and tokens do not depend on them

Drawn = tuple[dict[str, Any], int, int]  # config, samples, samples of the longest audio clip of the prompt


def longest(r: random.Random, n: int) -> int:
    """Of the prompt: often the audio clip itself."""
    return n if r.random() < .4 else n + r.randint(0, 2000)


def published(r: random.Random) -> Drawn:
    """Any length, and lengths around a whole number of frames or of chunks of 100 frames."""
    n = r.randint(201, 16000 * r.randint(1, MOST_SECONDS))
    if r.random() < .5:
        n = max(201, 160 * r.choice((1, 8, 100)) * r.randint(2, 12) + r.randint(-1, 1))
    return {**audio.OMNI, "feature_size": MELS}, n, longest(r, n)


def drawn(r: random.Random) -> Drawn:
    """Frames that overlap, and frames with gaps between them."""
    n_fft = r.choice((20, 90, 200, 256, 360, 400, 400, 480, 512))
    config = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": MELS, "n_fft": n_fft, "hop_length": r.randint(3, 2 * n_fft),
              "sampling_rate": r.choice((8000, 16000, 22050, 24000, 48000))}
    least = max(n_fft // 2 + 1, config["hop_length"])
    n = r.randint(least, least + r.choice((5, 500, 20000)))
    return config, n, longest(r, n)


def short(r: random.Random) -> Drawn:
    """Audio clips of about half a transform, which reflection needs: shorter ones are refused."""
    n = r.randint(190, 212)
    return {**audio.OMNI, "feature_size": MELS}, n, n


GROUPS: dict[str, Callable[[random.Random], Drawn]] = {"published config": published, "drawn configs": drawn, "too short": short}


def text_of(config: dict[str, Any], r: random.Random) -> str:
    """The config as JSON, with members that have no effect."""
    made = config | {name: value for name, value in (("n_samples", 4800000), ("nb_max_frames", 30000), ("patch_size", 16)) if r.random() < .3}
    names = sorted(made)
    r.shuffle(names)
    return json.dumps({name: made[name] for name in names}, indent=r.choice((None, 2)))


def answer(config: dict[str, Any], n: int, most: int) -> dict[str, Any]:
    try:
        made = audio.processed(audio.opened(config), [np.zeros(n, np.float32)] + [np.zeros(most, np.float32)] * (most > n))
    except (RuntimeError, ValueError, IndexError) as error:
        return {"error": str(error).splitlines()[0]}
    return {"frames": made.values.shape[1], "tokens": made.n_tokens}


def one(name: str, seed: int, number: int) -> Vector:
    r = random.Random(f"{seed} sounds {name} {number}")
    config, n, most = GROUPS[name](r)
    return vector(number, {"preprocessor_config": text_of(config, r), "samples": n, "longest": most}, answer(config, n, most))


def groups(seed: int, n: int) -> list[Any]:
    return [{"name": name, "vectors": [one(name, seed, number) for number in range(1, n + 1)]} for name in GROUPS]
