"""Records picture files and the published verdicts: `python -m scripts.record.preprocess.pictures [DIR [SEED COUNT]]`.

pictures.bin  records with the name of a case: height, width and CRC-32 of the pixels, zeros if load_image raises an error; the file

Without COUNT the small systematic files are recorded, and some of the larger ones. With it all of them are, and COUNT of the same kinds
with damage drawn at random: `ASSAY_VECTORS=DIR lib/image/tests/check_pictures` compares them.
"""

from __future__ import annotations

import io
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from transformers.image_utils import load_image

from ..pixels import record
from . import bitmaps, gifs, jpegs, metadata, pngs, portable, webps

OUT = Path("lib/image/tests/vectors")
SMALL, LARGE, EVERY = 450, 3500, 6  # bytes of a file that is bundled; of one that is if its index is a multiple of EVERY
CHOSEN = {"jpeg-invalid-and-xmp-False", "jpeg-density-2-invalid-and-xmp", "jpeg-exif-in-two", "jpeg-xmp-two", "jpeg-marker-01", "jpeg-no-end",
          "jpeg-data-cut", "jpeg-CMYK-adobe-2", "png-ztxt-1048576", "png-ztxt-1048577"}  # larger files that are bundled, too
KINDS = (metadata, pngs, jpegs, portable, bitmaps, gifs, webps)


def systematic(seed: int) -> Iterator[tuple[str, bytes]]:
    """A name, and a file."""
    for kind in KINDS:
        yield from kind.files(np.random.default_rng(seed))


def bundled() -> Iterator[tuple[str, bytes]]:
    for index, (name, content) in enumerate(systematic(0)):
        if len(content) < SMALL or name in CHOSEN or (index % EVERY == 0 and len(content) < LARGE):
            yield name, content


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Some bytes changed, or the end cut off."""
    made = bytearray(content)
    if rng.integers(4) == 0:
        return bytes(made[:rng.integers(len(made))])
    span = len(made) if rng.integers(2) else min(len(made), 64)
    for _ in range(int(rng.integers(1, 4))):
        made[rng.integers(span)] = int(rng.choice((0, 1, 0xff, 0x7f, int(rng.integers(256)))))
    return bytes(made)


def drawn(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    rng = np.random.default_rng(seed)
    known = [(name, content) for name, content in systematic(seed) if len(content) < 4000]
    for index in range(count):
        name, content = known[index % len(known)]
        yield f"{name}-damaged", damaged(rng, content)


def verdict(content: bytes) -> tuple[int, int, int]:
    """Height, width and CRC-32 of the pixels; zeros if the published reader refuses the file, for whatever reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pixels = np.array(load_image(Image.open(io.BytesIO(content))))
        except Exception:
            return 0, 0, 0
    return *pixels.shape[:2], zlib.crc32(pixels.tobytes())


def recorded(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    for name, content in files:
        yield record(name, verdict(content), content)


def main(arguments: list[str]) -> int:
    out = Path(arguments[0]) if arguments else OUT
    seed, count = int(arguments[1]) if len(arguments) > 1 else 0, int(arguments[2]) if len(arguments) > 2 else 0
    out.mkdir(parents=True, exist_ok=True)
    made = [*recorded(systematic(seed)), *recorded(drawn(seed, count))] if count else [*recorded(bundled())]
    (out / "pictures.bin").write_bytes(b"".join(made))
    print(f"{out / 'pictures.bin'}: {len(made)} files, {(out / 'pictures.bin').stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
