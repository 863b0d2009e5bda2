"""WebP files: lossy and lossless, with and without transparency, animated, cut off."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from PIL import Image


def saved(image: Image.Image, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, "WEBP", **options)
    return out.getvalue()


def smooth(rng: np.random.Generator, height: int, width: int, bands: int) -> Image.Image:
    small = rng.integers(0, 256, (4, 5, bands), np.uint8)
    return Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)


def files(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    made = []
    for height, width in ((1, 1), (2, 3), (17, 40), (33, 31)):
        for bands in (3, 4):
            image = smooth(rng, height, width, bands)
            made.append((f"lossy-{height}-{bands}", saved(image, quality=60)))
            made.append((f"lossless-{height}-{bands}", saved(image, lossless=True)))
            made.append((f"exact-{height}-{bands}", saved(image, lossless=True, exact=True)))
            made.append((f"sharp-{height}-{bands}", saved(image, quality=95, method=6, alpha_quality=30)))
    noisy = Image.fromarray(rng.integers(0, 256, (20, 22, 4), np.uint8))
    made.append(("lossy-noise", saved(noisy, quality=90)))
    made.append(("lossless-noise", saved(noisy, lossless=True)))
    made.append(("palette", saved(Image.fromarray(rng.integers(0, 4, (9, 9), np.uint8) * 70), lossless=True)))
    frames = [smooth(rng, 12, 14, 4) for _ in range(3)]
    made.append(("animated", saved(frames[0], save_all=True, append_images=frames[1:])))
    made.append(("animated-lossless", saved(frames[0], save_all=True, append_images=frames[1:], lossless=True, background=(9, 8, 7, 255))))
    # A frame that is smaller than the canvas, and moved on it.
    whole = bytearray(saved(frames[0], save_all=True, append_images=frames[1:], lossless=True))
    whole[24:30] = bytes([29, 0, 0, 39, 0, 0])
    made.append(("animated-beside", bytes(whole)))
    at = whole.index(b"ANMF") + 8
    whole[at:at + 6] = bytes([3, 0, 0, 2, 0, 0])
    made.append(("animated-moved", bytes(whole)))
    for name, content in made:
        yield f"webp-{name}", content
    for name, content in made[:3] + made[-4:]:
        yield f"webp-{name}-cut", content[:-3]
        yield f"webp-{name}-longer", content + b"junk"
        yield f"webp-{name}-size", content[:4] + bytes([content[4] ^ 2]) + content[5:]
    yield "webp-large", content[:24] + b"\xff\xff\xff\xff\xff\xff" + content[30:]
    yield "webp-other-chunk", content[:12] + b"VP8Y" + content[16:]
    yield "webp-signature-only", content[:12]
