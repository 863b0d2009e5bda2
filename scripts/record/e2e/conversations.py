"""Draws conversations with images or audio clips, and the truth's greedy answers: prompts and pixels by the published processor, tokens by the
published model in float64 on the stored weights."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
import transformers
from PIL import Image

from ..case import cases
from ..checkpoint.checkpoint import Checkpoint
from ..media.images import model_inputs, step_inputs
from ..media.parts import Medium, Prompt
from ..runs import narrow
from ..runs.truth import Run
from ..variants.variant import rng_for
from . import audio
from .rows import Row, Vocabulary
from .audio import AudioProcessor

LEAST_DIFFERENT = 3  # tokens of an answer that are not the same
LEAST_MARGIN = 0.2   # a smaller one is seldom enough, so skip the cost of the other runs
MOST_DRAWS = 4000
APART = 2 * narrow.APART  # a margin, in multiples of the noise: four on either side


@dataclass
class Conversation:
    """An image [H, W, 3] (uint8) or an audio clip [n] (int16), and a text, as the published processor gives them to the model, and the truth's answer with the stop id
    that ends it, if one does. margin: the smallest gap of the rows that decide the answer. noise: of each run, on these rows."""

    medium: np.ndarray
    text: str
    rendered: str
    prompt: Prompt
    answer: list[int]
    margin: float
    noise: dict[str, float]


def older(images: Any) -> bool:
    """Whether a processor of images is one of transformers before version 5, where those without `Fast` take PIL."""
    return int(transformers.__version__.split(".")[0]) < 5 and not type(images).__name__.endswith("Fast")


class Processor:
    """The published processor of a written checkpoint. Without torchvision, transformers takes the PIL backend for images; it has no class
    for videos then, and the published processors check that they are given one, which is turned off: there are no videos here."""

    def __init__(self, row: Row, directory: Path):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        images = transformers.AutoImageProcessor.from_pretrained(directory, backend="pil")
        if "Pil" not in type(images).__name__ and not older(images):
            raise RuntimeError(f"{directory}: the image processor is {type(images).__name__}, expected the PIL backend")
        with mock.patch.object(transformers.ProcessorMixin, "check_argument_for_proper_class", lambda self, name, argument: type(argument)):
            given = {"image_processor": images, "tokenizer": self.tokenizer, "chat_template": self.tokenizer.chat_template}
            if row.seq_length:
                given |= {"image_seq_length": row.seq_length, "feature_extractor": None}
            self.processor = getattr(transformers, row.processor)(**given)

    def rendered(self, text: str) -> str:
        message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
        return self.processor.apply_chat_template([message], tokenize=False, add_generation_prompt=True)

    def prompt(self, rendered: str, image: np.ndarray) -> Prompt:
        made = self.processor(text=[rendered], images=[Image.fromarray(image)], return_tensors="np")
        arrays = {name: np.asarray(value) for name, value in made.items()
                  if name not in ("input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids", "cross_attention_mask")}
        if "aspect_ratio_ids" in arrays:  # of a batch of one prompt
            arrays = {name: value[0] for name, value in arrays.items()}
        return Prompt([int(one) for one in made["input_ids"][0]], (Medium("image", arrays),))


class MoondreamProcessor:
    """mlx-vlm's processor of Moondream 3, which writes the tokens of the image and of the answer around the text."""

    def __init__(self, _row: Row, directory: Path):
        from mlx_vlm.models.moondream3.processing_moondream3 import Moondream3Processor
        self.processor = Moondream3Processor.from_pretrained(directory)

    def made(self, text: str, image: np.ndarray) -> tuple[str, Prompt]:
        """The prompt without the tokens of the image, as text; and with them, the image as rows of patches of each crop."""
        from mlx_vlm.models.moondream3.processing_moondream3 import NUM_VISION_TOKENS
        said = self.processor(text=text, images=[Image.fromarray(image)])
        ids, crops = said["input_ids"][0].tolist(), said["pixel_values"]
        side = math.isqrt(NUM_VISION_TOKENS)
        rows = crops.reshape(len(crops), side, crops.shape[1] // side, side, crops.shape[2] // side, 3).transpose(0, 1, 3, 5, 2, 4)
        arrays = {"pixel_values": rows.reshape(len(crops) * side * side, -1).astype(np.float32),
                  "image_grid_thw": np.array([[len(crops), side, side]], np.int32),
                  "crop_layouts": np.array([said["crop_layouts"][0] or (0, 0)], np.int32)}
        rendered = self.processor.tokenizer.decode(ids[:1] + ids[1 + NUM_VISION_TOKENS:])
        return rendered, Prompt(ids, (Medium("image", arrays),))


class FalconProcessor:
    """mlx-vlm's processor of Falcon-OCR: the tokens that it writes around an image, and the image itself as rows of patches. Its call would
    put another text in the place of the rendered one (make_ocr_prompt)."""

    def __init__(self, _row: Row, directory: Path):
        from mlx_vlm.models.falcon_ocr.processing_falcon_ocr import FalconOCRProcessor
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        self.processor = FalconOCRProcessor(self.tokenizer, json.loads((directory / "config.json").read_text()))

    def rendered(self, text: str) -> str:
        message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
        return self.tokenizer.apply_chat_template([message], tokenize=False, add_generation_prompt=True)

    def prompt(self, rendered: str, image: np.ndarray) -> Prompt:
        from mlx_vlm.models.falcon_ocr.processing_falcon_ocr import preprocess_image
        side = self.processor.spatial_patch_size
        pixels, tall, wide = preprocess_image(Image.fromarray(image), side)
        ids = self.processor._expand_image_tokens(self.tokenizer.encode(rendered, add_special_tokens=False), [[tall, wide]])
        rows = pixels.reshape(tall, side, wide, side, 3).swapaxes(1, 2).reshape(tall * wide, -1)
        return Prompt(ids, (Medium("image", {"pixel_values": rows.astype(np.float32),
                                             "image_grid_thw": np.array([[1, tall, wide]], np.int32)}),))


Opened = Processor | FalconProcessor | MoondreamProcessor | AudioProcessor
OF_MLX_VLM = {"FalconOCRProcessor": FalconProcessor, "Moondream3Processor": MoondreamProcessor}


def opened(row: Row, directory: Path) -> Opened:
    if row.audio:
        return AudioProcessor(row, directory)
    return OF_MLX_VLM.get(row.processor, Processor)(row, directory)


def conversation(processor: Opened, text: str, medium: np.ndarray) -> tuple[str, Prompt]:
    """The prompt with a placeholder for the medium, and the one that the model is given."""
    if isinstance(processor, MoondreamProcessor):
        return processor.made(text, medium)
    rendered = processor.rendered(text)
    return rendered, processor.prompt(rendered, medium)


def blank(prompt: Prompt) -> Prompt:
    """The prompt with pixels, or logarithms of powers, of zero."""
    arrays = {name: value * 0 if value.dtype.kind == "f" else value for name, value in prompt.media[0].arrays.items()}
    return Prompt(list(prompt), (Medium(prompt.media[0].kind, arrays),))


class Drawer:
    """Draws the samples of a row."""

    def __init__(self, row: Row, checkpoint: Checkpoint, vocabulary: Vocabulary, processor: Opened, seed: int):
        self.row, self.checkpoint, self.vocabulary, self.processor = row, checkpoint, vocabulary, processor
        self.rng = rng_for(seed, checkpoint.family.name, "e2e")
        self.stop = checkpoint.idle_id
        self.draws = 0

    def image(self, size: tuple[int, ...] | None = None) -> np.ndarray:
        """Rectangles of drawn colours; the sides are no multiples of anything, so that the processor resizes it. size: height and width."""
        height, width = size or (int(n) for n in self.rng.integers(17, 60, 2))
        colours = self.rng.integers(0, 256, (*self.rng.integers(2, 7, 2), 3), np.uint8)
        rows = np.arange(height) * len(colours) // height
        columns = np.arange(width) * colours.shape[1] // width
        return colours[rows][:, columns]

    def text(self) -> str:
        letters = self.vocabulary.letters
        words = [[letters[i] for i in self.rng.integers(0, len(letters), n)] for n in self.rng.integers(2, 6, self.rng.integers(1, 4))]
        return " ".join("".join(word) for word in words)

    def answer(self, prompt: Prompt) -> list[int] | None:
        """The greedy tokens in float32, with the published cache; None if a margin is too small, a token is neither a character nor
        the stop id, or too few tokens differ."""
        run, tokens = self.checkpoint.float32, []
        run.forget()
        with run.running():
            out = run.model(**model_inputs(run.model, prompt), use_cache=True)
            while True:
                last = out.logits[0, -1:].numpy()
                tokens.append(int(last.argmax()))
                if cases.margin(last) < LEAST_MARGIN or tokens[-1] not in (*self.vocabulary.characters, self.stop):
                    return None
                if len(tokens) == self.row.n_tokens or tokens[-1] == self.stop:
                    return tokens if len(set(tokens)) >= LEAST_DIFFERENT else None
                out = run.model(input_ids=torch.tensor([tokens[-1:]]), past_key_values=out.past_key_values, use_cache=True,
                                **step_inputs(run.model, prompt + tokens))

    def deciding(self, run: Run, prompt: Prompt, answer: list[int]) -> np.ndarray:
        """The logits [len(answer), V] that decide the answer's tokens."""
        return run.logits(prompt + answer[:-1])[len(prompt) - 1:]

    def noises(self, prompt: Prompt, answer: list[int], rows: np.ndarray) -> dict[str, float]:
        """The distance of each narrower run from the truth, on the rows that decide the answer."""
        runs = {"float32": self.checkpoint.float32, "bfloat16": self.checkpoint.narrow["bfloat16"]}
        return {name: float(np.abs(self.deciding(run, prompt, answer) - rows).max()) for name, run in runs.items()}

    def drawn(self, like: Conversation | None) -> tuple[np.ndarray, str]:
        """A medium and a text; of a conversation like another one, an image of its size, and its text."""
        if like:
            return self.image(like.medium.shape[:2]), like.text
        return audio.drawn(self.rng) if self.row.audio else self.image(), self.text()

    def sample(self, others: list[Conversation], like: Conversation | None = None) -> Conversation:
        """A conversation whose answer no noise changes, and the medium does; it is not that of another one. like: one with the same tokens."""
        for _ in range(MOST_DRAWS):
            self.draws += 1
            medium, text = self.drawn(like)
            rendered, prompt = conversation(self.processor, text, medium)
            answer = self.answer(prompt)
            if answer is None or answer in [one.answer for one in others]:
                continue
            rows = self.deciding(self.checkpoint.truth, prompt, answer)
            if rows.argmax(-1).tolist() != answer:
                continue
            noise = self.noises(prompt, answer, rows)
            found = Conversation(medium, text, rendered, prompt, answer, cases.margin(rows), noise)
            if found.margin <= APART * max(noise.values()):
                continue
            if self.deciding(self.checkpoint.truth, blank(prompt), answer).argmax(-1).tolist() != answer:
                self.check(found)
                return found
        raise cases.IllConditioned(f"{self.checkpoint.family.name}: no conversation in {MOST_DRAWS} draws")

    def check(self, found: Conversation) -> None:
        """The published generate(), with its cache, must give the same tokens."""
        said = self.checkpoint.truth.generate(found.prompt, self.row.n_tokens, [self.stop])
        if said != found.answer:
            raise RuntimeError(f"{self.checkpoint.family.name}: generate() of the published model gives {said}, its rows {found.answer}")


def members(one: Conversation, kind: str, file: str, stop: int, limit: int) -> dict[str, Any]:
    """The line of a sample."""
    ends = one.answer[-1] == stop
    return {kind: file, "text": one.text, "prompt": one.rendered, "prompt_tokens": len(one.prompt), "max_tokens": limit,
            "ids": one.answer[:-1] if ends else one.answer, "finish": "stop" if ends else "length", "margin": round(one.margin, 4),
            "noise": {name: float(f"{value:.2e}") for name, value in one.noise.items()}}
