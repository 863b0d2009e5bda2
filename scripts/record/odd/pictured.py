"""A checkpoint of an end-to-end row that takes pictures, with two pictures of one size for one text: their prompts have the same tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scripts.endtoend.rows import STORAGE

from ..case import case_file
from ..e2e.__main__ import open_checkpoint, write_samples
from ..e2e.conversations import Drawer, opened
from ..e2e.rows import ROWS, Vocabulary, write_files

CATCHES = "a server that finds the features of an image by the tokens of its prompt"


@dataclass(frozen=True)
class Pictured:
    """row: of the end-to-end cases. texts: the prompts without pictures. n_decode, n_tokens: tokens of the recorded answers to these, and to
    pictures."""

    name: str
    about: str
    row: str
    texts: tuple[str, ...]
    n_decode: int = 6
    n_tokens: int = 3

    def prompts(self) -> list[dict[str, Any]]:
        return [{"messages": [{"role": "user", "content": text}]} for text in self.texts]

    def write(self, directory: Path, seed: int, _bundled: Path | None) -> None:
        row = ROWS[self.row]
        checkpoint = open_checkpoint(self.row, row, seed)
        checkpoint.write(directory, [checkpoint.idle_id], checkpoint.idle_id)
        write_files(row, checkpoint, Vocabulary(row, checkpoint), directory)

    def write_requests(self, directory: Path, seed: int) -> None:
        """conversations.jsonl beside the truth, and its pictures, in the form of the end-to-end cases."""
        row = replace(ROWS[self.row], n_tokens=self.n_tokens)
        checkpoint = open_checkpoint(self.row, row, seed)
        drawer = Drawer(row, checkpoint, Vocabulary(row, checkpoint), opened(row, directory / "model"), seed)
        first = drawer.sample([])
        write_samples(directory, [first, drawer.sample([first], like=first)], checkpoint.idle_id, row.n_tokens, {
            "storage": STORAGE[self.row], "source": f"{case_file.source(checkpoint)}, float64; its processors with PIL",
            "recorder": f"scripts/record/odd, seed {seed}", "catches": CATCHES})


PICTURED = (Pictured("pictures", "two pictures of one size for one text", "qwen3_5", ("good day", "is it so", "a long time ago, so it is said")),)
