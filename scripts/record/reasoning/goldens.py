"""Vectors of kind `reasoning`: the published reasoning parsers' answers for texts.

A golden is an answer that the published parser gives in three ways: for the whole text, for a stream of the drawn
deltas, and for a stream of tokens, where each marker and each other character is a delta. White space at the ends of a
field is ignored; an empty field is null.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import draw as reasoning_draw, judge as reasoning_judge, marker_sequences, off as reasoning_off, published as reasoning_published

CATCHES = ("a marker that is cut between deltas and leaks, text that is held back and lost, a block taken for content, "
           "content taken for a block")

Fields = tuple[str | None, str | None]  # reasoning, content


def parser(name: str) -> Any:
    from vllm_mlx.reasoning import get_parser
    return get_parser(name)()


def field(text: str | None) -> str | None:
    return (text or "").strip() or None


def whole(name: str, text: str) -> Fields:
    reasoning, content = parser(name).extract_reasoning(text)
    return field(reasoning), field(content)


def streamed(name: str, deltas: list[str]) -> Fields:
    """The parser's fields for a stream, called as the server calls it: all partial results and the final flush joined."""
    one = parser(name)
    one.reset_state()
    reasoning = content = text = ""
    for delta in deltas:
        if said := one.extract_reasoning_streaming(text, text + delta, delta):
            reasoning, content = reasoning + (said.reasoning or ""), content + (said.content or "")
        text += delta
    if said := one.finalize_stream():
        reasoning, content = reasoning + (said.reasoning or ""), content + (said.content or "")
    return field(reasoning), field(content)


def tokens(name: str, text: str) -> list[str]:
    """The text as tokens: each marker is one token, and so is each other character."""
    return re.findall(f"{reasoning_draw.TOKENS[name]}|.", text, re.DOTALL)


@dataclass
class Trial:
    """A parser's answers for one text."""
    name: str
    deltas: list[str]

    def __post_init__(self) -> None:
        self.text = "".join(self.deltas)
        self.whole = whole(self.name, self.text)
        self.stream = streamed(self.name, self.deltas)
        self.by_token = streamed(self.name, tokens(self.name, self.text))

    @property
    def agrees(self) -> bool:
        return self.whole == self.stream == self.by_token

    @property
    def repeated(self) -> bool:
        """Whether stream and whole answer took their equal content from different places of the text: they differ if other
        text is put before it. Only these two parsers need the check."""
        content = self.whole[1] or ""
        return (self.name in ("gemma4", "glm4") and bool(content) and self.text.count(content) > 1
                and not type(self)(self.name, ["z", *self.deltas]).agrees)

    @property
    def golden(self) -> bool:
        return self.agrees and not reasoning_judge.excluded(self.name, self.text, self.whole) and not self.repeated

    def vector(self, number: int, comment: str) -> dict[str, Any]:
        one_text = len(self.deltas) == 1
        return {"id": number, "comment": comment, "flags": [],
                "input": {"parser": self.name,
                          **({"text": self.text} if one_text else {"deltas": self.deltas})},
                "expect": dict(zip(("reasoning", "content"), self.whole))}


@dataclass
class TrialOff(Trial):
    """The server's answers for one text if the request turns thinking off."""

    def __post_init__(self) -> None:
        self.text = "".join(self.deltas)
        self.whole = reasoning_off.whole(parser(self.name), self.text)
        self.stream = reasoning_off.streamed(parser(self.name), self.deltas)
        self.by_token = reasoning_off.streamed(parser(self.name), tokens(self.name, self.text))

    @property
    def golden(self) -> bool:
        return self.agrees and not reasoning_judge.excluded_off(self.name, self.text) and not self.repeated

    def vector(self, number: int, comment: str) -> dict[str, Any]:
        made = super().vector(number, comment)
        made["input"]["thinking_off"] = True
        return made


def drawn(name: str, seed: int, off: bool = False) -> Iterator[tuple[int, str, Trial]]:
    """Endless: the number of the draw, its comment, and the trial."""
    for number in itertools.count(1):
        r = random.Random(f"{seed} {name} {'off ' if off else ''}{number}")
        comment, deltas = reasoning_draw.draw(name, r)
        yield number, comment, (TrialOff if off else Trial)(name, deltas)


def goldens(trials: Iterator[tuple[int, str, Trial]], n: int) -> list[Any]:
    """The vectors of the first n goldens, at most a tenth of them with an empty answer."""
    made: list[Any] = []
    n_empty = 0
    for number, comment, trial in trials:
        if trial.golden and (any(trial.whole) or n_empty < n // 10):
            n_empty += not any(trial.whole)
            made.append(trial.vector(number, comment))
        if len(made) == n:
            break
    return made


def switched() -> list[str]:
    """The parsers for which a request can turn thinking off."""
    return [name for name in reasoning_draw.TOKENS if hasattr(parser(name), "start_token")]


def groups(seed: int, n: int) -> list[Any]:
    """n goldens of each parser, and n / 5 with thinking off of each parser that supports it."""
    return [{"name": name, "vectors": goldens(drawn(name, seed), n)} for name in reasoning_draw.TOKENS] + [
        {"name": f"{name} off", "vectors": goldens(drawn(name, seed, off=True), n // 5)} for name in switched()]


def agreeing(name: str, seed: int, n: int, off: bool = False) -> list[Any]:
    """The vectors of those goldens among up to n sequences of each length."""
    label = f"{seed} {name}{' off' if off else ''}"
    trials = ((number, (TrialOff if off else Trial)(name, deltas))
              for number, deltas in marker_sequences.enumerated(marker_sequences.REASONING[name], label, n))
    return [trial.vector(number, "sequence") for number, trial in trials if trial.golden]


def sequences(seed: int, n: int) -> list[Any]:
    """Sequences of marker-like tokens for each parser, and with thinking off for each parser that supports it."""
    return [{"name": name, "vectors": agreeing(name, seed, n)} for name in marker_sequences.REASONING] + [
        {"name": f"{name} off", "vectors": agreeing(name, seed, n, off=True)} for name in switched()]


def published() -> list[Any]:
    made: dict[str, list[Any]] = {name: [] for name in reasoning_draw.TOKENS}
    for number, (name, test, deltas) in enumerate(reasoning_published.calls(), 1):
        trial = Trial(name, deltas)
        if trial.golden:
            made[name].append(trial.vector(number, test))
    return [{"name": name, "vectors": vectors} for name, vectors in made.items() if vectors]
