"""Vectors of kind `events`: what the published server's three endpoints answer while an engine generates.

A golden is a message that three answers agree on, white space at the ends of a field aside: the one that is not
streamed, the stream of the chunks that were drawn, and a stream of single tokens. Where an engine fails there is no
message to agree on: such a vector says only that the stream must tell it. What messages and responses say, chat completions
must say of the same text, too.
"""

from __future__ import annotations

import itertools
import multiprocessing
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .events import draw as events_draw, fold as events_fold, judge as events_judge, request as events_request
from . import marker_sequences, serving_reasoning, serving_tools
from .tools import judge as tools_judge
from .events.fold import Folded
from .events.server import CHAT, MESSAGES, MODEL, Answer, Exchange, ask

TITLE = "vllm-mlx: event streams"
CATCHES = ("a marker that leaks or a text that is lost between parser and client, a block opened twice, two finish reasons, a "
           "parser skipped where thinking is off, a latch on implicit thinking, a call that a stream and the answer tell apart")

SHARE = 3  # one of so many goldens that are asked of a group: these take more room than others
FAILURES = 20  # at most one of so many vectors is one of a failure
DRAWS = 60     # for each golden that is asked for, at most: some parsers go with an endpoint hardly ever


@dataclass
class Trial:
    """What the server says of one exchange."""
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
        """The same, asked of chat completions, in single tokens."""
        return replace(self.by_token_exchange, endpoint=CHAT, request=events_request.as_chat(self.exchange.request))

    @cached_property
    def chat_stream(self) -> Answer:
        return ask(self.as_chat, True)

    @cached_property
    def order(self) -> str:
        """In which the model says reasoning, content and calls."""
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
        """Whether a parser that nobody named found a call, or took text for a broken one."""
        return any(answer.generic for answer in self.answers)

    def differing(self, one: Folded, other: Folded) -> list[str]:
        """Members; not those that the server says wrong in every stream."""
        names = [name for name in one if one[name] != other[name]]
        if self.exchange.endpoint == MESSAGES and self.exchange.chunks[-1]["finish_reason"] == "length":
            names = [name for name in names if name != "stop_reason"]
        return names

    @property
    def expected(self) -> Folded:
        """Without what a stream never says."""
        last = self.exchange.chunks[-1]["finish_reason"]
        if self.exchange.endpoint == MESSAGES and last == "length":
            return {"content": self.whole["content"]}
        return self.whole

    @cached_property
    def reasoning_is_sound(self) -> bool:
        """Whether the parser agrees with itself on this text, thinking on."""
        if self.parser is None:
            return True
        deltas = [chunk["new_text"] for chunk in self.exchange.chunks if chunk["new_text"]]
        return serving_reasoning.Trial(self.parser, deltas).golden

    @cached_property
    def calls_are_sound(self) -> bool:
        """Whether the tool parser, if it is asked, has nothing to be left out (tools_judge.py)."""
        name, request = self.exchange.server["tool_parser"], self.as_chat.request
        if not name or not self.exchange.server["auto_tool_choice"] or "tools" not in request:
            return True
        content = serving_reasoning.whole(self.parser, self.text)[1] if self.parser else self.text
        return tools_judge.disputed(serving_tools.Trial(name, {"tools": request["tools"]}, [content or ""])) is None

    @property
    def has_odd_arguments(self) -> bool:
        """Of a call: no JSON object, which no client can use."""
        return any(not events_fold.is_object(arguments) for _, arguments in events_fold.parts(self.whole)[2])

    @property
    def in_order(self) -> bool:
        """Blocks and items have an order, that of the text: reasoning, content, calls, each at most once."""
        return self.exchange.endpoint == CHAT or self.order in "RCT" or self.order == "RT"

    @property
    def cause(self) -> str | None:
        """Of events_findings.ENTRIES; None for a golden."""
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
        """The server is asked last: that takes longest."""
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
    """Each is drawn by itself, and so in any process."""
    import vllm_mlx.server  # noqa: F401: once, for all of them
    asked = list(itertools.product(events_draw.ENDPOINTS, events_draw.REASONING))
    with multiprocessing.get_context("fork").Pool() as pool:
        return pool.starmap(group, [(endpoint, parser, seed, max(1, n // SHARE)) for endpoint, parser in asked], 1)


def plain(deltas: list[str]) -> Trial:
    """Chat completions of these deltas, without parsers and tools."""
    request = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
    server = {"model": MODEL, "reasoning_parser": None, "tool_parser": None, "auto_tool_choice": False}
    return Trial(Exchange(CHAT, request, server, events_draw.chunks(deltas, 7, "stop", True), None))


def sequences(seed: int, n: int) -> list[Any]:
    """Special tokens and what nearly is one; SHARE of them, since an exchange takes long."""
    import vllm_mlx.server  # noqa: F401
    trials = ((number, plain(deltas)) for number, deltas in marker_sequences.enumerated(
        marker_sequences.SPECIAL, f"{seed} special", max(1, n // (2 * SHARE))))
    return [{"name": "special", "vectors": [trial.vector(number) for number, trial in trials if trial.golden]}]


def published() -> list[Any]:
    return []


def findings(seed: int, n: int) -> list[str]:
    from .events import findings as events_findings
    return events_findings.lines(seed, n)
