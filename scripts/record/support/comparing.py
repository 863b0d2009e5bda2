"""Compares a recording with an earlier one, byte by byte."""

from __future__ import annotations

import filecmp
from pathlib import Path


def files_below(place: Path) -> list[Path]:
    """The file itself, or all files below a directory but archives."""
    return [file for file in (place, *sorted(place.rglob("*"))) if file.is_file() and file.suffix != ".tar"]


def compare(fresh: Path, committed: Path, made: list[Path]) -> int:
    """Compares byte by byte; prints every file that differs or exists on one side only. Returns 1 if there is
    one."""
    n_files = 0
    differing: list[str] = []
    for place in dict.fromkeys(made):
        for ours, theirs in ((fresh, committed), (committed, fresh)):
            for file in files_below(ours / place):
                relative = file.relative_to(ours)
                n_files += ours is fresh
                other = theirs / relative
                if not other.is_file():
                    differing.append(f"{relative}: only in {ours}")
                elif ours is fresh and not filecmp.cmp(file, other, shallow=False):
                    differing.append(f"{relative}: bytes differ")
    print("\n".join(differing) if differing else f"{n_files} files recorded again, none differs")
    return 1 if differing else 0
