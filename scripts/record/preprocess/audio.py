"""Records audio clips for the tests of lib/audio/: `python -m scripts.record.preprocess.audio [DIR [SEED COUNT]]`; needs the packages soundfile and soxr.

decoded.bin       audio files, COUNT of them with damage drawn at random, and their samples as transformers' load_audio reads them
lengths.bin       numbers of samples, frames and placeholder tokens
spectrograms.bin  samples, and the spectrogram that Qwen3OmniMoeProcessor makes of them

A file is a sequence of records as those of pixels.py. A spectrogram is the truth: the published function with float64 in place of
float32. Its noise is the largest distance between it and what the published function gives.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Iterable, Iterator
from unittest import mock

import numpy as np
import soundfile
import torch
from transformers.audio_utils import load_audio
from transformers.models.qwen3_omni_moe.processing_qwen3_omni_moe import Qwen3OmniMoeProcessor
from transformers.models.whisper import feature_extraction_whisper as whisper

from . import audio_files
from .pixels import record

OUT = Path("lib/audio/tests/vectors")
RATE = 16000
OMNI = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 128, "hop_length": 160, "n_fft": 400, "sampling_rate": RATE,
        "chunk_length": 30, "padding_value": 0.0, "padding_side": "right", "dither": 0.0, "return_attention_mask": True}
SMALL = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 20, "hop_length": 100, "n_fft": 360, "sampling_rate": 24000}


@dataclass(frozen=True)
class Made:
    """What the published processor makes of the first of some audio clips: frames within its attention mask, and placeholder tokens."""

    values: np.ndarray  # [bins, frames]
    n_tokens: int


def opened(config: dict[str, Any]) -> Any:
    members = {name: value for name, value in config.items() if name != "feature_extractor_type"}
    return whisper.WhisperFeatureExtractor(**members)


def processed(extractor: Any, clips: list[np.ndarray]) -> Made:
    """As Qwen3OmniMoeProcessor calls the extractor, all audio clips of a prompt at once."""
    processor = SimpleNamespace(feature_extractor=extractor, n_window=Qwen3OmniMoeProcessor.n_window, replace_audio_token=lambda *_, **__: "")
    settings = {**Qwen3OmniMoeProcessor.audio_kwargs, "sampling_rate": extractor.sampling_rate}
    made, _ = Qwen3OmniMoeProcessor._process_audio(processor, clips, **settings)
    mask = np.asarray(made["feature_attention_mask"][0], bool)
    return Made(np.asarray(made["input_features"][0])[:, mask], int(made["num_audio_tokens"][0]))


@contextmanager
def doubled() -> Iterator[None]:
    """The published function computes in float64: its torch.float32 is float64, and so is what has no type."""
    names = ("from_numpy", "hann_window", "stft", "clamp", "maximum", "randn")
    proxy = SimpleNamespace(**{name: getattr(torch, name) for name in names}, float32=torch.float64)
    kept = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with mock.patch.object(whisper, "torch", proxy):
            yield
    finally:
        torch.set_default_dtype(kept)


def spectrogram(config: dict[str, Any], clips: list[np.ndarray]) -> bytes:
    """A record `sound`: bytes of the config, samples of the first audio clip and of the longest, bins, frames, tokens; the config, the samples as
    float32, the noise and the truth as float64."""
    extractor = opened(config)
    published = processed(extractor, clips)
    with doubled():
        truth = processed(extractor, clips)
    if published.values.dtype != np.float32 or truth.values.dtype != np.float64:
        raise TypeError(f"found {published.values.dtype} and {truth.values.dtype}, expected float32 and float64")
    noise = np.abs(published.values - truth.values).max()
    text = json.dumps(config).encode()
    return record("sound", (len(text), len(clips[0]), max(map(len, clips)), *truth.values.shape, truth.n_tokens),
                  text + clips[0].astype("<f4").tobytes() + np.float64(noise).tobytes() + np.ascontiguousarray(truth.values, "<f8").tobytes())


def tones(rng: np.random.Generator, n: int, rate: int = RATE) -> np.ndarray:
    """Tones of drawn frequencies that grow louder, with a little noise."""
    at = np.arange(n) / rate
    drawn = [(rng.uniform(80, rate / 2.2), rng.uniform(0, 6), rng.uniform(0.05, 0.3)) for _ in range(5)]
    clip = sum(gain * np.sin(2 * np.pi * pitch * at + phase) for pitch, phase, gain in drawn) * np.linspace(0.05, 1, n)
    return (clip + rng.normal(0, 1e-3, n)).astype(np.float32)


def click(rng: np.random.Generator, n: int) -> np.ndarray:
    """A short loud noise, after quiet of less power than the floor."""
    clip = rng.normal(0, 1e-6, n)
    clip[n * 2 // 3:n * 2 // 3 + 90] = rng.uniform(-1, 1, 90)
    return clip.astype(np.float32)


def spectrograms(seed: int) -> Iterable[bytes]:
    rng = np.random.default_rng(seed)
    yield spectrogram(OMNI, [tones(rng, 960)])
    yield spectrogram(OMNI, [click(rng, 1370)])
    yield spectrogram(OMNI, [rng.uniform(-1, 1, 801).astype(np.float32)])
    yield spectrogram(OMNI, [tones(rng, 700), tones(rng, 1203)])
    yield spectrogram(OMNI, [rng.uniform(-1, 1, 201).astype(np.float32)])
    yield spectrogram(SMALL, [tones(rng, 1010, 24000)])
    yield spectrogram(SMALL, [rng.normal(0, 0.2, 850).astype(np.float32), tones(rng, 900, 24000)])


def decoded(seed: int, count: int = 0) -> Iterable[bytes]:
    """Records with the name of a file: its bytes, samples, 0 if load_audio raises an error or finds none, and whether their last bits depend on a
    library's version; the file, and its samples as float32. Files of another rate are left out, which Assay refuses, and samples that are not finite."""
    rng = np.random.default_rng(seed)
    with TemporaryDirectory() as scratch:
        for name, content in audio_files.files(rng, count):
            path = Path(scratch) / "sound.bin"
            path.write_bytes(content)
            try:
                if soundfile.info(path).samplerate != RATE:
                    continue
                samples = load_audio(str(path), sampling_rate=RATE, backend="soundfile")
            except (soundfile.LibsndfileError, ValueError, MemoryError):
                samples = np.zeros(0, np.float32)
            if np.isfinite(samples).all():
                yield record(name, (len(content), len(samples), int("VORBIS" in name)), content + samples.astype("<f4").tobytes())


