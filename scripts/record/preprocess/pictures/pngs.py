"""PNG files: metadata that inflates, damaged and missing chunks, palettes and unusual headers."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

from ..files import SIGNATURE, chunk, png as drawn
from .metadata import compressed, international, png, text

MIB = 1 << 20


def bombs(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Around the limits of Pillow: 1 MiB of a chunk, 64 MiB of all texts."""
    def profile(n: int, method: int = 0) -> bytes:
        return chunk(b"iCCP", b"icc\0" + bytes([method]) + zlib.compress(bytes(n), 9))

    for n in (MIB - 1, MIB, MIB + 1, 3 * MIB):
        yield f"ztxt-{n}", png(rng, compressed("k", bytes(n)))
        yield f"itxt-{n}", png(rng, international("k", bytes(n), True))
        yield f"iccp-{n}", png(rng, profile(n))
    yield "ztxt-behind", png(rng, b"", compressed("k", bytes(3 * MIB)))
    yield "iccp-behind", png(rng, b"", profile(3 * MIB))
    yield "iccp-method", png(rng, profile(9, 1))
    yield "iccp-no-nul", png(rng, chunk(b"iCCP", b"abc"))
    yield "iccp-starts-0", png(rng, chunk(b"iCCP", b"\0"))
    yield "iccp-empty", png(rng, chunk(b"iCCP", b""))
    yield "iccp-damaged", png(rng, chunk(b"iCCP", b"icc\0\0nonsense"))
    many = compressed("k", bytes(MIB - 100))
    yield "ztxt-64", png(rng, many * 64)
    yield "ztxt-65", png(rng, many * 65)
    yield "itxt-wide-64", png(rng, international("k", "ä".encode() * (MIB // 2 - 9), True) * 65)
    yield "many-chunks", png(rng, text("k", b"") * 3000)


def texts(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    yield "ztxt-method", png(rng, chunk(b"zTXt", b"k\0\1" + zlib.compress(b"x")))
    yield "ztxt-damaged", png(rng, chunk(b"zTXt", b"k\0\0nonsense"))
    yield "ztxt-cut", png(rng, chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(range(200)))[:40]))
    yield "ztxt-no-nul", png(rng, chunk(b"zTXt", b"k"))
    yield "text-no-nul", png(rng, chunk(b"tEXt", b"exif"))
    yield "text-empty", png(rng, chunk(b"tEXt", b""))
    yield "itxt-short", png(rng, chunk(b"iTXt", b"k\0\0"))
    yield "itxt-one-nul", png(rng, chunk(b"iTXt", b"k\0\0\0abc"))


def shortened(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Chunks that are shorter than their content, before and behind the image."""
    for name, least in ((b"gAMA", 4), (b"cHRM", 32), (b"sRGB", 1), (b"pHYs", 9), (b"acTL", 8), (b"fcTL", 26), (b"tRNS", 6), (b"sBIT", 3), (b"bKGD", 6),
                        (b"hIST", 2), (b"tIME", 7), (b"sPLT", 3), (b"abcd", 4), (b"ABCD", 4)):
        yield f"{name.decode()}-short", png(rng, chunk(name, bytes(least - 1)))
        yield f"{name.decode()}-short-behind", png(rng, b"", chunk(name, bytes(least - 1)))
        yield f"{name.decode()}-zeros", png(rng, chunk(name, bytes(least)))
        yield f"{name.decode()}-long", png(rng, chunk(name, bytes(least + 5)))


def wrong(part: bytes) -> bytes:
    """A chunk with a wrong checksum."""
    return part[:-1] + bytes([part[-1] ^ 1])


def structure(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    head, end = chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)), chunk(b"IEND", b"")
    rows = b"".join(b"\0" + row.tobytes() for row in rng.integers(0, 256, (2, 9), np.uint8))
    stream = zlib.compress(rows)
    data, half = chunk(b"IDAT", stream), len(stream) // 2
    split = chunk(b"IDAT", stream[:half]) + chunk(b"IDAT", stream[half:])

    def made(*parts: bytes) -> bytes:
        return SIGNATURE + b"".join(parts)
    yield "no-end", made(head, data)
    yield "end-cut", made(head, data, end[:-3])
    yield "data-crc-missing", made(head, data[:-4])
    yield "data-crc-wrong", made(head, wrong(data), end)
    yield "end-crc-wrong", made(head, data, wrong(end))
    yield "head-crc-wrong", made(wrong(head), data, end)
    yield "text-crc-wrong", made(head, wrong(text("k", b"v")), data, end)
    yield "text-crc-wrong-behind", made(head, data, wrong(text("k", b"v")), end)
    yield "text-cut-behind", made(head, data, text("k", b"value")[:-7])
    yield "split", made(head, split, end)
    yield "split-empty", made(head, chunk(b"IDAT", b""), split, chunk(b"IDAT", b""), end)
    yield "split-by-text", made(head, split[:half + 12], text("k", b"v"), split[half + 12:], end)
    yield "data-twice", made(head, data, data, end)
    yield "data-and-more", made(head, data, chunk(b"IDAT", b"more"), end)
    yield "bad-name", made(head, chunk(b"a-bc", b""), data, end)
    yield "bad-name-behind", made(head, data, chunk(b"a-bc", b""), text("exif", b"nonsense"), end)
    yield "no-head", made(data, end)
    yield "no-data", made(head, end)
    yield "data-cut", made(head, chunk(b"IDAT", stream[:-6]), end)
    yield "adler-missing", made(head, chunk(b"IDAT", stream[:-4]), end)
    yield "adler-wrong", made(head, chunk(b"IDAT", stream[:-1] + bytes([stream[-1] ^ 1])), end)
    yield "rows-missing", made(head, chunk(b"IDAT", zlib.compress(rows[:10])), end)
    yield "rows-too-many", made(head, chunk(b"IDAT", zlib.compress(rows * 3)), end)
    yield "filter-5", made(head, chunk(b"IDAT", zlib.compress(b"\5" + rows[1:])), end)
    yield "exif-damages", made(head, data, chunk(b"eXIf", b"nonsense"), end)
    yield "junk-behind", made(head, data, end, b"junk" * 5)
    yield "no-signature", head + data + end


def headers(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    rows = zlib.compress(bytes(200))
    for name, fields in (("interlace-2", (3, 2, 8, 2, 0, 0, 2)), ("filter-1", (3, 2, 8, 2, 0, 1, 0)), ("compression-1", (3, 2, 8, 2, 1, 0, 0)),
                         ("color-1", (3, 2, 8, 1, 0, 0, 0)), ("depth-3", (3, 2, 3, 0, 0, 0, 0)), ("width-0", (0, 2, 8, 2, 0, 0, 0)),
                         ("gray-16", (3, 2, 16, 0, 0, 0, 0)), ("palette-16", (3, 2, 16, 3, 0, 0, 0)), ("large", (20000, 20000, 8, 0, 0, 0, 0)),
                         ("rgb-4", (3, 2, 4, 2, 0, 0, 0)), ("no-palette", (3, 2, 8, 3, 0, 0, 0))):
        yield f"ihdr-{name}", SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", *fields)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    head = struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)
    yield "ihdr-long", SIGNATURE + chunk(b"IHDR", head + b"more") + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    yield "ihdr-short", SIGNATURE + chunk(b"IHDR", head[:12]) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    for n in (0, 1, 2, 3, 100, 767, 768, 770, 771, 900):
        palette = chunk(b"PLTE", bytes(rng.integers(0, 256, n, np.uint8)))
        samples = b"".join(b"\0" + row.tobytes() for row in rng.integers(0, 256, (3, 40), np.uint8))
        head = chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 3, 8, 3, 0, 0, 0))
        yield f"palette-of-{n}", SIGNATURE + head + palette + chunk(b"IDAT", zlib.compress(samples)) + chunk(b"IEND", b"")
        if n == 771:
            yield "palette-twice", SIGNATURE + head + chunk(b"PLTE", bytes(6)) + palette[:-4 - 771] + chunk(b"IDAT", b"")
    yield "palette-twice-valid", SIGNATURE + head + chunk(b"PLTE", bytes(30)) + chunk(b"PLTE", bytes(range(30))) + \
        chunk(b"IDAT", zlib.compress(samples)) + chunk(b"IEND", b"")
    yield "palette-of-gray", drawn(rng, 3, 4, 0, 8, False, chunk(b"PLTE", bytes(range(30))))
    for color in (0, 2, 3, 4, 6):
        yield f"trns-of-{color}", drawn(rng, 3, 4, color, 8, bool(color % 4), chunk(b"tRNS", bytes(range(6))))


def animated(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    control = struct.pack(">IIIIIHHBB", 0, 3, 2, 0, 0, 1, 1, 0, 0)
    small = struct.pack(">IIIIIHHBB", 0, 1, 1, 1, 1, 1, 1, 0, 0)
    frames = chunk(b"acTL", struct.pack(">II", 2, 0))
    turned = chunk(b"eXIf", b"II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0")
    second = chunk(b"fcTL", struct.pack(">I", 1) + control[4:]) + chunk(b"fdAT", struct.pack(">I", 2) + b"nothing")
    yield "apng", png(rng, frames + chunk(b"fcTL", control), second)
    yield "apng-default", png(rng, frames, chunk(b"fcTL", control) + chunk(b"fdAT", struct.pack(">I", 1) + b"nothing"))
    yield "apng-exif-behind", png(rng, frames + chunk(b"fcTL", control), second + turned)
    yield "apng-exif-between", png(rng, frames + chunk(b"fcTL", control), turned + second)
    yield "apng-one-frame", png(rng, chunk(b"acTL", struct.pack(">II", 1, 0)) + chunk(b"fcTL", control), second + turned)
    yield "apng-no-frames", png(rng, chunk(b"acTL", bytes(8)) + chunk(b"fcTL", control), turned)
    yield "apng-small-frame", png(rng, frames + chunk(b"fcTL", small), turned)
    yield "apng-sequence", png(rng, frames + chunk(b"fcTL", b"\0\0\0\5" + control[4:]))
    yield "apng-outside", png(rng, frames + chunk(b"fcTL", control[:4] + b"\0\0\0\x09" + control[8:]))


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for kind in (bombs, texts, shortened, structure, headers, animated):
        for name, content in kind(rng):
            yield f"png-{name}", content
