"""The header of a safetensors file, untrusted input, by the rules and in the words of lib/model/checkpoint/safetensors_header.c."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .json_scan import Broken, Scanner, Token, clip, unescape

HEADER_MOST = 100_000_000
SIZE_MOST = 2 ** 64 - 1
RANK_MOST = 8
LENGTH_BYTES = 8
NAME_SHOWN, VALUE_SHOWN = 120, 40
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2, "U8": 1, "BOOL": 1}
OTHERS = ("F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "C64")
MEMBERS = ("dtype", "shape", "data_offsets")


@dataclass
class Entry:
    """One tensor. begin, end: of its data, after the header."""

    raw: bytes
    dtype: str = ""
    shape: list[int] = field(default_factory=list)
    begin: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        return unescape(self.raw)


def read(path: Path) -> tuple[int, list[Entry]]:
    """Where the data begin, and the tensors in the order of their data."""
    try:
        if path.is_dir():
            raise Broken(f"{path}: found a directory, expected a regular file")
        size = path.stat().st_size
        with open(path, "rb") as file:
            text = file.read(check_length(path, int.from_bytes(file.read(LENGTH_BYTES), "little"), size))
    except OSError as error:
        raise Broken(f"{path}: {error.strerror}") from None
    base = LENGTH_BYTES + len(text)
    entries = sorted(Parser(path, text, size - base).entries, key=lambda e: (e.begin, e.end, e.name.encode()))
    check_layout(path, entries, size - base)
    return base, entries


def check_length(path: Path, length: int, size: int) -> int:
    if size < LENGTH_BYTES:
        raise Broken(f"{path}: found {size} bytes, expected at least {LENGTH_BYTES} for the header's length")
    if length == 0:
        raise Broken(f"{path}: header of 0 bytes, expected at least '{{}}'")
    if length > HEADER_MOST:
        raise Broken(f"{path}: header of {length} bytes, expected at most {HEADER_MOST}")
    if length > size - LENGTH_BYTES:
        raise Broken(f"{path}: header of {length} bytes, expected at most the {size - LENGTH_BYTES} after its length")
    return length


def check_layout(path: Path, entries: list[Entry], n_data: int) -> None:
    """In the order of offsets, each tensor begins at the end of the one before, and the last one ends with the file."""
    expected, before = 0, None
    for entry in entries:
        if entry.begin != expected:
            place = f"{path}: tensor '{clip(entry.name.encode(), NAME_SHOWN)}': data_offsets [{entry.begin}, {entry.end}]"
            if before is None:
                raise Broken(f"{place} leave a gap, expected the first tensor to begin at 0")
            fault = "overlap" if entry.begin < expected else "leave a gap after"
            raise Broken(f"{place} {fault} tensor '{clip(before.encode(), NAME_SHOWN)}', expected to begin at its end, {expected}")
        expected, before = entry.end, entry.name
    if expected != n_data:
        raise Broken(f"{path}: found {n_data} bytes of data, expected the {expected} that its tensors account for")


class Parser:
    def __init__(self, path: Path, text: bytes, n_data: int):
        self.path, self.n_data, self.entries = path, n_data, []
        if not text.startswith(b"{"):
            raise Broken(f"{path}: header: byte 0: found byte 0x{text[0]:02x}, expected '{{'")
        self.tokens: Iterator[Token] = Scanner(f"{path}: header", text).tokens()
        next(self.tokens)
        for token in self.tokens:
            if token.kind == "'}'":
                break
            if unescape(token.text) == "__metadata__":
                self._metadata()
            else:
                self.entries.append(self._tensor(token))
        next(self.tokens)  # the end: nothing but white space may pad the header

    def _metadata(self) -> None:
        token = next(self.tokens)
        if token.kind != "an object":
            raise Broken(f"{self.path}: __metadata__ is {token.kind}, expected an object of strings")
        while (name := next(self.tokens)).kind != "'}'":
            if (value := next(self.tokens)).kind != "a string":
                raise Broken(f"{self.path}: __metadata__ member '{clip(name.text, NAME_SHOWN)}' is {value.kind}, expected a string")

    def _fail(self, entry: Entry, reason: str) -> Broken:
        return Broken(f"{self.path}: tensor '{clip(entry.raw, NAME_SHOWN)}': {reason}")

    def _tensor(self, name: Token) -> Entry:
        entry, seen = Entry(name.text), set()
        if (token := next(self.tokens)).kind != "an object":
            raise self._fail(entry, f"found {token.kind}, expected an object with dtype, shape and data_offsets")
        while (token := next(self.tokens)).kind != "'}'":
            member = unescape(token.text)
            if member not in MEMBERS:
                raise self._fail(entry, f"found member '{clip(token.text, VALUE_SHOWN)}', expected only dtype, shape and data_offsets")
            if member in seen:
                raise self._fail(entry, f"member '{member}' is given twice, expected it once")
            seen.add(member)
            getattr(self, f"_{member}")(entry)
        for member in MEMBERS:
            if member not in seen:
                raise self._fail(entry, f"member '{member}' is missing, expected dtype, shape and data_offsets")
        self._check(entry)
        return entry

    def _value(self, entry: Entry, member: str, kind: str) -> Token:
        token = next(self.tokens)
        if token.kind != kind:
            raise self._fail(entry, f"{member} is {token.kind}, expected {kind}")
        return token

    def _dtype(self, entry: Entry) -> None:
        token = self._value(entry, "dtype", "a string")
        entry.dtype = unescape(token.text)
        if entry.dtype in OTHERS:
            raise self._fail(entry, f"dtype {entry.dtype} is known but not supported, expected F64, F32, F16, BF16, an integer type or BOOL")
        if entry.dtype not in SIZES:
            raise self._fail(entry, f"dtype is '{clip(token.text, VALUE_SHOWN)}', expected a type of the format, such as F32")

    def _integers(self, entry: Entry, member: str) -> Iterator[int]:
        self._value(entry, member, "an array")
        index = 0
        while (token := next(self.tokens)).kind != "']'":
            found = token.kind if token.kind != "a number" else clip(token.text, VALUE_SHOWN)
            if token.kind != "a number" or not token.text.isdigit():
                raise self._fail(entry, f"{member}[{index}] is {found}, expected a non-negative integer")
            if int(token.text) > SIZE_MOST:
                raise self._fail(entry, f"{member}[{index}] is {found}, expected at most {SIZE_MOST}")
            yield int(token.text)
            index += 1

    def _shape(self, entry: Entry) -> None:
        for extent in self._integers(entry, "shape"):
            if len(entry.shape) == RANK_MOST:
                raise self._fail(entry, f"shape has more than {RANK_MOST} entries, expected at most {RANK_MOST}")
            entry.shape.append(extent)

    def _data_offsets(self, entry: Entry) -> None:
        offsets: list[int] = []
        for offset in self._integers(entry, "data_offsets"):
            if len(offsets) == 2:
                raise self._fail(entry, "data_offsets has more than 2 entries, expected 2")
            offsets.append(offset)
        if len(offsets) != 2:
            raise self._fail(entry, f"data_offsets has {len(offsets)} entries, expected 2")
        entry.begin, entry.end = offsets

    def _check(self, entry: Entry) -> None:
        place, shape = f"data_offsets [{entry.begin}, {entry.end}]", f"shape {entry.shape} of {entry.dtype}"
        if entry.begin > entry.end:
            raise self._fail(entry, f"{place} begin after their end, expected begin <= end")
        if entry.end > self.n_data:
            raise self._fail(entry, f"{place} end past the file, expected at most the {self.n_data} bytes of its data")
        if math.prod(filter(None, entry.shape)) * SIZES[entry.dtype] > SIZE_MOST:
            raise self._fail(entry, f"{shape} needs more bytes than {SIZE_MOST}, the most there can be")
        needed = math.prod(entry.shape) * SIZES[entry.dtype]
        if needed != entry.end - entry.begin:
            raise self._fail(entry, f"{place} hold {entry.end - entry.begin} bytes, {shape} needs {needed}")
