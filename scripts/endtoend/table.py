"""The cells of the table, and its forms: for a terminal, Markdown, JSON."""

from __future__ import annotations

import http.client
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import asking, rows

PASSED, FAILED, MISSING = "passed", "FAILED", "no case"
HEAD = ("family", "storage", *rows.COLUMNS)


@dataclass(frozen=True)
class Cell:
    """verdict: PASSED, FAILED or MISSING. reason: empty if passed."""

    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Line:
    """A row of the table: one cell for each of rows.COLUMNS."""

    family: str
    storage: str
    cells: tuple[Cell, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return (self.family, self.storage, *(cell.verdict for cell in self.cells))


def judged(ask: Callable[[], None]) -> Cell:
    """Also an answer without a member, or none at all, is a failure of its cell."""
    try:
        ask()
    except (asking.Wrong, rows.Broken) as error:
        return Cell(FAILED, str(error))
    except (OSError, ValueError, LookupError, TypeError, http.client.HTTPException, subprocess.SubprocessError) as error:
        return Cell(FAILED, f"{type(error).__name__}: {error}")
    return Cell(PASSED)


def asked(assay: str, engine: str, case: rows.Case) -> tuple[Cell, ...]:
    cells = [judged(lambda: asking.generate(assay, engine, case))]

    def served() -> None:
        with asking.serving(assay, engine, case) as server:
            cells.extend((judged(lambda: asking.one_request(server, case)), judged(lambda: asking.three_requests(server, case))))

    whole = judged(served)
    if whole.verdict != PASSED:  # it did not start, or did not end as it should
        cells[1:] = [one if one.verdict == FAILED else whole for one in (cells[1:] or [whole, whole])]
    return tuple(cells)


def line(assay: str, engine: str, fixtures: Path, family: str) -> Line:
    """Runs a row. A family without a recorded case has no cell that passes."""
    directory, storage = fixtures / family, rows.STORAGE[family]
    if not directory.is_dir():
        missing = Cell(MISSING, f"not supported yet: there is no {directory / rows.CASES}")
        return Line(family, storage, (missing,) * len(rows.COLUMNS))
    try:
        case = rows.read(directory)
    except (rows.Broken, OSError, UnicodeError) as error:
        return Line(family, storage, (Cell(FAILED, f"broken case: {error}"),) * len(rows.COLUMNS))
    return Line(family, storage, asked(assay, engine, case))


def count(lines: list[Line]) -> str:
    cells = [cell for one in lines for cell in one.cells]
    return f"{sum(cell.verdict == PASSED for cell in cells)} of {len(cells)} cells passed"


def reasons(lines: list[Line]) -> list[str]:
    """A line for each cell that did not pass; one for a whole row that is not supported."""
    found: dict[str, None] = {}
    for one in lines:
        for column, cell in zip(rows.COLUMNS, one.cells):
            if cell.verdict == MISSING:
                found[f"{one.family}: {cell.reason}"] = None
            elif cell.verdict != PASSED:
                found[f"{one.family}, {column}: {cell.reason}"] = None
    return list(found)


def terminal(lines: list[Line]) -> str:
    table = [HEAD, *(one.words for one in lines)]
    widths = [max(len(words[k]) for words in table) for k in range(len(HEAD))]
    shown = ["  ".join(word.ljust(width) for word, width in zip(words, widths)).rstrip() for words in table]
    return "\n".join([*shown, *reasons(lines), count(lines)]) + "\n"


def markdown(lines: list[Line]) -> str:
    table = [HEAD, ("---",) * len(HEAD), *(one.words for one in lines)]
    shown = ["| " + " | ".join(words) + " |" for words in table]
    listed = [f"- {reason}" for reason in reasons(lines)]
    return "\n".join([*shown, "", f"{count(lines)}.", *([""] if listed else []), *listed]) + "\n"


def document(lines: list[Line], engine: str) -> dict[str, Any]:
    return {"schema": "assay-e2e-results/1", "engine": engine, "passed": all(c.verdict == PASSED for one in lines for c in one.cells),
            "rows": [{"family": one.family, "storage": one.storage,
                      "cells": {column: {"verdict": cell.verdict, **({"reason": cell.reason} if cell.reason else {})}
                                for column, cell in zip(rows.COLUMNS, one.cells)}} for one in lines]}
