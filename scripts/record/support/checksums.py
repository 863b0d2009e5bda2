"""The CRC-32 of a checkpoint's files, by which `assay run` tells a corrupt checkpoint from a wrong engine: MODEL.crc32 next to the
checkpoint, or lines in the index of a directory above it, as conformance/support/checksums.h says.

    python -m scripts.record.support.checksums fixtures    # of every directory `model` below; the index, if an index covers DIR
"""

from __future__ import annotations

import fcntl
import os
import sys
import zlib
from pathlib import Path

BLOCK_BYTES = 1 << 22
INDEX = "CRC32SUMS"
# Of the files that must have a line, as conformance/support/checksums.c says.
SUFFIXES = (".safetensors", ".bin", ".gguf", ".npz", ".pth", ".json", ".jinja", ".model", ".txt")


def checksum(file: Path) -> int:
    """The CRC-32 of a file of any size."""
    found = 0
    with open(file, "rb") as opened:
        while block := opened.read(BLOCK_BYTES):
            found = zlib.crc32(block, found)
    return found


def checkpoint_files(checkpoint: Path) -> list[Path]:
    """The files of a checkpoint that must have a line: those from which engines read weights, settings or texts."""
    return [file for file in sorted(checkpoint.iterdir()) if file.is_file() and file.suffix in SUFFIXES]


def list_of(model: Path) -> Path:
    return model.with_name(model.name + ".crc32")


def write(model: Path) -> None:
    write_list(sorted(model.iterdir()), list_of(model))


def write_list(files: list[Path], path: Path) -> None:
    replace_text(path, "".join(f"{checksum(file):08x}  {file.name}\n" for file in files))


def replace_text(path: Path, text: str) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def start_index(top: Path) -> None:
    """An empty index: update() writes there the lines of checkpoints below `top`."""
    (top / INDEX).touch()


def index_of(place: Path) -> Path | None:
    """The index of the nearest directory that has one: `place`, or one above it."""
    return next((above / INDEX for above in (place.resolve(), *place.resolve().parents) if (above / INDEX).is_file()), None)


def lines_below(index: Path, place: Path) -> dict[str, str]:
    """Path below a place -> line: those of the files there. The place is in the directory of the index."""
    start = "".join(f"{name}/" for name in place.resolve().relative_to(index.parent).parts)
    lines = ((line[10:], line) for line in index.read_text(encoding="utf-8").splitlines())
    return {path[len(start):]: line for path, line in lines if path.startswith(start)}


def sums_below(place: Path) -> dict[str, str]:
    """Path below a place -> checksum, from the index. Empty if there is no index."""
    index = index_of(place)
    return {path: line[:8] for path, line in lines_below(index, place).items()} if index else {}


def update(place: Path) -> None:
    """Replaces the index's lines of all checkpoints below a place, and removes the lists next to them. Nothing if there is no index."""
    if not (index := index_of(place)):
        return
    top, models = index.parent, [model for model in sorted(place.resolve().rglob("model")) if model.is_dir()]
    fresh = {(path := file.relative_to(top).as_posix()): f"{checksum(file):08x}  {path}" for model in models for file in model.iterdir()}
    held = os.open(top, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)  # another process may record another family
        old = lines_below(index, place).values()
        lines = {path: line for path, line in lines_below(index, top).items() if line not in old} | fresh
        replace_text(index, "".join(f"{lines[path]}\n" for path in sorted(lines)))
    finally:
        os.close(held)
    for model in models:
        list_of(model).unlink(missing_ok=True)


def main(places: list[Path]) -> None:
    for place in places:
        if index_of(place):
            update(place)
        else:
            for model in place.rglob("model"):
                write(model)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
