"""Orientations in EXIF data, raw profiles and XMP, of every type, count and byte order, in each format that carries them."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator

import numpy as np
from PIL import Image

from ..files import SIGNATURE, chunk

ORIENTATION = 0x112
UNITS = {1: "B", 2: "s", 3: "H", 4: "L", 5: "LL", 6: "b", 7: "s", 8: "h", 9: "l", 10: "ll", 11: "f", 12: "d", 13: "L", 16: "Q"}
XMP_KEY = "XML:com.adobe.xmp"
PROFILE_KEY = "Raw profile type exif"


def pixels(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 256, (2, 3, 3), np.uint8)


def entry(order: str, tag: int, kind: int, count: int, value: bytes) -> bytes:
    return struct.pack(f"{order}HHL", tag, kind, count) + value[:4].ljust(4, b"\0")


def tiff(order: str, entries: list[bytes], tail: bytes = b"", mark: bytes | None = None, at: int = 8) -> bytes:
    mark = mark or (b"II*\0" if order == "<" else b"MM\0*")
    head = mark + struct.pack(f"{order}L", at)
    return head + bytes(at - 8) + struct.pack(f"{order}H", len(entries)) + b"".join(entries) + bytes(4) + tail


def value_of(order: str, kind: int, value: float) -> bytes:
    letters = UNITS[kind]
    if letters == "s":
        return bytes([int(value)])
    return struct.pack(order + letters, *([value, 1][:len(letters)] if letters not in ("f", "d") else [value]))


def outside(order: str, kind: int, value: float, count: int = 1) -> bytes:
    """An entry whose value lies behind the directory."""
    data = value_of(order, kind, value) * count
    return tiff(order, [entry(order, ORIENTATION, kind, count, struct.pack(f"{order}L", 26))], data)


def exifs() -> Iterator[tuple[str, bytes]]:
    """Without a head "Exif"."""
    def one(order: str, kind: int, count: int, value: bytes, **more: object) -> bytes:
        return tiff(order, [entry(order, ORIENTATION, kind, count, value)], **more)

    for order, letter in (("<", "le"), (">", "be")):
        for kind in UNITS:
            made = value_of(order, kind, 6)
            yield f"type-{kind}-{letter}", one(order, kind, 1, made) if len(made) <= 4 else outside(order, kind, 6)
        for count in (0, 2, 3):
            short = struct.pack(f"{order}HH", 6, 3)
            yield f"count-{count}-{letter}", one(order, 3, count, short) if count < 3 else outside(order, 3, 8, 3)
        for value in (0, 1, 2, 3, 4, 5, 7, 8, 9, 65535):
            yield f"value-{value}-{letter}", one(order, 3, 1, struct.pack(f"{order}H", value))
        yield f"byte-count-2-{letter}", one(order, 1, 2, b"\6\6")
        yield f"long-count-2-{letter}", outside(order, 4, 6, 2)
        yield f"unknown-type-{letter}", one(order, 77, 1, b"\6\0\6\0")
        yield f"signed-negative-{letter}", one(order, 8, 1, struct.pack(f"{order}h", -6))
        yield f"far-{letter}", one(order, 3, 1, struct.pack(f"{order}H", 6), at=40)
    short = entry("<", ORIENTATION, 3, 1, b"\6\0")
    yield "float-fraction", outside("<", 12, 6.5)
    yield "nan", tiff("<", [entry("<", ORIENTATION, 11, 1, struct.pack("<f", float("nan")))])
    yield "rational-half", tiff("<", [entry("<", ORIENTATION, 5, 1, b"\x1a\0\0\0")], struct.pack("<LL", 12, 2))
    yield "rational-zero", tiff("<", [entry("<", ORIENTATION, 5, 1, b"\x1a\0\0\0")], struct.pack("<LL", 6, 0))
    yield "rational-fraction", tiff("<", [entry("<", ORIENTATION, 5, 1, b"\x1a\0\0\0")], struct.pack("<LL", 13, 2))
    yield "twice", tiff("<", [short, entry("<", ORIENTATION, 3, 1, b"\3\0")])
    yield "empty-then-valid", tiff("<", [entry("<", ORIENTATION, 3, 0, b"\3\0"), short])
    yield "bytes-then-valid", tiff("<", [entry("<", ORIENTATION, 7, 1, b"\3"), short])
    yield "outside-then-valid", tiff("<", [entry("<", 0x10f, 2, 90, b"\xff\0\0\0"), short])
    yield "too-long-then-valid", tiff("<", [entry("<", 0x10f, 2, 9000, b"\xff\0\0\0"), short])
    yield "budget-spent", tiff("<", [entry("<", 0x10f, 2, 9000, b"\xff\0\0\0"), entry("<", ORIENTATION, 5, 1, b"\x26\0\0\0")],
                               struct.pack("<LL", 6, 1))
    yield "directory-cut", tiff("<", [short])[:-8]
    yield "count-too-large", tiff("<", [short]).replace(b"\1\0\x12\1", b"\7\0\x12\1")
    yield "directory-outside", b"II*\0\xff\xff\0\0"
    yield "directory-over-head", b"II*\0\0\0\0\0" + bytes(30)
    yield "mark-swapped-mm", tiff(">", [entry(">", ORIENTATION, 3, 1, b"\0\6")], mark=b"MM*\0")
    yield "mark-swapped-ii", tiff("<", [short], mark=b"II\0*")
    yield "big-tiff", tiff("<", [short], mark=b"II+\0")
    yield "big-tiff-mm", tiff(">", [short], mark=b"MM\0+")
    yield "no-tiff", b"nonsense" * 4
    yield "short-head", b"II*\0\x08\0"
    yield "nothing", b""
    yield "head-once", b"Exif\0\0" + tiff("<", [short])
    yield "head-twice", b"Exif\0\0Exif\0\0" + tiff("<", [short])
    yield "head-thrice", b"Exif\0\0" * 3 + tiff("<", [short])
    yield "only-head", b"Exif\0\0"
    yield "other-tags", tiff("<", [entry("<", 0x10f, 2, 4, b"abc\0"), entry("<", 0x128, 3, 1, b"\2\0"), short])


def segment(marker: int, content: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(content) + 2) + content


def jpeg(rng: np.random.Generator, *segments: bytes, jfif: bool = True) -> bytes:
    """The segments come first, or behind JFIF's."""
    out = io.BytesIO()
    Image.fromarray(pixels(rng)).save(out, "JPEG", quality=90)
    content = out.getvalue()
    head = content[2:20] if jfif else b""
    return content[:2] + head + b"".join(segments) + content[20:]


