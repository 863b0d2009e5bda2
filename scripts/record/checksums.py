"""Writes MODEL.crc32 next to a checkpoint: the CRC-32 of its files, by which `assay run` tells a corrupt checkpoint
from a wrong engine.

    python -m scripts.record.checksums fixtures    # of every directory `model` below
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path


def write(model: Path) -> None:
    lines = [f"{zlib.crc32(file.read_bytes()):08x}  {file.name}\n" for file in sorted(model.iterdir())]
    model.with_name(model.name + ".crc32").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    for directory in sys.argv[1:]:
        for found in Path(directory).rglob("model"):
            write(found)
