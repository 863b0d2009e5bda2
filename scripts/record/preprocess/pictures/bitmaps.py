"""BMP files: headers, depths, palettes, bit fields, run lengths, directions and ends."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np


def bmp(width: int, height: int, bits: int, data: bytes, palette: bytes = b"", head: int = 40, compression: int = 0, colors: int = 0,
        masks: bytes = b"", offset: int | None = None) -> bytes:
    if head == 12:
        info = struct.pack("<IHHHH", 12, width, height & 0xffff, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", head, width, height, 1, bits, compression, len(data), 2835, 2835, colors, 0)
        info = (info + (masks if head >= 52 else b"")).ljust(head, b"\0")[:head]
        if head < 52:
            info += masks
    at = 14 + len(info) + len(palette) if offset is None else offset
    return b"BM" + struct.pack("<IHHI", at + len(data), 0, 0, at) + info + palette + data


def noise(rng: np.random.Generator, width: int, height: int, bits: int) -> bytes:
    return rng.integers(0, 256, ((width * bits + 31) // 32 * 4 * abs(height)), np.uint8).tobytes()


def depths(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for bits in (1, 2, 4, 8, 16, 24, 32, 0, 64):
        for height in (3, -3):
            colors = 2**bits if bits <= 8 else 0
            palette = rng.integers(0, 256, colors * 4, np.uint8).tobytes()
            yield f"depth-{bits}-{height}", bmp(5, height, bits, noise(rng, 5, height, bits), palette)
    for head in (12, 40, 52, 56, 64, 108, 124, 16, 41):
        palette = rng.integers(0, 256, 16 * (3 if head == 12 else 4), np.uint8).tobytes()
        yield f"header-{head}", bmp(5, 3, 4, noise(rng, 5, 3, 4), palette, head)
        yield f"header-{head}-rgb", bmp(5, 3, 24, noise(rng, 5, 3, 24), b"", head)
    for width in range(1, 10):
        yield f"bits-{width}", bmp(width, 2, 1, noise(rng, width, 2, 1), rng.integers(0, 256, 8, np.uint8).tobytes())


def palettes(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    gray = b"".join(bytes([i, i, i, 0]) for i in range(256))
    data = noise(rng, 6, 3, 8)
    yield "gray-256", bmp(6, 3, 8, data, gray)
    yield "gray-16", bmp(6, 3, 8, data, gray[:64], colors=16)
    yield "gray-not-quite", bmp(6, 3, 8, data, gray[:-4] + bytes(4))
    yield "black-white", bmp(6, 3, 1, noise(rng, 6, 3, 1), b"\0\0\0\0\xff\xff\xff\0")
    yield "white-black", bmp(6, 3, 1, noise(rng, 6, 3, 1), b"\xff\xff\xff\0\0\0\0\0")
    yield "gray-of-4-bits", bmp(6, 3, 4, noise(rng, 6, 3, 4), gray[:64])
    yield "gray-of-4-bits-2", bmp(6, 3, 4, noise(rng, 6, 3, 4), b"\0\0\0\0\xff\xff\xff\0", colors=2)
    yield "gray-of-8-bits-2", bmp(6, 3, 8, noise(rng, 6, 3, 8), b"\0\0\0\0\xff\xff\xff\0", colors=2)
    yield "gray-of-8-bits-1", bmp(6, 3, 8, noise(rng, 6, 3, 8), b"\0\0\0\0", colors=1)
    yield "gray-of-1-bit-1", bmp(6, 3, 1, noise(rng, 6, 3, 1), b"\0\0\0\0", colors=1)
    for colors in (1, 9, 256, 257, 300, 65536, 65537, 0x80000000):
        yield f"colors-{colors}", bmp(6, 3, 8, data, rng.integers(0, 256, min(colors, 300) * 4, np.uint8).tobytes(), colors=colors)
    yield "palette-cut", bmp(6, 3, 8, data, bytes(40), offset=14 + 40)
    yield "offset-0", bmp(6, 3, 24, noise(rng, 6, 3, 24), offset=0)
    yield "offset-54-palette", bmp(6, 3, 8, data, rng.integers(0, 256, 1024, np.uint8).tobytes(), offset=54)
    yield "offset-gap", bmp(6, 3, 24, b"gap!" + noise(rng, 6, 3, 24), offset=58)
    yield "offset-outside", bmp(6, 3, 24, noise(rng, 6, 3, 24), offset=5000)
    yield "offset-in-header", bmp(6, 3, 24, noise(rng, 6, 3, 24), offset=20)
    yield "data-cut", bmp(6, 3, 24, noise(rng, 6, 3, 24)[:-1])
    yield "data-cut-padding", bmp(5, 3, 24, noise(rng, 5, 3, 24)[:-1])
    yield "header-cut", bmp(5, 3, 24, b"")[:30]


def fields(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    layouts = {32: ((0xFF0000, 0xFF00, 0xFF, 0), (0xFF000000, 0xFF0000, 0xFF00, 0), (0xFF000000, 0xFF00, 0xFF, 0), (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
                    (0xFF, 0xFF00, 0xFF0000, 0xFF000000), (0xFF0000, 0xFF00, 0xFF, 0xFF000000), (0xFF000000, 0xFF00, 0xFF, 0xFF0000), (0, 0, 0, 0),
                    (0xFF, 0xFF00, 0xFF0000, 0)),
               24: ((0xFF0000, 0xFF00, 0xFF, 0), (0xFF, 0xFF00, 0xFF0000, 0)), 16: ((0xF800, 0x7E0, 0x1F, 0), (0x7C00, 0x3E0, 0x1F, 0), (0xF000, 0xF00, 0xF0, 0)),
               8: ((0xE0, 0x1C, 3, 0),)}
    for bits, masks in layouts.items():
        for number, mask in enumerate(masks):
            for head in (40, 52, 56, 108):
                packed = struct.pack("<4I", *mask)[:16 if head > 52 else 12]
                yield f"fields-{bits}-{number}-{head}", bmp(3, 2, bits, noise(rng, 3, 2, bits), b"", head, 3, masks=packed)


def runs(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    palette = rng.integers(0, 256, 1024, np.uint8).tobytes()
    streams = {
        "plain": b"\5\1\0\0\3\2\2\3\0\0\5\4\0\1", "absolute": b"\0\5\1\2\3\4\5\0\0\0\5\1\0\0\0\3\7\x08\x09\0\2\6\0\1", "short": b"\5\1\0\1", "cut": b"\5\1\0",
        "delta": b"\2\1\0\2\1\1\2\3\0\1", "too-wide": b"\x09\1\0\0\5\2\0\0\5\3\0\1", "no-end": b"\5\1\0\0\5\2\0\0\5\3", "delta-cut": b"\5\1\0\2\1",
        "absolute-cut": b"\0\5\1\2\3", "over": b"\5\1" * 9, "nothing": b"", "delta-over": b"\0\2\xff\xff", "lines": b"\0\0\0\0\0\0\0\1", "indices": b"\5\xff\0\0\5\xfe\0\0\5\xfd",
        "absolute-over": b"\0\x14" + bytes(range(20)), "run-then-more": b"\3\1\3\2\0\0\5\1\0\0\5\1", "odd-absolute": b"\0\3\1\2\3\0\2\x21\5\1\0\0\5\2",
    }
    for name, stream in streams.items():
        for compression, bits, colors in ((1, 8, 256), (2, 4, 16)):
            for height in (3, -3):
                yield f"rle-{compression}-{name}-{height}", bmp(5, height, bits, stream, palette[:colors * 4], compression=compression)
    gray = b"".join(bytes([i, i, i, 0]) for i in range(256))
    yield "rle-gray", bmp(5, 3, 8, streams["plain"], gray, compression=1)
    yield "rle-black-white", bmp(5, 3, 4, streams["plain"], b"\0\0\0\0\xff\xff\xff\0", compression=2, colors=2)
    yield "rle-of-1-bit", bmp(5, 3, 1, streams["plain"], b"\0\0\0\0\xff\xff\xff\0", compression=1)
    yield "rle-of-24-bits", bmp(5, 3, 24, streams["plain"], compression=1)
    yield "rle-8-of-4-bits", bmp(5, 3, 4, streams["plain"], palette[:64], compression=1)
    for compression in (4, 5, 6, 99):
        yield f"compression-{compression}", bmp(5, 3, 24, noise(rng, 5, 3, 24), compression=compression)


def sizes(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for width, height in ((0, 1), (1, 0), (-1, 1), (20000, 20000), (1, -0x1000000), (1, -0x7fffffff)):
        yield f"size-{width}-{height}", bmp(width, height, 24, bytes(8))
    yield "size-12", bmp(0xffff, 1, 1, bytes(8192), bytes(6), head=12)


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for kind in (depths, palettes, fields, runs, sizes):
        for name, content in kind(rng):
            yield f"bmp-{name}", content
