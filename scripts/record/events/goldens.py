"""Vectors of kind `events`: the answers of the published server's three endpoints while an engine generates.

A golden is a message on which three answers agree, ignoring white space at the ends of a field: the non-streamed
answer, the stream of the drawn chunks, and a stream of single tokens. For messages and responses, chat completions must
also give the same message for the same text. If the engine fails there is no message: such a vector requires only that
the stream reports the failure.
"""

from __future__ import annotations

import itertools
import multiprocessing
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..reasoning import goldens as reasoning_goldens, marker_sequences
from ..tools import judge as tools_judge, trial as tools_trial
from . import draw as events_draw, fold as events_fold, judge as events_judge, request as events_request
from .fold import Folded
from .server import CHAT, MESSAGES, MODEL, Answer, Exchange, ask

CATCHES = ("a marker that leaks or a text that is lost between parser and client, a block opened twice, two finish reasons, a "
           "parser skipped where thinking is off, a latch on implicit thinking, a call that a stream and the answer tell apart")

SHARE = 3  # divides the number of goldens per group: these vectors are larger than others
FAILURES = 20  # at most one vector in so many, plus one, is of a failure
DRAWS = 60     # most draws per requested golden: with some parsers an endpoint hardly ever gives a golden


@dataclass
class Trial:
    """The server's answers for one exchange."""
    exchange: Exchange

    @property
    def parser(self) -> str | None:
        return self.exchange.server["reasoning_parser"]

    @cached_property
    def text(self) -> str:
        return "".join(chunk["new_text"] for chunk in self.exchange.chunks)

    @cached_property
    def by_token_exchange(self) -> Exchange:
        last = self.exchange.chunks[-1]
        return replace(self.exchange, chunks=events_draw.chunks(
            events_draw.tokens(self.parser, self.text), last["prompt_tokens"], last["finish_reason"], True))

    @cached_property
    def answers(self) -> tuple[Answer, Answer]:
        return ask(self.exchange, True), ask(self.exchange, False)

    @cached_property
    def stream(self) -> Folded:
        return events_fold.streamed(self.exchange.endpoint, self.answers[0])

    @cached_property
    def whole(self) -> Folded:
        return events_fold.whole(self.exchange.endpoint, self.answers[1])

    @cached_property
    def by_token(self) -> Folded:
        return events_fold.streamed(self.exchange.endpoint, ask(self.by_token_exchange, True))

    @cached_property
    def as_chat(self) -> Exchange:
        """The equivalent exchange with chat completions, in single tokens."""
        return replace(self.by_token_exchange, endpoint=CHAT, request=events_request.as_chat(self.exchange.request))

    @cached_property
    def chat_stream(self) -> Answer:
        return ask(self.as_chat, True)

    @cached_property
    def order(self) -> str:
        """The order of reasoning, content and calls in the model's output (fold.order)."""
        return events_fold.order(self.chat_stream.body)

    @property
    def endpoints_agree(self) -> bool:
        if self.exchange.endpoint == CHAT:
            return True
        own = events_fold.parts(self.whole)
        return (own == events_fold.parts(events_fold.chat_stream(self.chat_stream.body))
                and own == events_fold.parts(events_fold.whole(CHAT, ask(self.as_chat, False))))

    @property
    def generic(self) -> bool:
        """Whether the server's fallback parser, which was not configured, found a call, or took text for a broken one."""
        return any(answer.generic for answer in self.answers)

    def differing(self, one: Folded, other: Folded) -> list[str]:
        """The members that differ, without those that are wrong in every stream."""
        names = [name for name in one if one[name] != other[name]]
        if self.exchange.endpoint == MESSAGES and self.exchange.chunks[-1]["finish_reason"] == "length":
            names = [name for name in names if name != "stop_reason"]
        return names

    @property
    def expected(self) -> Folded:
        """The expected message, without the members that a stream never reports."""
        last = self.exchange.chunks[-1]["finish_reason"]
        if self.exchange.endpoint == MESSAGES and last == "length":
            return {"content": self.whole["content"]}
        return self.whole

    @cached_property
    def reasoning_is_sound(self) -> bool:
        """Whether the reasoning parser gives a golden for this text, with thinking on."""
        if self.parser is None:
            return True
        deltas = [chunk["new_text"] for chunk in self.exchange.chunks if chunk["new_text"]]
        return reasoning_goldens.Trial(self.parser, deltas).golden

    @cached_property
    def calls_are_sound(self) -> bool:
        """Whether tools/judge.py disputes nothing in the tool parser's answer; True if the parser is not used."""
        name, request = self.exchange.server["tool_parser"], self.as_chat.request
        if not name or not self.exchange.server["auto_tool_choice"] or "tools" not in request:
            return True
        content = reasoning_goldens.whole(self.parser, self.text)[1] if self.parser else self.text
        return tools_judge.disputed(tools_trial.Trial(name, {"tools": request["tools"]}, [content or ""])) is None

    @property
    def has_odd_arguments(self) -> bool:
        """Whether a call's arguments are no JSON object; no client can use such arguments."""
        return any(not events_fold.is_object(arguments) for _, arguments in events_fold.parts(self.whole)[2])

    @property
    def in_order(self) -> bool:
        """Whether the order of the text can be that of blocks and items: reasoning, content, calls, each at most once."""
        return self.exchange.endpoint == CHAT or self.order in "RCT" or self.order == "RT"

    @property
    def cause(self) -> str | None:
        """The name of the difference, or "parser"; None for a golden."""
        if self.exchange.endpoint == MESSAGES and events_fold.reopens(self.answers[0].body):
            return "reopened"
        if self.differing(self.stream, self.by_token):
            return "cuts"
        names = self.differing(self.whole, self.stream)
        if names:
            return names[0] if self.exchange.endpoint == CHAT else "blocks"
        if self.generic:
            return "generic"
        if not self.endpoints_agree:
            return "endpoints"
        if not self.in_order:
            return "order"
        if events_judge.disputed(self.exchange, self.text, self.whole):
            return "judged"
        return None if self.reasoning_is_sound and self.calls_are_sound and not self.has_odd_arguments else "parser"

    @property
    def golden(self) -> bool:
        """Whether it is a golden. The server runs last, because it takes longest."""
        return self.reasoning_is_sound and self.calls_are_sound and self.cause is None

    def vector(self, number: int) -> dict[str, Any]:
        fails = self.exchange.raise_at is not None
        return {"id": number, "comment": self.exchange.endpoint, "flags": [], "input": self.exchange.input(),
                "expect": {"folded": {} if fails else self.expected}}