N_LENGTHS = 300
EDGES = (201, 319, 320, 321, 1600, 16000, 16159, 16160, 17279, 17280, 17281, 32001)  # around frames, tokens and chunks of 100 frames


def lengths(seed: int) -> Iterable[bytes]:
    """Records `length`: samples of an audio clip and of the longest one of its prompt, frames, placeholder tokens. Every second audio clip is alone."""
    rng = np.random.default_rng(seed)
    extractor = opened({**OMNI, "feature_size": 2})
    for i in range(N_LENGTHS):
        n = EDGES[i] if i < len(EDGES) else int(rng.integers(201, 201 + 16000 * rng.integers(1, 13)))
        longest = n if i % 2 == 0 else n + int(rng.integers(0, 8000))
        made = processed(extractor, [np.zeros(n, np.float32)] + [np.zeros(longest, np.float32)] * (longest > n))
        yield record("length", (n, longest, made.values.shape[1], made.n_tokens), b"")


def main(arguments: list[str]) -> int:
    out = Path(arguments[0]) if arguments else OUT
    seed, count = int(arguments[1]) if len(arguments) > 1 else 0, int(arguments[2]) if len(arguments) > 2 else 0
    out.mkdir(parents=True, exist_ok=True)
    for name, records in (("decoded.bin", decoded(seed, count)), ("lengths.bin", lengths(0)), ("spectrograms.bin", spectrograms(0))):
        (out / name).write_bytes(b"".join(records))
        print(f"{out / name}: {(out / name).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
