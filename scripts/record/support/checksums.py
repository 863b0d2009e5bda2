"""Writes MODEL.crc32 next to a checkpoint: the CRC-32 of its files, by which `assay run` tells a corrupt checkpoint
from a wrong engine.

    python -m scripts.record.support.checksums DIR    # of every directory `model` below
"""

from __future__ import annotations

import os
import re
import sys
import zlib
from pathlib import Path

BLOCK_BYTES = 1 << 22
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


def write(model: Path) -> None:
    """Of a checkpoint that is a file, the list has the file alone, or all files that are its parts (NAME-00001-of-00003.gguf)."""
    files = sorted(model.iterdir()) if model.is_dir() else sorted(model.parent.glob(re.sub(r"-00001-of-(\d{5})\.gguf$", r"-?????-of-\1.gguf", model.name)))
    write_list(files, model.with_name(model.name + ".crc32"))


def write_list(files: list[Path], path: Path) -> None:
    text = "".join(f"{checksum(file):08x}  {file.name}\n" for file in files)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    for directory in sys.argv[1:]:
        for found in Path(directory).rglob("model"):
            write(found)