def drawn(endpoint: str, parser: str | None, seed: int) -> Iterator[tuple[int, Trial]]:
    number = 0
    while True:
        number += 1
        r = random.Random(f"{seed} {endpoint} {parser} {number}")
        yield number, Trial(events_draw.draw(events_draw.ENDPOINTS[endpoint], parser, r))


def group(endpoint: str, parser: str | None, seed: int, n: int) -> dict[str, Any]:
    vectors: list[Any] = []
    n_failures = 0
    for number, trial in drawn(endpoint, parser, seed):
        if len(vectors) >= n or number > n * DRAWS:
            break
        if trial.exchange.raise_at is not None:
            if n_failures < 1 + n // FAILURES:
                n_failures += 1
                vectors.append(trial.vector(number))
        elif trial.golden:
            vectors.append(trial.vector(number))
    return {"name": f"{endpoint} {parser or 'plain'}", "vectors": vectors}


def groups(seed: int, n: int) -> list[Any]:
    """Groups are drawn independently, so each may run in any process."""
    import vllm_mlx.server  # noqa: F401: imported once, before the processes are forked
    asked = list(itertools.product(events_draw.ENDPOINTS, events_draw.REASONING))
    with multiprocessing.get_context("fork").Pool() as pool:
        return pool.starmap(group, [(endpoint, parser, seed, max(1, n // SHARE)) for endpoint, parser in asked], 1)


def plain(deltas: list[str]) -> Trial:
    """A trial of chat completions with these deltas, without parsers and tools."""
    request = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
    server = {"model": MODEL, "reasoning_parser": None, "tool_parser": None, "auto_tool_choice": False}
    return Trial(Exchange(CHAT, request, server, events_draw.chunks(deltas, 7, "stop", True), None))


def sequences(seed: int, n: int) -> list[Any]:
    """Sequences of special tokens and strings that resemble them; n / (2 * SHARE) per length, because an exchange takes
    long."""
    import vllm_mlx.server  # noqa: F401
    trials = ((number, plain(deltas)) for number, deltas in marker_sequences.enumerated(
        marker_sequences.SPECIAL, f"{seed} special", max(1, n // (2 * SHARE))))
    return [{"name": "special", "vectors": [trial.vector(number) for number, trial in trials if trial.golden]}]


def published() -> list[Any]:
    return []
