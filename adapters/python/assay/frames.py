"""Frames: `ASAY`, the sizes of header and body, one JSON object, raw data. Both directions use the same form."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from .errors import ProtocolError
from .tensors import Body

MAGIC = b"ASAY"
HEADER_MOST = 16 << 20
BODY_MOST = 16 << 30
PIECE = 1 << 20  # a size that is not true must not allocate memory: bodies grow by pieces that have arrived


@dataclass(frozen=True)
class Frame:
    header: dict[str, Any]
    body: bytes = field(default=b"", repr=False)


def _exactly(stream: BinaryIO, n: int, what: str, first: bool = False) -> bytes | None:
    """The next n bytes; None if `first` and the stream has ended."""
    data = bytearray()
    while len(data) < n:
        piece = stream.read(min(n - len(data), PIECE))
        if not piece:
            if first and not data:
                return None
            raise ProtocolError(f"the stream ends after {len(data)} of {n} bytes of {what}")
        data += piece
    return bytes(data)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ProtocolError(f"header: member {next(n for n in names if names.count(n) > 1)!r:.60} twice")
    return found


def _constant(text: str) -> Any:
    raise ProtocolError(f"header: {text} is no JSON")


def parse_header(data: bytes) -> dict[str, Any]:
    """The JSON object of a header. Raises ProtocolError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError(f"header: byte {error.start} is no UTF-8") from None
    try:
        header = json.loads(text, object_pairs_hook=_members, parse_constant=_constant)
    except RecursionError:
        raise ProtocolError("header: nested too deeply") from None
    except ValueError as error:  # JSONDecodeError, or a number of thousands of digits
        raise ProtocolError(f"header: no JSON: {error}") from None
    if not isinstance(header, dict):
        raise ProtocolError(f"header: expected one JSON object, found {type(header).__name__}")
    return header


def read(stream: BinaryIO, body_most: int = BODY_MOST) -> Frame | None:
    """The next frame; None at the end of the stream. Raises ProtocolError for anything else."""
    start = _exactly(stream, 16, "a frame's start", first=True)
    if start is None:
        return None
    if start[:4] != MAGIC:
        raise ProtocolError(f"expected a frame, which begins with {MAGIC!r}, found {start!r}")
    n_header, n_body = struct.unpack("<IQ", start[4:])
    if n_header > HEADER_MOST:
        raise ProtocolError(f"a header of {n_header} bytes; at most {HEADER_MOST} are allowed")
    if n_body > body_most:
        raise ProtocolError(f"a body of {n_body} bytes; at most {body_most} are allowed")
    header = parse_header(_exactly(stream, n_header, "a header") or b"")
    return Frame(header, _exactly(stream, n_body, "a body") or b"")


def write(stream: BinaryIO, header: dict[str, Any], body: Body | None = None) -> None:
    data = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    if len(data) > HEADER_MOST:
        raise ValueError(f"a header of {len(data)} bytes; at most {HEADER_MOST} are allowed")
    stream.write(MAGIC + struct.pack("<IQ", len(data), body.size if body else 0) + data)
    for part in body.parts if body else ():
        stream.write(part)
    stream.flush()