def png(rng: np.random.Generator, before: bytes = b"", behind: bytes = b"") -> bytes:
    rows = b"".join(b"\0" + row.tobytes() for row in pixels(rng))
    head = struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", head) + before + chunk(b"IDAT", zlib.compress(rows)) + behind + chunk(b"IEND", b"")


def webp(rng: np.random.Generator, exif: bytes = b"", xmp: bytes = b"") -> bytes:
    """A lossless file of extended format with the chunks."""
    out = io.BytesIO()
    Image.fromarray(pixels(rng)).save(out, "WEBP", lossless=True)
    image = out.getvalue()[12:]

    def part(name: bytes, content: bytes) -> bytes:
        return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
    flags = (8 if exif else 0) | (4 if xmp else 0)
    body = part(b"VP8X", bytes([flags, 0, 0, 0, 2, 0, 0, 1, 0, 0])) + image + (part(b"EXIF", exif) if exif else b"") + \
        (part(b"XMP ", xmp) if xmp else b"")
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def text(key: str, value: bytes) -> bytes:
    return chunk(b"tEXt", key.encode() + b"\0" + value)


def compressed(key: str, value: bytes) -> bytes:
    return chunk(b"zTXt", key.encode() + b"\0\0" + zlib.compress(value))


def international(key: str, value: bytes, packed: bool = False, method: int = 0, language: bytes = b"") -> bytes:
    content = zlib.compress(value) if packed else value
    return chunk(b"iTXt", key.encode() + b"\0" + bytes([packed, method]) + language + b"\0\0" + content)


def profile(data: bytes, head: str = "\nexif\n") -> bytes:
    digits = data.hex()
    lines = "\n".join(digits[i:i + 72] for i in range(0, len(digits), 72))
    return f"{head}{len(data):8}\n{lines}\n".encode()


def xmps() -> Iterator[tuple[str, bytes]]:
    wrapped = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description {}>{}</rdf:Description></x:xmpmeta>'.format
    yield "attribute", wrapped('tiff:Orientation="6"', "").encode()
    yield "element", wrapped("", "<tiff:Orientation>5</tiff:Orientation>").encode()
    yield "two-digits", wrapped('tiff:Orientation="63"', "").encode()
    yield "single-quotes", wrapped("tiff:Orientation='6'", "").encode()
    yield "spaces", wrapped('tiff:Orientation = "6"', "").encode()
    yield "nine", wrapped('tiff:Orientation="9"', 'tiff:Orientation="6"').encode()
    yield "second", wrapped('tiff:Orientation="x" tiff:Orientation="8"', "").encode()
    yield "utf-16", wrapped('tiff:Orientation="6"', "").encode("utf-16")
    yield "latin-1", wrapped('tiff:Orientation="6" a="ä"', "").encode("latin-1")
    yield "utf-8", wrapped('tiff:Orientation="6" a="ä"', "").encode()
    yield "none", wrapped("", "").encode()


