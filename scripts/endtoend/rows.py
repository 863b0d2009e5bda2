"""The rows and columns of the end-to-end table, and the recorded cases of a row.

Names families: the table has rows of some.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Family (model_type), and the storage in which its published checkpoint is usually served
ROWS = {"qwen2_5_vl": "4-bit", "qwen2_vl": "4-bit", "qwen3_vl": "bf16", "qwen3_vl_moe": "4-bit", "qwen3_5": "bf16",
        "paddleocr_vl": "8-bit", "gemma3n": "8-bit", "falcon_ocr": "bf16", "hunyuan_vl": "bf16", "mllama": "8-bit",
        "glm4v": "4-bit", "glm_ocr": "8-bit"}
# Of families beside the table: asked with --row
BESIDE = {"moondream3": "bf16", "qwen3_omni_moe": "bf16"}
STORAGE = {**ROWS, **BESIDE}
COLUMNS = ("generate", "one request", "three requests")
SCHEMA = "assay-e2e/1"
CASES = "conversations.jsonl"


class Broken(Exception):
    """Why a case cannot be used: file, member, what was found and what was expected."""


@dataclass(frozen=True)
class Sample:
    """A conversation with an image or an audio clip, and the truth's greedy answer.

    kind: image or sound. file: its name.
    ids: the answer's tokens, without the stop id that ends it if `finish` is "stop".
    """

    kind: str
    file: str
    text: str
    prompt: str
    prompt_tokens: int
    max_tokens: int
    ids: tuple[int, ...]
    finish: str


@dataclass(frozen=True)
class Case:
    """The recorded samples of a row. pieces: the text of each token id."""

    directory: Path
    samples: tuple[Sample, ...]
    pieces: dict[int, str]

    @property
    def model(self) -> Path:
        return self.directory / "model"


def member(document: Any, name: str, kind: type, place: str) -> Any:
    if not isinstance(document, dict) or name not in document:
        raise Broken(f"{place}: member {name}: not found, expected {kind.__name__}")
    value = document[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Broken(f"{place}: member {name}: found {value!r}, expected {kind.__name__}")
    return value


def parse(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise Broken(f"{path}:{number}: {error}") from None


def read_sample(document: Any, place: str) -> Sample:
    def text(name: str) -> str:
        return member(document, name, str, place)

    def count(name: str) -> int:
        return member(document, name, int, place)

    ids = member(document, "ids", list, place)
    for k, one in enumerate(ids):
        if not isinstance(one, int) or isinstance(one, bool) or one < 0:
            raise Broken(f"{place}: member ids[{k}]: found {one!r}, expected a token id")
    if not ids or len(ids) > count("max_tokens"):
        raise Broken(f"{place}: member ids: found {len(ids)} tokens, expected 1 to {count('max_tokens')}")
    kind = "sound" if isinstance(document, dict) and "sound" in document else "image"
    return Sample(kind, text(kind), text("text"), text("prompt"), count("prompt_tokens"), count("max_tokens"), tuple(ids), text("finish"))


def read_pieces(path: Path) -> dict[int, str]:
    """The text of each token of a byte-level tokenizer.json, by its id. Fails if two tokens have the same text: an answer
    would not tell them apart."""
    document = parse(path, 1, path.read_text(encoding="utf-8"))
    spelled = {**member(member(document, "model", dict, str(path)), "vocab", dict, str(path)),
               **{one["content"]: one["id"] for one in member(document, "added_tokens", list, str(path))}}
    pieces = {number: token.replace("\u0120", " ").replace("\u010a", "\n") for token, number in spelled.items()}
    if len(set(pieces.values())) != len(spelled):
        raise Broken(f"{path}: two tokens have the same text")
    return pieces


def read(directory: Path) -> Case:
    """The cases of a row. Raises Broken, or OSError if a file cannot be read."""
    path = directory / CASES
    lines = path.read_text(encoding="utf-8").splitlines()
    head = parse(path, 1, lines[0] if lines else "")
    if member(head, "schema", str, f"{path}:1") != SCHEMA:
        raise Broken(f"{path}:1: member schema: found {head['schema']!r}, expected {SCHEMA!r}")
    samples = tuple(read_sample(parse(path, number, line), f"{path}:{number}") for number, line in enumerate(lines[1:], 2))
    if len(samples) != 3:
        raise Broken(f"{path}: found {len(samples)} samples, expected 3")
    if len({one.ids for one in samples}) != len(samples):
        raise Broken(f"{path}: two samples have the same ids, expected answers that tell the images or audio clips apart")
    return Case(directory, samples, read_pieces(directory / "model" / "tokenizer.json"))
