"""Prompts of a user: one JSON object a line.

    {"text": "Once upon a time"}
    {"messages": [{"role": "user", "content": "Hello"}]}
    {"ids": [1, 15043, 29892]}
    {"text": "<image>What is this?", "images": ["cat.png"], "case": "cat"}

`text` is tokenised as the checkpoint's tokenizer does by default, `messages` are put through its chat template (with `tools`,
if given), `ids` are taken as they are. Prompts with the same `case` become the samples of one case, a batch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from ..media import images
from ..media.parts import Medium, Prompt
from .documents import Unsupported
from .skeleton import first_line

MEMBERS = ("text", "messages", "ids", "images", "tools", "case")
FORMS = ("text", "messages", "ids")
TEXT_ARRAYS = ("input_ids", "attention_mask")
CASE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


class Processed(Prompt):
    """A prompt that the published processor made. kinds: its arrays with one number for each token (the kinds of tokens), by
    name; tokens that are appended are text, kind 0."""

    def __init__(self, tokens: list[int], media: tuple[Medium, ...], kinds: dict[str, np.ndarray]):
        super().__init__(tokens, media)
        self.kinds = kinds

    def __add__(self, tokens: list[int]) -> Processed:
        more = {name: np.pad(array, ((0, 0), (0, len(tokens)))) for name, array in self.kinds.items()}
        return Processed([*self, *tokens], self.media, more)


def model_inputs(model: torch.nn.Module, prompt: Prompt) -> dict[str, torch.Tensor]:
    """The inputs of the published model. Those of a processed prompt are what the processor returned."""
    if not isinstance(prompt, Processed):
        return images.model_inputs(model, prompt)
    inputs = {"input_ids": torch.tensor([list(prompt)], dtype=torch.int64)}
    wide = np.float64 if model.dtype is torch.float64 else np.float32
    for name, array in (*images.joined(prompt.media).items(), *prompt.kinds.items()):
        inputs[name] = torch.from_numpy(array.astype(wide if array.dtype.kind == "f" else np.int64))
    return inputs


@dataclass(frozen=True)
class Sample:
    """place: FILE:LINE, for messages. n_images: of the prompt's media."""

    place: str
    case: str
    prompt: Prompt
    n_images: int = 0


def read_prompts(path: Path, checkpoint: Path, pictures: Path | None, vocab_size: int) -> list[Sample]:
    """The prompts of a file. Tokenizer and processor are opened only if a line needs them."""
    reader = Reader(checkpoint, pictures, vocab_size)
    samples = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            samples.append(reader.read(f"{path}:{number}", line, path.stem))
    if not samples:
        raise Unsupported(f"{path}: found no prompt, expected a JSON object in each line")
    return samples


