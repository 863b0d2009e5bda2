"""Strict JSON, token by token: the rules and the words of lib/base/json_scan.h, so that the recorder refuses the files that the loader
refuses."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEPTH_MOST = 32
SHOWN_MOST, NUMBER_SHOWN_MOST = 80, 40
SPACE, LETTERS = re.compile(rb"[ \n\r\t]*"), re.compile(rb"[A-Za-z]{0,80}")
WORDS = {b"true": "true", b"false": "false", b"null": "null"}
_ESCAPE = (rb'\\(?:["\\/bfnrt]|u(?:[0-9a-cA-Ce-fE-F][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}|'
           rb"[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))")
_UTF8 = (rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|"
         rb"\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}")
CHARACTERS = re.compile(rb'(?:[^"\\\x00-\x1f\x80-\xff]+|' + _ESCAPE + rb"|" + _UTF8 + rb")*")
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
DIGITS = re.compile(rb"[0-9]+")
UNESCAPED = {ord("b"): "\b", ord("f"): "\f", ord("n"): "\n", ord("r"): "\r", ord("t"): "\t"}
ESCAPES = re.compile(rb'\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.')


class Broken(ValueError):
    """The text is no strict JSON, or its values are not those expected; the message begins with the file."""


@dataclass(frozen=True)
class Token:
    """kind: as the loader's messages name it. text: the source; of names and strings that between their quotes, still escaped."""

    kind: str
    text: bytes = b""


def clip(text: bytes, most: int) -> str:
    """At most so many bytes, cut between characters."""
    if len(text) > most:
        while most > 0 and text[most] & 0xC0 == 0x80:
            most -= 1
    return text[:most].decode(errors="replace")


def unescape(text: bytes) -> str:
    def character(match: re.Match[bytes]) -> bytes:
        found = match.group()
        if found[1] != ord("u"):
            return UNESCAPED.get(found[1], chr(found[1])).encode()
        units = [int(found[i + 2:i + 6], 16) for i in range(0, len(found), 6)]
        code = units[0] if len(units) == 1 else 0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00)
        return chr(code).encode()

    return (ESCAPES.sub(character, text) if b"\\" in text else text).decode()


