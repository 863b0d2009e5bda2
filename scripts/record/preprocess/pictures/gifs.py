"""GIF files: colour tables, frames beside the screen, interlaced and transparent ones, extensions, damaged codes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np


def codes(pixels: np.ndarray, bits: int, clear_every: int = 10**9, end: bool = True) -> bytes:
    """LZW codes of the indices, as blocks."""
    clear, stop = 1 << bits, (1 << bits) + 1
    out: list[tuple[int, int]] = []
    table: dict[tuple[int, ...], int] = {}
    size, word = bits + 1, ()

    def restart() -> None:
        nonlocal size
        table.clear()
        table.update({(i,): i for i in range(clear)})
        size = bits + 1
    restart()
    out.append((clear, size))
    following = stop + 1
    for count, value in enumerate(pixels.reshape(-1).tolist(), 1):
        if word + (value,) in table:
            word += (value,)
            continue
        out.append((table[word], size))
        if following < 4096:
            table[word + (value,)] = following
            following += 1
            if following > 1 << size and size < 12:
                size += 1
        word = (value,)
        if count % clear_every == 0:
            out.append((table[word], size))
            out.append((clear, size))
            restart()
            following, word = stop + 1, ()
    if word:
        out.append((table[word], size))
    if end:
        out.append((stop, size))
    number, at = 0, 0
    for code, width in out:
        number |= code << at
        at += width
    return blocks(number.to_bytes((at + 7) // 8, "little"))


def blocks(content: bytes) -> bytes:
    return b"".join(bytes([len(content[i:i + 255])]) + content[i:i + 255] for i in range(0, len(content), 255)) + b"\0"


def gif(screen: tuple[int, int], table: bytes, *parts: bytes, version: bytes = b"89a", background: int = 0) -> bytes:
    flags = 0x80 | (len(table) // 3).bit_length() - 2 if table else 0
    return b"GIF" + version + struct.pack("<HHBBB", *screen, flags, background, 0) + table + b"".join(parts) + b";"


def frame(pixels: np.ndarray, bits: int, left: int = 0, top: int = 0, table: bytes = b"", interlaced: bool = False, data: bytes | None = None) -> bytes:
    height, width = pixels.shape
    flags = (0x80 | (len(table) // 3).bit_length() - 2 if table else 0) | (0x40 if interlaced else 0)
    if interlaced:
        pixels = pixels[[y for start, step in ((0, 8), (4, 8), (2, 4), (1, 2)) for y in range(start, height, step)]]
    return b"," + struct.pack("<HHHHB", left, top, width, height, flags) + table + bytes([bits]) + (codes(pixels, bits) if data is None else data)


def control(transparent: int | None = None, disposal: int = 0) -> bytes:
    return b"!\xf9\4" + struct.pack("<BHB", disposal << 2 | (transparent is not None), 9, transparent or 0) + b"\0"


def valid(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    def indices(height: int, width: int, bits: int) -> np.ndarray:
        return rng.integers(0, 2**bits, (height, width))

    def table(bits: int) -> bytes:
        return rng.integers(0, 256, 3 << bits, np.uint8).tobytes()
    for bits in range(1, 9):
        yield f"bits-{bits}", gif((7, 5), table(bits), frame(indices(5, 7, bits), max(bits, 2)))
    yield "large", gif((70, 70), table(8), frame(indices(70, 70, 8), 8))
    yield "repeated", gif((60, 60), table(2), frame(np.zeros((60, 60), int), 2))
    yield "local-table", gif((4, 3), b"", frame(indices(3, 4, 4), 4, table=table(4)))
    yield "both-tables", gif((4, 3), table(4), frame(indices(3, 4, 4), 4, table=table(4)))
    yield "no-table", gif((4, 3), b"", frame(indices(3, 4, 8), 8))
    for height in (1, 2, 3, 4, 5, 8, 9, 17):
        yield f"interlaced-{height}", gif((3, height), table(4), frame(indices(height, 3, 4), 4, interlaced=True))
    yield "beside", gif((8, 8), table(4), frame(indices(3, 4, 4), 4, 2, 3), background=5)
    yield "beside-interlaced", gif((8, 9), table(4), frame(indices(5, 4, 4), 4, 2, 3, interlaced=True))
    yield "beside-transparent", gif((8, 8), table(4), control(7), frame(indices(3, 4, 4), 4, 2, 3))
    yield "outside", gif((2, 2), table(4), frame(indices(3, 4, 4), 4))
    yield "outside-moved", gif((2, 2), table(4), frame(indices(3, 4, 4), 4, 5, 6))
    yield "screen-0", gif((0, 0), table(4), frame(indices(3, 4, 4), 4))
    yield "transparent", gif((4, 3), table(4), control(3), frame(indices(3, 4, 4), 4))
    gray = bytes(i for i in range(16) for _ in range(3))
    yield "gray-table", gif((4, 3), gray, frame(indices(3, 4, 4), 4))
    yield "gray-local", gif((4, 3), table(4), frame(indices(3, 4, 4), 4, table=gray))
    yield "gray-beside", gif((6, 5), gray, control(9), frame(indices(3, 4, 4), 4, 1, 1))
    yield "index-outside", gif((4, 3), table(2), frame(indices(3, 4, 4), 4))
    yield "index-transparent", gif((6, 5), table(2), control(200), frame(indices(3, 4, 2), 2, 1, 1))
    yield "two-frames", gif((4, 3), table(4), control(1, 2), frame(indices(3, 4, 4), 4), control(2, 2), frame(indices(3, 4, 4), 4))
    extensions = b"!\xfe\5hello\0" + b"!\xff\x0bNETSCAPE2.0\3\1\0\0\0" + b"!\1\3abc\0" + b"!\x77\0"
    yield "extensions", gif((4, 3), table(4), extensions, frame(indices(3, 4, 4), 4))
    picture = indices(3, 4, 4)
    for name, extension in (("comment", b"!\xfe\5hello\0"), ("comments", b"!\xfe\1a\1b\0!\xfe\1c\0"), ("comment-empty", b"!\xfe\0"), ("text", b"!\1\3abc\0"),
                            ("application", b"!\xff\x0bNETSCAPE2.0\3\1\0\0\0"), ("application-empty", b"!\xff\0\0"), ("unknown-empty", b"!\x77\0\0")):
        yield f"extension-{name}", gif((4, 3), table(4), extension, frame(picture, 4))
    yield "version-87a", gif((4, 3), table(4), frame(indices(3, 4, 4), 4), version=b"87a")
    yield "version-88a", gif((4, 3), table(4), frame(indices(3, 4, 4), 4), version=b"88a")
    yield "cleared", gif((9, 9), table(4), frame(indices(9, 9, 4), 4, data=codes(indices(9, 9, 4), 4, 10)))
    yield "full-table", gif((90, 90), table(8), frame(indices(90, 90, 8), 8, data=codes(indices(90, 90, 8), 8)))
    yield "small-blocks", gif((4, 3), table(4), frame(indices(3, 4, 4), 4, data=b"".join(
        b"\1" + bytes([b]) for b in codes(indices(3, 4, 4), 4)[1:-1]) + b"\0"))


def invalid(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    table, picture = rng.integers(0, 256, 48, np.uint8).tobytes(), rng.integers(0, 16, (3, 4))
    good = codes(picture, 4)

    def made(data: bytes, bits: int = 4, *before: bytes) -> bytes:
        return gif((4, 3), table, *before, frame(picture, bits, data=data))
    yield "no-end-code", made(codes(picture, 4, end=False))
    yield "no-trailer", made(good)[:-1]
    yield "no-last-block", made(good)[:-2]
    yield "cut", made(good)[:-4]
    yield "short-picture", made(codes(picture[:2], 4))
    yield "long-picture", made(codes(np.concatenate([picture, picture]), 4))
    yield "no-data", made(b"\0")
    yield "empty-block", made(b"\0" + good)
    yield "code-size-0", made(good, 0)
    yield "code-size-1", made(good, 1)
    yield "code-size-9", made(good, 9)
    yield "code-size-12", made(good, 12)
    yield "code-size-13", made(good, 13)
    yield "code-too-large", made(b"\3\xff\xff\xff\0")
    yield "no-clear", made(blocks(bytes([0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 1])))
    yield "no-frame", gif((4, 3), table)
    yield "only-extension", gif((4, 3), table, control(3))
    yield "junk-before-frame", made(good, 4, b"junk")
    yield "nul-before-frame", made(good, 4, b"\0\0")
    yield "extension-cut", gif((4, 3), table, b"!\xf9\4\0")[:-1]
    yield "control-short", made(good, 4, b"!\xf9\1\0\0")
    yield "control-empty", made(good, 4, b"!\xf9\0")
    yield "control-long", made(good, 4, b"!\xf9\6\1\0\0\5\6\7\0")
    yield "control-twice", made(good, 4, control(3), control(None))
    yield "table-cut", gif((4, 3), table)[:30]
    yield "large", gif((65535, 65535), table, frame(picture, 4))
    yield "frame-0", gif((4, 3), table, b"," + struct.pack("<HHHHB", 0, 0, 0, 0, 0) + b"\4" + good)
    yield "frame-0-wide", gif((4, 3), table, b"," + struct.pack("<HHHHB", 0, 0, 4, 0, 0) + b"\4" + good)


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for kind in (valid, invalid):
        for name, content in kind(rng):
            yield f"gif-{name}", content
