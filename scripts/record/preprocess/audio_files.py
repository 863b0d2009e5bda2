"""Audio files of every format and subtype that the package soundfile writes, WAV files with unusual chunks, and damaged ones."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator

import numpy as np
import soundfile

RATE = 16000
CHANNELS = (1, 2, 3, 9)
LARGE, CHOSEN = 900, {"OGG-VORBIS-1", "CAF-PCM_16-1", "WAV-PCM_16-9", "WAV-FLOAT-9", "W64-MS_ADPCM-1", "WAV-IMA_ADPCM-1", "mp3-id3"}  # bytes of a file that is not bundled; larger ones that are
# Formats and subtypes that soundfile cannot write, and SDS, which Assay refuses.
UNWRITTEN = {("RAW", None), ("SD2", None), ("SDS", None), ("MP3", "MPEG_LAYER_I"), ("MP3", "MPEG_LAYER_II"), ("WAV", "MPEG_LAYER_III")}


def written(rng: np.random.Generator, form: str, kind: str, channels: int, n: int) -> bytes:
    out = io.BytesIO()
    soundfile.write(out, rng.uniform(-1, 1, (n, channels)), RATE, subtype=kind, format=form)
    return out.getvalue()


def formats(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    """Other numbers of channels than one for formats that are written often."""
    for form in soundfile.available_formats():
        for kind in soundfile.available_subtypes(form):
            if (form, None) in UNWRITTEN or (form, kind) in UNWRITTEN:
                continue
            many = form in ("WAV", "FLAC", "WAVEX") and kind in ("PCM_16", "FLOAT", "PCM_24", "PCM_S8")
            for channels in CHANNELS if many else CHANNELS[:2]:
                n = int(rng.integers(1, 60))
                if not many and channels > 1 and form not in ("WAV", "AIFF", "OGG", "MP3"):
                    continue
                try:
                    yield f"{form}-{kind}-{channels}", written(rng, form, kind, channels, n)
                except soundfile.LibsndfileError:
                    continue


def wav(*chunks: tuple[bytes, bytes], mark: bytes = b"RIFF", size: int | None = None) -> bytes:
    order = ">" if mark == b"RIFX" else "<"
    body = b"WAVE" + b"".join(name + struct.pack(f"{order}I", len(content)) + content + b"\0" * (len(content) % 2) for name, content in chunks)
    return mark + struct.pack(f"{order}I", len(body) if size is None else size) + body


def odd(rng: np.random.Generator) -> Iterator[tuple[str, bytes]]:
    samples = rng.integers(-30000, 30000, 20, np.int16)
    head, data = (b"fmt ", struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16)), (b"data", samples.astype("<i2").tobytes())
    big = (b"fmt ", struct.pack(">HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16))
    plain = wav(head, data)
    yield "wav", plain
    yield "wav-rifx", wav(big, (b"data", samples.astype(">i2").tobytes()), mark=b"RIFX")
    yield "wav-list-before", wav(head, (b"LIST", b"INFOISFT\5\0\0\0abcd\0\0"), data)
    yield "wav-odd-chunk", wav(head, (b"junk", b"abc"), data)
    yield "wav-chunk-before-fmt", wav((b"bext", bytes(602)), head, data)
    yield "wav-chunk-behind", wav(head, data, (b"id3 ", b"ID3 and more"))
    yield "wav-size-0", wav(head, data, size=0)
    yield "wav-size-unknown", plain.replace(struct.pack("<I", len(data[1])) + data[1], b"\xff\xff\xff\xff" + data[1]).replace(b"RIFF" + plain[4:8], b"RIFF\xff\xff\xff\xff")
    yield "wav-data-size-0", plain.replace(struct.pack("<I", len(data[1])) + data[1], b"\0\0\0\0" + data[1])
    yield "wav-data-cut", plain[:-11]
    yield "wav-no-data", wav(head)
    yield "wav-no-fmt", wav(data)
    yield "wav-empty", wav(head, (b"data", b""))
    yield "wav-data-twice", wav(head, data, data)
    yield "wav-junk-behind", plain + b"junk" * 3
    yield "wav-odd-data", wav(head, (b"data", data[1] + b"\1"))
    yield "wav-format-0", wav((b"fmt ", b"\0" + head[1][1:]), data)
    yield "wav-bits-12", wav((b"fmt ", head[1][:14] + b"\x0c\0"), data)
    yield "wav-bits-20", wav((b"fmt ", struct.pack("<HHIIHH", 1, 1, RATE, 3 * RATE, 3, 20)), (b"data", bytes(range(60))))
    yield "wav-channels-0", wav((b"fmt ", head[1][:2] + b"\0\0" + head[1][4:]), data)
    yield "mp3-id3", b"ID3\4\0\0\0\0\0\x0a" + bytes(10) + written(rng, "MP3", "MPEG_LAYER_III", 1, 40)
    yield "flac-id3", b"ID3\4\0\0\0\0\0\x0a" + bytes(10) + written(rng, "FLAC", "PCM_16", 1, 40)
    wide = written(rng, "W64", "PCM_16", 1, 20)
    yield "w64-fmt-behind-end", wide[:58] + b"\xff" + wide[59:]
    yield "nothing", b""
    yield "text", b"a text that is no sound at all"


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    made = bytearray(content)
    if rng.integers(4) == 0:
        return bytes(made[:rng.integers(len(made))])
    for _ in range(int(rng.integers(1, 4))):
        made[rng.integers(len(made) if rng.integers(2) else min(len(made), 80))] = int(rng.choice((0, 1, 0xff, 0x7f, int(rng.integers(256)))))
    return bytes(made)


def files(rng: np.random.Generator, count: int) -> Iterator[tuple[str, bytes]]:
    known = [*formats(rng), *odd(rng)]
    yield from (file for file in known if count or len(file[1]) < LARGE or file[0] in CHOSEN)
    for index in range(count):
        name, content = known[index % len(known)]
        if content:
            yield f"{name}-damaged", damaged(rng, content)