def exif_files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    turned = b'tiff:Orientation="8"'
    for name, data in exifs():
        yield f"jpeg-exif-{name}", jpeg(rng, segment(0xe1, b"Exif\0\0" + data), jfif=False)
        yield f"png-exif-{name}", png(rng, chunk(b"eXIf", data), international(XMP_KEY, turned))
        if len(name) % 3 == 0:
            yield f"jpeg-xmp-exif-{name}", jpeg(rng, segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + turned),
                                                segment(0xe1, b"Exif\0\0" + data))
            yield f"jpeg-jfif-exif-{name}", jpeg(rng, segment(0xe1, b"Exif\0\0" + data))
            yield f"webp-exif-{name}", webp(rng, data, turned)
            yield f"png-profile-{name}", png(rng, text(PROFILE_KEY, profile(data)))
    data = tiff(">", [entry(">", ORIENTATION, 3, 1, b"\0\6")])
    split = segment(0xe1, b"Exif\0\0" + data[:15]) + segment(0xe1, b"Exif\0\0" + data[15:])
    yield "jpeg-exif-in-two", jpeg(rng, split)
    yield "jpeg-exif-in-app2", jpeg(rng, segment(0xe2, b"Exif\0\0" + data))
    yield "jpeg-exif-without-nul", jpeg(rng, segment(0xe1, b"Exif\0" + data))
    xmp = segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + turned)
    for jfif in (False, True):
        yield f"jpeg-invalid-and-xmp-{jfif}", jpeg(rng, segment(0xe1, b"Exif\0\0nonsense"), xmp, jfif=jfif)
        dense = jpeg(rng, segment(0xe1, b"Exif\0\0nonsense"), xmp).replace(b"JFIF\0\1\1\0", b"JFIF\0\1\1" + bytes([1 + jfif]))
        yield f"jpeg-density-{1 + jfif}-invalid-and-xmp", dense
    yield "jpeg-empty-and-xmp", jpeg(rng, segment(0xe1, b"Exif\0\0"), xmp)


def png_profiles(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    data = tiff(">", [entry(">", ORIENTATION, 3, 1, b"\0\6")])
    exif = b"Exif\0\0" + data
    for name, add in (("text", text), ("compressed", compressed), ("international", international)):
        yield f"profile-{name}", png(rng, add(PROFILE_KEY, profile(exif)))
        yield f"profile-behind-{name}", png(rng, b"", add(PROFILE_KEY, profile(exif)))
        yield f"profile-app1-{name}", png(rng, add("Raw profile type APP1", profile(exif)))
        yield f"key-exif-{name}", png(rng, add("exif", exif))
        yield f"key-xmp-{name}", png(rng, add("xmp", b'tiff:Orientation="6"'))
    yield "profile-packed", png(rng, international(PROFILE_KEY, profile(exif), True))
    for name, value in (("no-lines", b"4d4d"), ("odd", b"\nexif\n 1\n4d4"), ("no-hex", b"\nexif\n 1\n4dzz"), ("spaces", b"\nexif\n 1\n4d 4d 00 2a\n"),
                        ("space-inside", b"\nexif\n 1\n4 d4d"), ("nothing", b""), ("upper", profile(exif).upper().replace(b"\nEXIF", b"\nexif")),
                        ("returns", profile(exif).replace(b"\n", b"\r\n")), ("not-ascii", b"\nexif\n 1\n4d\xe4")):
        yield f"profile-{name}", png(rng, text(PROFILE_KEY, value))
    yield "exif-before-profile", png(rng, text(PROFILE_KEY, profile(exif)), chunk(b"eXIf", tiff("<", [entry("<", ORIENTATION, 3, 1, b"\3\0")])))
    yield "exif-twice", png(rng, chunk(b"eXIf", data), chunk(b"eXIf", tiff("<", [entry("<", ORIENTATION, 3, 1, b"\3\0")])))


def xmp_files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for name, data in xmps():
        yield f"jpeg-xmp-{name}", jpeg(rng, segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + data))
        yield f"png-xmp-{name}", png(rng, international(XMP_KEY, data))
        yield f"webp-xmp-{name}", webp(rng, b"", data)
    turned = b'tiff:Orientation="6"'
    yield "png-xmp-text", png(rng, text(XMP_KEY, turned))
    yield "png-xmp-ztxt", png(rng, compressed(XMP_KEY, turned))
    yield "png-xmp-packed", png(rng, international(XMP_KEY, turned, True))
    yield "png-xmp-method", png(rng, international(XMP_KEY, turned, True, 1))
    yield "png-xmp-language", png(rng, international(XMP_KEY, turned, language=b"\xff"))
    yield "png-xmp-empty-text", png(rng, international(XMP_KEY, turned, language=b"\xff") + text(XMP_KEY, b""))
    yield "png-xmp-behind", png(rng, b"", international(XMP_KEY, turned))
    yield "png-xmp-two", png(rng, international(XMP_KEY, turned), text(XMP_KEY, b"none"))
    yield "jpeg-xmp-two", jpeg(rng, *(segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0" + t) for t in (turned, b"none")))
    yield "jpeg-xmp-extension", jpeg(rng, segment(0xe1, b"http://ns.adobe.com/xmp/extension/\0" + turned))


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    yield from exif_files(rng)
    yield from png_profiles(rng)
    yield from xmp_files(rng)
