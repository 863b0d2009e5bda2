"""A parser's answers for one text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .draw import MARKERS
from .stream import UNGATED, Answer, streamed, whole


def lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def strict(text: str) -> Any:
    """The value of strict JSON: no NaN, no number beyond float64, no duplicate members, no lone surrogates. Raises ValueError
    otherwise."""
    def refuse(word: str) -> Any:
        raise ValueError(word)

    def finite(digits: str) -> float:
        return float(digits) if math.isfinite(float(digits)) else refuse(digits)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)

    value = json.loads(text, parse_constant=refuse, parse_float=finite, object_pairs_hook=members)
    return refuse(text) if lone(json.dumps(value, ensure_ascii=False)) else value


def value(arguments: str) -> Any:
    """(True, JSON value) if the arguments parse, else (False, text)."""
    try:
        return True, strict(arguments)
    except ValueError:
        return False, arguments


def same(one: Answer, other: Answer) -> bool:
    return (one.content == other.content and [name for name, _ in one.calls] == [name for name, _ in other.calls]
            and [value(text) for _, text in one.calls] == [value(text) for _, text in other.calls])


def tokens(name: str, text: str) -> list[str]:
    """The text as tokens: each marker, each word, each run of white space, and each other character."""
    markers = "|".join(map(re.escape, MARKERS[name]))
    return re.findall(rf"{markers}|(?:(?!{markers})\w)+|(?:(?!{markers})\s)+|.", text, re.DOTALL)


@dataclass
class Trial:
    """A parser's answers for one text."""
    name: str
    request: dict[str, Any]
    deltas: list[str]

    @cached_property
    def text(self) -> str:
        return "".join(self.deltas)

    @cached_property
    def whole(self) -> Answer:
        return whole(self.name, self.request, self.text)

    @cached_property
    def stream(self) -> Answer:
        return streamed(self.name, self.request, self.deltas)

    @cached_property
    def by_token(self) -> Answer:
        return streamed(self.name, self.request, tokens(self.name, self.text))

    @cached_property
    def gated(self) -> Answer:
        """The stream that a client of the server receives; differs from `stream` for parsers whose markers do not open the
        server's gate."""
        return streamed(self.name, self.request, self.deltas, gated=True) if self.name in UNGATED else self.stream

    @property
    def agrees(self) -> bool:
        return same(self.whole, self.stream) and same(self.whole, self.by_token)

    def vector(self, number: int, comment: str) -> dict[str, Any]:
        one_text = len(self.deltas) == 1
        return {"id": number, "comment": comment, "flags": [],
                "input": {"parser": self.name, "request": self.request,
                          **({"text": self.text} if one_text else {"deltas": self.deltas})},
                "expect": {"content": self.whole.content,
                           "calls": [{"name": name, "arguments": value(arguments)[1]}
                                     for name, arguments in self.whole.calls]}}
