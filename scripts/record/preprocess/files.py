"""Small image files for the tests of lib/image/decode, and their pixels as transformers' load_image reads them."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Iterable, Iterator

import numpy as np
from PIL import Image
from transformers.image_utils import load_image

SIGNATURE = b"\x89PNG\r\n\x1a\n"
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # of a pixel, by colour type
KINDS = [(0, depth) for depth in (1, 2, 4, 8, 16)] + [(3, depth) for depth in (1, 2, 4, 8)] + \
    [(color, depth) for color in (2, 4, 6) for depth in (8, 16)]
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def packed(samples: np.ndarray, depth: int) -> bytes:
    """Rows of samples [height, n] without a filter."""
    if depth == 16:
        rows = [row.astype(">u2").tobytes() for row in samples]
    elif depth == 8:
        rows = [row.astype(np.uint8).tobytes() for row in samples]
    else:
        bits = (samples[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1
        rows = [np.packbits(row.reshape(-1).astype(np.uint8)).tobytes() for row in bits]
    return b"".join(b"\0" + row for row in rows)


def png(rng: np.random.Generator, height: int, width: int, color: int, depth: int, interlaced: bool,
        more: bytes = b"", n_colors: int | None = None) -> bytes:
    """A PNG file of noise; of a palette, n_colors entries."""
    n = SAMPLES[color]
    n_colors = n_colors or 2**depth
    samples = rng.integers(0, min(2**depth, 300 if depth == 16 else 256), (height, width, n))
    if depth == 16:
        samples *= rng.integers(1, 218, samples.shape)
    lines = samples.reshape(height, -1)
    if interlaced:
        passes = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        content = b"".join(packed(part.reshape(part.shape[0], -1), depth) for part in passes if part.size)
    else:
        content = packed(lines, depth)
    palette = chunk(b"PLTE", rng.integers(0, 256, n_colors * 3, np.uint8).tobytes()) if color == 3 else b""
    head = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return SIGNATURE + chunk(b"IHDR", head) + palette + more + chunk(b"IDAT", zlib.compress(content)) + chunk(b"IEND", b"")


def exif(orientation: int, order: str) -> bytes:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(f"{order}IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)


def pngs(rng: np.random.Generator) -> Iterator[bytes]:
    for color, depth in KINDS:
        for interlaced in (False, True):
            height, width = (int(n) for n in rng.integers(1, 14, 2))
            yield png(rng, height, width, color, depth, interlaced)
    yield png(rng, 5, 6, 3, 8, False, chunk(b"tRNS", bytes(range(100))))
    yield png(rng, 5, 6, 3, 8, False, n_colors=9)
    yield png(rng, 5, 6, 2, 8, False, chunk(b"tRNS", bytes(6)))
    yield png(rng, 5, 6, 0, 8, False, chunk(b"tRNS", b"\0\7"))
    yield png(rng, 5, 6, 2, 8, False, chunk(b"gAMA", struct.pack(">I", 100000)))
    for orientation in (3, 6):
        yield png(rng, 3, 5, 2, 8, False, chunk(b"eXIf", exif(orientation, ">")))


def jpegs(rng: np.random.Generator) -> Iterator[bytes]:
    def saved(image: Image.Image, **options: object) -> bytes:
        out = io.BytesIO()
        image.save(out, "JPEG", **options)
        return out.getvalue()

    def noise(*shape: int) -> Image.Image:
        small = rng.integers(0, 256, (4, 5, *shape[2:]), np.uint8)
        return Image.fromarray(small).resize((shape[1], shape[0]), Image.Resampling.BICUBIC)

    for subsampling in (0, 1, 2):
        for progressive in (False, True):
            yield saved(noise(19, 37, 3), quality=85, subsampling=subsampling, progressive=progressive)
    yield saved(noise(21, 18), quality=70)
    yield saved(noise(1, 1, 3))
    for orientation in range(0, 10):
        order = "<>"[orientation % 2]
        yield saved(noise(9, 20, 3), exif=b"Exif\0\0" + exif(orientation, order), quality=60)


def pnms(rng: np.random.Generator) -> Iterator[bytes]:
    for magic, n in ((b"P5", 1), (b"P6", 3)):
        for most in (1, 2, 9, 10, 100, 255, 256, 300, 1023, 65535):
            samples = rng.integers(0, most + 1, (3, 5 * n))
            yield magic + f"\n# comment\n5 3 # another\n{most}\n".encode() + \
                samples.astype(">u2" if most > 255 else np.uint8).tobytes()
    for magic, n in ((b"P2", 1), (b"P3", 3)):
        for most in (1, 2, 10, 255, 300, 65535):
            samples = rng.integers(0, most + 1, 15 * n)
            yield magic + f" 5 3 {most}\n".encode() + " ".join(map(str, samples)).encode() + b"\n"


def decoded(seed: int) -> Iterable[tuple[bytes, np.ndarray]]:
    """Files, and the pixels that load_image makes of them."""
    rng = np.random.default_rng(seed)
    for made in (pngs(rng), jpegs(rng), pnms(rng)):
        for content in made:
            yield content, np.array(load_image(Image.open(io.BytesIO(content))))