class Scanner:
    """member: the innermost member around the current position, still escaped; None: no object is open."""

    def __init__(self, place: str, text: bytes):
        self.place, self.text, self.at = place, text, 0
        self.levels: list[dict[str, int] | None] = []  # the names of an open object with their offsets; None: an array
        self.names: list[bytes] = []
        self.depths: list[int] = []  # how many names were open when each level began

    @property
    def member(self) -> bytes | None:
        return self.names[-1] if self.names else None

    def fail(self, expected: str, member: bool = False) -> Broken:
        if member and self.member is not None:
            expected += f" in member '{clip(self.member, SHOWN_MOST)}'"
        return Broken(f"{self.place}: byte {self.at}: found {self._found()}, expected {expected}")

    def _found(self) -> str:
        if self.at == len(self.text):
            return "the end of the text"
        if self.text.startswith(b"\xef\xbb\xbf", self.at):
            return "a byte order mark"
        if not 0x20 < self.text[self.at] < 0x7F:
            return f"byte 0x{self.text[self.at]:02x}"
        return f"'{(LETTERS.match(self.text, self.at).group() or self.text[self.at:self.at + 1]).decode()}'"

    def tokens(self) -> Iterator[Token]:
        """All tokens, also of the one value's end: after it only white space is left."""
        yield from self._value()
        if self._next():
            raise self.fail("the end of the text after the value")
        yield Token("the end of the text")

    def _next(self) -> bytes:
        """The next byte that is no white space, which is not consumed; empty at the end."""
        self.at = SPACE.match(self.text, self.at).end()
        return self.text[self.at:self.at + 1]

    def _value(self) -> Iterator[Token]:
        first = self._next()
        if first in (b"{", b"["):
            yield from self._level(first == b"{")
        elif first == b'"':
            yield Token("a string", self._string())
        elif first and first in b"-0123456789":
            yield Token("a number", self._number())
        elif not first:
            raise self.fail("a value")
        else:
            yield self._word()

    def _level(self, is_object: bool) -> Iterator[Token]:
        if len(self.levels) == DEPTH_MOST:
            raise Broken(f"{self.place}: byte {self.at}: found '{'{' if is_object else '['}' at level {DEPTH_MOST + 1}, "
                         f"expected at most {DEPTH_MOST} levels")
        self.levels.append({} if is_object else None)
        self.depths.append(len(self.names))
        again: Broken | None = None
        self.at += 1
        yield Token("an object" if is_object else "an array", b"{" if is_object else b"[")
        close = b"}" if is_object else b"]"
        first = True
        while first is False or self._next() != close:
            if not first:
                if (found := self._next()) == close:
                    break
                if found != b",":
                    raise self.fail(f"',' or '{close.decode()}'")
                self.at += 1
            first = False
            if is_object:
                again = again or self._name()
                yield Token("a member name", self.names[-1])
            yield from self._value()
        self.at += 1
        self.levels.pop()
        if again:
            raise again
        del self.names[self.depths.pop():]
        yield Token(f"'{close.decode()}'", close)

    def _name(self) -> Broken | None:
        """Reads a name and its colon. Returns the error of a name that the object already has, which its end reports."""
        if self._next() != b'"':
            raise self.fail("a member name in '\"'")
        start = self.at
        name = self._string()
        text = unescape(name)
        if "\0" in text:
            raise Broken(f"{self.place}: byte {start + 1}: found U+0000 in member name '{clip(name, SHOWN_MOST)}', expected none")
        if self._next() != b":":
            raise self.fail("':' after the member name")
        self.at += 1
        self.names.append(name)
        seen = self.levels[-1]
        if text not in seen:
            seen[text] = start
            return None
        return Broken(f"{self.place}: byte {start}: found member name '{clip(name, SHOWN_MOST)}' again (first at byte {seen[text]}), "
                      "expected it once; the publisher's reader takes the last")

    def _string(self) -> bytes:
        start = self.at + 1
        self.at = CHARACTERS.match(self.text, start).end()
        if self.at == len(self.text):
            raise self.fail("'\"' to end the string")
        byte = self.text[self.at]
        if byte == ord('"'):
            self.at += 1
            return self.text[start:self.at - 1]
        problem = ("expected valid UTF-8" if byte >= 0x80 else "expected control characters to be escaped" if byte != ord("\\") else
                   "expected a high surrogate followed by a low one" if SURROGATE.match(self.text, self.at) else
                   "expected an escape of RFC 8259")
        raise Broken(f"{self.place}: byte {self.at}: found byte 0x{byte:02x} in a string: {problem}")

    def _digits(self) -> None:
        found = DIGITS.match(self.text, self.at)
        if not found:
            raise self.fail("a digit", member=True)
        self.at = found.end()

    def _number(self) -> bytes:
        start = self.at
        self.at += self.text[self.at] == ord("-")
        if self.text[self.at:self.at + 1] == b"0":
            self.at += 1
        else:
            self._digits()
        if self.text[self.at:self.at + 1] == b".":
            self.at += 1
            self._digits()
        if self.text[self.at:self.at + 1] in (b"e", b"E"):
            self.at += 1
            self.at += self.text[self.at:self.at + 1] in (b"+", b"-")
            self._digits()
        return self.text[start:self.at]

    def _word(self) -> Token:
        end = self.at
        while self.text[end:end + 1].isalpha() and self.text[end] < 0x80:
            end += 1
        word = self.text[self.at:end]
        if word not in WORDS:
            raise self.fail("a value", member=True)
        self.at = end
        return Token(WORDS[word], word)


def check(place: str, text: bytes, most_values: int) -> None:
    """Also refuses numbers beyond a double, and more values."""
    n = 0
    scanner = Scanner(place, text)
    for token in scanner.tokens():
        if token.kind == "a number" and math.isinf(float(token.text)):
            member = "" if scanner.member is None else clip(scanner.member, SHOWN_MOST) + ": "
            raise Broken(f"{place}: {member}found number {clip(token.text, NUMBER_SHOWN_MOST)}, "
                         "expected one within the range of a double")
        n += token.kind not in ("the end of the text", "a member name", "'}'", "']'")
        if n > most_values:
            raise Broken(f"{place}: found more than {most_values} values, expected no more")


def read_file(path: Path, most: int | None = None) -> bytes:
    """The whole file, of at most `most` bytes."""
    try:
        if path.is_dir():
            raise Broken(f"{path}: found a directory, expected a regular file")
        text = path.read_bytes()
    except OSError as error:
        raise Broken(f"{path}: {error.strerror}") from None
    if most is not None and len(text) > most:
        raise Broken(f"{path}: found {len(text)} bytes, expected at most {most}")
    return text
