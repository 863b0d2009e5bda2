"""Rows with audio clips: the published processor of Qwen3-Omni, and audio clips to draw."""

from __future__ import annotations

import wave
from pathlib import Path
from unittest import mock

import numpy as np
import transformers

from ..media.parts import Medium, Prompt
from ..preprocess.audio import tones
from .rows import Row

RATE = 16000


def drawn(rng: np.random.Generator) -> np.ndarray:
    """Samples [n] of 16 bits; n is no multiple of anything, so that the last part of a frame is dropped."""
    clip = tones(rng, int(rng.integers(3000, 14000)))
    return (np.clip(clip, -1, 1) * 32767).round().astype(np.int16)


def write(path: Path, clip: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(clip.astype("<i2").tobytes())


class AudioProcessor:
    """The published processor of a written checkpoint. Without torchvision there is no class for videos, and the processor checks that it is
    given one, which is turned off: there are no videos here."""

    def __init__(self, row: Row, directory: Path):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        images = transformers.AutoImageProcessor.from_pretrained(directory, backend="pil")
        extractor = transformers.AutoFeatureExtractor.from_pretrained(directory)
        with mock.patch.object(transformers.ProcessorMixin, "check_argument_for_proper_class", lambda self, name, argument: type(argument)):
            self.processor = getattr(transformers, row.processor)(image_processor=images, feature_extractor=extractor, tokenizer=self.tokenizer,
                                                                  chat_template=self.tokenizer.chat_template)

    def rendered(self, text: str) -> str:
        message = {"role": "user", "content": [{"type": "audio"}, {"type": "text", "text": text}]}
        return self.processor.apply_chat_template([message], tokenize=False, add_generation_prompt=True)

    def prompt(self, rendered: str, clip: np.ndarray) -> Prompt:
        """The samples are those that soundfile reads from the file."""
        samples = clip.astype(np.float32) / 32768
        made = self.processor(text=[rendered], audio=[samples], sampling_rate=RATE, return_tensors="np")
        arrays = {name: np.asarray(made[name]) for name in ("input_features", "feature_attention_mask")}
        if not arrays["feature_attention_mask"].all():
            raise RuntimeError("an audio clip alone is masked, expected no padding")
        return Prompt([int(one) for one in made["input_ids"][0]], (Medium("audio", arrays),))
