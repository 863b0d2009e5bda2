"""Shared by the kinds of texts: counting trials by finding and subject."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")
Row = list[str]  # a line of examples.tsv


def quoted(deltas: list[str]) -> str:
    return " ".join(json.dumps(delta, ensure_ascii=False) for delta in deltas)


def rows_of(kind: str, drawn: Mapping[str, Iterable[T]], cause_of: Callable[[T], str | None], example: Callable[[str, list[T]], Row]) -> list[Row]:
    """A row for each finding and subject. drawn: the trials of each subject; example: subject, what was given, what was found, the other answer."""
    n_drawn, found = {name: 0 for name in drawn}, {}
    for name, trials in drawn.items():
        for trial in trials:
            n_drawn[name] += 1
            if cause := cause_of(trial):
                found.setdefault(cause, {}).setdefault(name, []).append(trial)
    made = []
    for cause, subjects in sorted(found.items()):
        for name, those in subjects.items():
            subject, *cells = example(cause, those)
            made.append([f"{kind}-{cause}", subject, f"{len(those)} of {n_drawn[name]}", *(cell.replace("\n", " ") for cell in cells)])
    return made
