"""PBM, PGM, PPM and PFM files: white space, comments, signs, separators of digits, largest values and ends."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

HEADERS = {
    "comment": b"P6 #c\n2 #d\n1 255\n", "comment-at-magic": b"P6#c\n2 1 255\n", "comment-in-token": b"P6 #c\n0#x\n2 1 255\n",
    "comment-return": b"P6 #c\r2 1 255\n", "comment-behind": b"P6 2 1 255#c\n ", "comment-to-end": b"P6 2 1 255 #c",
    "magic-joined": b"P62 1 255\n", "magic-spaces": b"P6  \t\v\f\r\n2 1 255\n", "returns": b"P6\r\n2\r\n1\r\n255\n", "return": b"P6\n2 1\n255\r",
    "zeros": b"P6 0000000002 1 255\n", "zeros-11": b"P6 00000000002 1 255\n", "plus": b"P6 +2 1 255\n", "minus": b"P6 -2 1 255\n",
    "underscore": b"P6 0_2 1 2_55\n", "underscores": b"P6 0__2 1 255\n", "underscore-first": b"P6 _2 1 255\n", "underscore-last": b"P6 2_ 1 255\n",
    "hexadecimal": b"P6 0x2 1 255\n", "letters": b"P6 two 1 255\n", "fraction": b"P6 2.0 1 255\n", "maxval-0": b"P6 2 1 0\n",
    "maxval-65536": b"P6 2 1 65536\n", "maxval-negative": b"P6 2 1 -1\n", "maxval-1": b"P6 2 1 1\n", "maxval-254": b"P6 2 1 254\n",
    "width-0": b"P6 0 1 255\n", "no-maxval": b"P6 2 1\n", "vertical": b"P6\v2\f1\v255\v", "nul": b"P6\x002 1 255\n", "space-1c": b"P6\x1c2 1 255\n",
    "huge": b"P6 99999 99999 255\n", "plus-minus": b"P6 +-2 1 255\n", "minus-zero": b"P6 2 1 255\n",
}


def samples(rng: np.random.Generator, n: int) -> bytes:
    return rng.integers(0, 255, n, np.uint8).tobytes()


def binary(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for name, head in HEADERS.items():
        yield f"head-{name}", head + samples(rng, 6)
    for most in (1, 3, 100, 254, 255, 256, 1000, 65534, 65535):
        for magic, bands in ((b"P5", 1), (b"P6", 3)):
            width = 2 if most > 255 else 1
            yield f"{magic.decode()}-{most}", magic + f"\n3 2\n{most}\n".encode() + samples(rng, 6 * bands * width)
            yield f"{magic.decode()}-{most}-cut", magic + f"\n3 2\n{most}\n".encode() + samples(rng, 6 * bands * width - 1)
    for width in (1, 7, 8, 9, 17):
        yield f"P4-{width}", f"P4 {width} 3\n".encode() + samples(rng, (width + 7) // 8 * 3)
    yield "P4-cut", b"P4 9 3\n" + samples(rng, 5)
    yield "P6-longer", b"P6 1 1 255\n" + samples(rng, 30)
    for magic, bands in ((b"P0CMYK", 4), (b"PyRGBA", 4), (b"PyCMYK", 4), (b"PyP", 1), (b"P7", 3), (b"PF", 3), (b"P0", 1), (b"Py", 1), (b"P", 1)):
        yield magic.decode(), magic + b"\n3 2\n255\n" + samples(rng, 6 * bands)
    yield "PyRGBA-100", b"PyRGBA\n3 2\n100\n" + samples(rng, 24)
    yield "PyP-100", b"PyP\n3 2\n100\n" + samples(rng, 6)
    yield "P0CMYK-999", b"P0CMYK\n3 2\n999\n" + samples(rng, 48)
    yield "P0CMYKx", b"P0CMYKx 3 2\n255\n" + samples(rng, 24)
    yield "P6-token-at-end", b"P6 1 1 255"


def floating(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    values = [-1.0, 0.0, 0.4, 0.6, 1.0, 1.5, 254.6, 255.0, 256.0, 1e9, float("nan"), float("inf")]
    for name, scale, order in (("little", "-1.0", "<"), ("big", "1.0", ">"), ("scaled", "-3.5", "<"), ("exponent", "1e2", ">"), ("zero", "0", ">"),
                               ("nan", "nan", ">"), ("inf", "-inf", ">"), ("spaces", "_1", ">"), ("underscore", "1_0", ">"), ("point", "-.5", "<"),
                               ("hex", "0x1p3", ">"), ("letters", "1.0f", ">"), ("infinity", "infinity", ">"), ("subnormal", "1e-999", "<"), ("long", "-1.000000000", "<")):
        yield f"Pf-{name}", f"Pf\n4 3\n{scale}\n".encode() + struct.pack(f"{order}12f", *values)
    yield "Pf-cut", b"Pf\n4 3\n-1\n" + struct.pack("<11f", *values[:11])


PLAIN = {
    "values": b"P3 2 1 9\n0 1 2 3 4 9", "joined-comment": b"P3 2 1 255\n0 1 2 3 4 1#c\n2", "comment-first": b"P3 2 1 9\n#c\n0 1 2 3 4 5\n",
    "comment-return": b"P3 2 1 9\n#c\r0 1 2 3 4 5\n", "comment-to-end": b"P3 2 1 9\n0 1 2 3 4 5 #c", "comment-cuts": b"P3 2 1 9\n0 1 2 3 4 #5\n",
    "cut": b"P3 2 1 9\n0 1 2 3 4", "more": b"P3 2 1 9\n0 1 2 3 4 5 6 7", "junk": b"P3 2 1 9\n0 1 2 3 4 5 x", "junk-long": b"P3 2 1 9\n0 1 2 3 4 5 nonsense-nonsense",
    "junk-long-line": b"P3 2 1 9\n0 1 2 3 4 5 nonsense-nonsense\n", "letters": b"P3 2 1 9\n0 1 x 3 4 5", "negative": b"P3 2 1 9\n0 1 -2 3 4 5",
    "plus": b"P3 2 1 9\n0 1 +2 3 4 5", "minus-zero": b"P3 2 1 9\n0 1 -0 3 4 5", "underscore": b"P3 2 1 99\n0 1 1_2 3 4 5", "too-large": b"P3 2 1 9\n0 1 10 3 4 5",
    "zeros-10": b"P3 2 1 9\n0 1 0000000002 3 4 5", "zeros-11": b"P3 2 1 9\n0 1 00000000002 3 4 5", "zeros-11-last": b"P3 2 1 9\n0 1 2 3 4 00000000005",
    "vertical": b"P3 2 1 9\n0\v1\f2\r3\t4\n5", "space-1c": b"P3 2 1 9\n0\x1c1 2 3 4 5", "nul": b"P3 2 1 9\n0\x001 2 3 4 5", "gray": b"P2 3 1 9\n1 5 9\n",
    "gray-300": b"P2 3 1 300\n1 5 299\n", "gray-65535": b"P2 3 1 65535\n1 255 65535\n", "colour-65535": b"P3 1 1 65535\n1 30000 65535\n", "empty": b"P3 1 1 9\n",
    "bits": b"P1 3 2\n0 1 0\n1 1 0\n", "bits-joined": b"P1 3 2\n010110", "bits-comment": b"P1 3 2\n0 1 0#1 1\n110", "bits-2": b"P1 3 2\n010112",
    "bits-cut": b"P1 3 2\n01011", "bits-more": b"P1 3 2\n01011011111", "bits-junk": b"P1 3 2\n010110 x", "bits-late-junk": b"P1 3 2\n010110" + b" " * 100 + b"2",
    "bits-comment-behind": b"P1 3 2\n010110 # x", "bits-joined-size": b"P1 3 2#\n\n010110", "minus-plus": b"P3 2 1 9\n0 1 -+2 3 4 5",
    "underscore-end": b"P3 2 1 99\n0 1 1_ 3 4 5", "only-minus": b"P3 2 1 99\n0 1 - 3 4 5", "comment-returns": b"P3 2 1 9\n0 1 2#c\r\n3 4 5 6",
    "comment-joins": b"P3 2 1 99\n0 1 2#c\n3 4 5 6", "size-comment": b"P2 1#2\n0 1 9\n" + b"1 " * 10,
}


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    for kind in (binary, floating):
        for name, content in kind(rng):
            yield f"pnm-{name}", content
    for name, content in PLAIN.items():
        yield f"pnm-plain-{name}", content
    # Pillow reads plain files in blocks of 1 MiB: what follows the image in the same block is checked, too.
    yield "pnm-plain-bits-next-block", b"P1 3 2\n010110" + b" " * (1 << 20) + b"2"
