"""Shared by the sections of observatory/FINDINGS.md on text: sorting trials by cause, and writing Markdown."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """An entry of the findings: its title, the cause of the divergence, and the required behaviour."""

    title: str
    cause: str
    must: str


def sort_by_cause(names: Iterable[str], drawn: Callable[[str], Iterable[tuple]], n: int, causes: Iterable[str],
                  cause_of: Callable[[T], str | None]) -> tuple[int, dict[str, dict[str, list[T]]]]:
    """Draws n trials for each parser; the trial is the last member of each drawn tuple. Returns the number of trials
    without a cause, and the others by cause and parser."""
    n_sound = 0
    trials: dict[str, dict[str, list[T]]] = {cause: {} for cause in causes}
    for name in names:
        for *_, trial in itertools.islice(drawn(name), n):
            cause = cause_of(trial)
            n_sound += cause is None
            if cause:
                trials[cause].setdefault(name, []).append(trial)
    return n_sound, trials


def code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def wrapped(text: str, first: str = "") -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 136, initial_indent=first, subsequent_indent="  " if first else "",
                         break_long_words=False, break_on_hyphens=False)
