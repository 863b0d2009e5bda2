"""Directories of recorded cases. Their folder `observed` has the results of published systems (observatory/observe), which a new recording
leaves there: `make check-observed` fails if they no longer belong to the cases."""

from __future__ import annotations

import shutil
from pathlib import Path

OBSERVED = "observed"


def clear(directory: Path) -> None:
    """Removes what a recording has written, if the directory exists."""
    for entry in directory.iterdir() if directory.is_dir() else ():
        if entry.is_dir() and entry.name != OBSERVED:
            shutil.rmtree(entry)
        elif entry.is_file():
            entry.unlink()


def replace(made: Path, place: Path) -> None:
    """Moves a recorded directory to its place, instead of an earlier recording."""
    if (place / OBSERVED).is_dir():
        (place / OBSERVED).replace(made / OBSERVED)
    shutil.rmtree(place, ignore_errors=True)
    made.replace(place)


def recorded_files(place: Path) -> list[Path]:
    """The file itself, or all files below a directory but observations."""
    return [file for file in (place, *sorted(place.rglob("*"))) if file.is_file() and OBSERVED not in file.relative_to(place).parts]
