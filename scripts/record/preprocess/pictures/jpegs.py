"""JPEG files: components, colour transforms, subsampling, scans, restarts, damaged and missing parts."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import numpy as np
from PIL import Image


def saved(image: Image.Image, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


def smooth(rng: np.random.Generator, height: int, width: int, mode: str) -> Image.Image:
    bands = {"L": 1, "RGB": 3, "CMYK": 4}[mode]
    planes = [Image.fromarray(rng.integers(0, 256, (4, 5), np.uint8)).resize((width, height), Image.Resampling.BICUBIC) for _ in range(bands)]
    return planes[0] if bands == 1 else Image.merge(mode, planes)


def adobe(content: bytes, transform: int | None) -> bytes:
    """Replaces or removes Adobe's segment."""
    at = content.find(b"\xff\xeeE"[:2] + b"\0\x0eAdobe")
    if at >= 0:
        content = content[:at] + content[at + 16:]
    made = b"" if transform is None else b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0" + bytes([transform])
    return content[:2] + made + content[2:]


def components(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for mode in ("L", "RGB", "CMYK"):
        for height, width in ((1, 1), (9, 20), (17, 33)):
            for progressive in (False, True):
                image = smooth(rng, height, width, mode)
                yield f"{mode}-{height}-{progressive}", saved(image, quality=80, progressive=progressive)
    for mode in ("RGB", "CMYK"):
        content = saved(smooth(rng, 9, 20, mode), quality=80)
        for transform in (None, 0, 1, 2, 3):
            yield f"{mode}-adobe-{transform}", adobe(content, transform)
            yield f"{mode}-adobe-only-{transform}", adobe(content[:2] + content[20:] if content[6:10] == b"JFIF" else content, transform)
    yield "CMYK-extremes", saved(Image.fromarray(np.kron(rng.integers(0, 2, (3, 3, 4)) * 255, np.ones((8, 8, 1))).astype(np.uint8), "CMYK"), quality=100)
    content = saved(smooth(rng, 9, 20, "RGB"), quality=80, keep_rgb=True)
    yield "RGB-kept", content
    for sampling in ("4:4:4", "4:2:2", "4:2:0", "4:1:1"):
        for height, width in ((1, 1), (7, 9), (30, 23)):
            yield f"RGB-{sampling}-{height}".replace(":", ""), saved(smooth(rng, height, width, "RGB"), quality=75, subsampling=sampling)


def sampled(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """The sampling factors of a frame of 4:4:4 changed: its data then suffice for fewer blocks, or too many."""
    base = saved(Image.fromarray(rng.integers(0, 256, (32, 32, 3), np.uint8)).resize((64, 64)), quality=50, subsampling="4:4:4")
    at = base.index(b"\xff\xc0") + 10
    for factors in (0x12, 0x21, 0x22, 0x41, 0x14, 0x44, 0x31, 0x11):
        for component in (0, 1):
            made = bytearray(base)
            made[at + 1 + 3 * component] = factors
            made[at - 5:at - 1] = struct.pack(">HH", 16, 16)
            yield f"factors-{factors:x}-{component}", bytes(made)


def structure(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    content = saved(smooth(rng, 16, 24, "RGB"), quality=80)
    frame, scan = content.index(b"\xff\xc0"), content.index(b"\xff\xda")
    yield "no-end", content[:-2]
    yield "data-cut", content[:-20]
    yield "junk-behind", content + b"junk"
    yield "twice", content + content
    yield "restarts", saved(smooth(rng, 32, 48, "RGB"), quality=80, restart_marker_blocks=2)
    yield "fill-bytes", content[:2] + b"\xff\xff\xff" + content[2:]
    yield "junk-between", content[:20] + b"junk" + content[20:]
    yield "escaped-between", content[:20] + b"\xff\0" + content[20:]
    yield "marker-01", content[:20] + b"\xff\1" + content[20:]
    yield "comment", content[:20] + b"\xff\xfe\0\5abc" + content[20:]
    yield "segment-cut", content[:20] + b"\xff\xfe\xff\xff"
    yield "segment-0", content[:20] + b"\xff\xfe\0\0" + content[20:]
    yield "no-tables", content[:20] + content[frame:]
    yield "bits-12", content[:frame + 4] + b"\x0c" + content[frame + 5:]
    yield "components-2", content[:frame + 9] + b"\2" + content[frame + 10:]
    yield "components-5", content[:frame + 9] + b"\5" + content[frame + 10:]
    yield "height-0", content[:frame + 5] + b"\0\0" + content[frame + 7:]
    yield "large", content[:frame + 5] + b"\xff\xff\xff\xff" + content[frame + 9:]
    for marker in (0xc1, 0xc3, 0xc5, 0xc9):
        yield f"process-{marker:x}", content[:frame + 1] + bytes([marker]) + content[frame + 2:]
    yield "frame-twice", content[:scan] + content[frame:frame + 19] + content[scan:]
    yield "only-start", content[:3]
    damaged = bytearray(content)
    damaged[scan + 30] ^= 0x10
    yield "data-damaged", bytes(damaged)
    yield "marker-in-data", content[:scan + 40] + b"\xff\xd0" + content[scan + 40:]
    progressive = saved(smooth(rng, 16, 24, "RGB"), quality=80, progressive=True)
    yield "progressive-cut", progressive[:-40]
    yield "progressive-no-end", progressive[:-2]
    table = content.index(b"\xff\xdb")
    yield "quantization-short", content[:table] + b"\xff\xdb\0\4\0\1" + content[table:]
    yield "thumbnail", content[:20] + b"\xff\xe0\0\x0aJFXX\0\x10\0\0" + content[20:]
    picture = b"MPF\0II*\0\x08\0\0\0\3\0\0\xb0\7\0\4\0\0\0" + b"0100" + b"\1\xb0\4\0\1\0\0\0\2\0\0\0" + b"\2\xb0\7\0\x20\0\0\0\x32\0\0\0" + bytes(4)
    entries = struct.pack("<LLLHH", 0x030000, len(content), 0, 0, 0) + struct.pack("<LLLHH", 0, len(content), 500, 0, 0)
    yield "several-pictures", content[:20] + b"\xff\xe2" + struct.pack(">H", 2 + len(picture) + 32) + picture + entries + content[20:] + content


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for kind in (components, sampled, structure):
        for name, content in kind(rng):
            yield f"jpeg-{name}", content