class Reader:
    def __init__(self, checkpoint: Path, pictures: Path | None, vocab_size: int):
        self.checkpoint, self.pictures, self.vocab_size = checkpoint, pictures, vocab_size
        self._opened: dict[str, Any] = {}

    def _open(self, kind: str) -> Any:
        """AutoTokenizer or AutoProcessor of the checkpoint."""
        if kind not in self._opened:
            try:
                self._opened[kind] = getattr(transformers, kind).from_pretrained(
                    self.checkpoint, local_files_only=True, trust_remote_code=False)
            except Exception as error:  # of any type, as in skeleton.read_config
                raise Unsupported(f"{self.checkpoint}: {kind}: {first_line(error)}") from None
        return self._opened[kind]

    def read(self, place: str, line: str, default_case: str) -> Sample:
        try:
            document = json.loads(line)
        except ValueError as error:
            raise Unsupported(f"{place}: {error}") from None
        if not isinstance(document, dict):
            raise Unsupported(f"{place}: found {type(document).__name__}, expected an object")
        if unknown := sorted(document.keys() - set(MEMBERS)):
            raise Unsupported(f"{place}: {unknown[0]}: unknown member, expected one of {', '.join(MEMBERS)}")
        forms = [name for name in FORMS if name in document]
        if len(forms) != 1:
            raise Unsupported(f"{place}: found {' and '.join(forms) or 'no prompt'}, expected one of {', '.join(FORMS)}")
        case = document.get("case", default_case)
        if not isinstance(case, str) or not CASE_NAME.fullmatch(case):
            raise Unsupported(f"{place}: case: found {case!r}, expected letters, digits, `_`, `.` and `-`")
        if "images" in document:
            return self._with_images(place, case, document, forms[0])
        ids = getattr(self, f"_{forms[0]}")(place, document)
        return Sample(place, case, Prompt(self._checked(place, ids)))

    def _checked(self, place: str, ids: list[int]) -> list[int]:
        if not ids:
            raise Unsupported(f"{place}: the prompt has no tokens")
        for index, token in enumerate(ids):
            if not isinstance(token, int) or isinstance(token, bool) or not 0 <= token < self.vocab_size:
                raise Unsupported(f"{place}: token {index} is {token!r}, expected a number from 0 to {self.vocab_size - 1}")
        return ids

    def _ids(self, place: str, document: dict) -> list[int]:
        if not isinstance(document["ids"], list):
            raise Unsupported(f"{place}: ids: found {type(document['ids']).__name__}, expected a list of numbers")
        return document["ids"]

    def _text(self, place: str, document: dict) -> list[int]:
        if not isinstance(document["text"], str):
            raise Unsupported(f"{place}: text: found {type(document['text']).__name__}, expected a string")
        return self._asked(place, "text", lambda: self._open("AutoTokenizer")(document["text"])["input_ids"])

    def _messages(self, place: str, document: dict) -> list[int]:
        return self._asked(place, "messages", lambda: self._open("AutoTokenizer").apply_chat_template(
            document["messages"], tools=document.get("tools"), add_generation_prompt=True, return_dict=True)["input_ids"])

    def _asked(self, place: str, member: str, ask: Callable[[], Any]) -> Any:
        """What the published tokenizer or processor answers. It raises errors of any type."""
        try:
            return ask()
        except Exception as error:  # noqa: BLE001
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise Unsupported(f"{place}: {member}: {self.checkpoint}: {reason}") from None

    def _with_images(self, place: str, case: str, document: dict, form: str) -> Sample:
        """The published processor puts the placeholder tokens where the text, or the message, has an image."""
        names = document["images"]
        if form == "ids":
            raise Unsupported(f"{place}: images: expected text or messages with them, found ids")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise Unsupported(f"{place}: images: found {names!r}, expected a list of file names")
        pictures = [self._picture(place, name) for name in names]
        text = document["text"] if form == "text" else self._asked(
            place, "messages", lambda: self._open("AutoProcessor").apply_chat_template(
                document["messages"], tools=document.get("tools"), add_generation_prompt=True, tokenize=False))
        found = self._asked(place, "images", lambda: self._open("AutoProcessor")(
            text=[text], images=pictures, return_tensors="np"))
        ids = [int(token) for token in found["input_ids"][0]]
        arrays = {name: narrowed(np.asarray(value)) for name, value in found.items() if name not in TEXT_ARRAYS}
        kinds = {name: array for name, array in arrays.items() if array.shape == (1, len(ids))}
        medium = Medium("image", {name: array for name, array in arrays.items() if name not in kinds})
        return Sample(place, case, Processed(self._checked(place, ids), (medium,), kinds), len(names))

    def _picture(self, place: str, name: str) -> Any:
        from PIL import Image
        path = (self.pictures or Path()) / name
        try:
            with Image.open(path) as picture:
                return picture.convert("RGB")
        except OSError as error:
            raise Unsupported(f"{place}: images: {path}: {error.strerror or error}") from None


def narrowed(array: np.ndarray) -> np.ndarray:
    """The types in which cases store inputs."""
    return array.astype({"f": np.float32, "i": np.int32, "u": np.int32, "b": np.int32}[array.dtype.kind])


def datasets(samples: list[Sample]) -> dict[str, np.ndarray]:
    """The arrays of a case below /input for the images of its samples."""
    media = [medium for sample in samples for medium in sample.prompt.media]
    if not media:
        return {}
    names = dict.fromkeys(name for medium in media for name in medium.arrays)
    found = {f"/input/{name}": np.concatenate([m.arrays[name] for m in media if name in m.arrays]) for name in names}
    owners = [index for index, sample in enumerate(samples) for _ in range(sample.n_images)]
    return found | {"/input/image_sample": np.array(owners, np.int32)}
