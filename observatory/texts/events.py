"""Where the endpoints' event streams disagree with themselves: the findings events-…, on each endpoint; and errors of every stream."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace

from scripts.record.events import draw as events_draw, fold as events_fold, request as events_request
from scripts.record.events.goldens import Trial, drawn
from scripts.record.events.server import MESSAGES, RESPONSES, Exchange, ask

from .rows import Row, quoted, rows_of

SHARE = 40       # divides the number of draws per group
SHRINKS = 60     # most trials for shrinking the example of a row
OF_PARSERS = ("parser", "order")  # causes that findings of parsers count
PLAIN = {"reasoning_parser": None, "tool_parser": None, "auto_tool_choice": False}


def chunk(text: str, last: bool, reason: str | None = None) -> dict[str, object]:
    return {"new_text": text, "prompt_tokens": 7, "completion_tokens": 1, "finished": last, "finish_reason": reason}


def probe(endpoint: str, text: str, reason: str = "stop", fails: bool = False, tools: str | None = None) -> str:
    """The response body of a stream for one chunk of text. fails: the engine raises before it."""
    request = {"model": "model", **({"input": "a"} if endpoint == RESPONSES else {
        "messages": [{"role": "user", "content": "a"}]}), **({"max_tokens": 9} if endpoint == MESSAGES else {}),
        **({"tools": events_request.tools_of(endpoint, events_request.plain_functions())} if tools else {})}
    server = {**PLAIN, "tool_parser": tools, "auto_tool_choice": tools is not None}
    return ask(Exchange(endpoint, request, server, [chunk(text, True, reason)], 0 if fails else None), True).body


def last_types(body: str, n: int) -> str:
    return ", ".join(event.get("type", "error" if "error" in event else "chunk") for event in events_fold.events(body)[-n:])


def always() -> list[list[str]]:
    """Errors of every stream: rule, what is measured, the streamed value, the required value."""
    plain = events_fold.events(probe(MESSAGES, "a"))
    short = events_fold.events(probe(RESPONSES, "a", "length"))[-1]
    call = '<tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>'
    types = [event["type"].removeprefix("response.") for event in events_fold.events(
        probe(RESPONSES, call, tools="hermes")) if "function_call" in event["type"] or "item" in event]
    stop = [event["delta"]["stop_reason"] for event in events_fold.events(probe(MESSAGES, "a", "length"))
            if event["type"] == "message_delta"]
    return [
        ["messages-counts", "messages: input_tokens of a prompt of 7 tokens",
         str(plain[0]["message"]["usage"]["input_tokens"]) + ", and none in message_delta", "7"],
        ["messages-stop-reason", "messages: stop_reason at the token limit", stop[0], "max_tokens"],
        ["responses-response", "responses: the event of an answer at the token limit",
         f'{short["type"]}, status {short["response"]["status"]}', "response.incomplete"],
        ["responses-new", "responses: the events of a call", ", ".join(types),
         "output_item.added without arguments, function_call_arguments.delta and .done, output_item.done"],
        ["after-error", "messages: the end of a stream whose engine fails", last_types(probe(MESSAGES, "a", fails=True), 2),
         "error"],
        ["responses-end", "responses: the end of a stream whose engine fails", last_types(probe(RESPONSES, "a", fails=True), 1),
         "response.failed, or error"],
    ]


def smaller(t: Trial) -> Iterator[Exchange]:
    """The exchange with fewer or simpler deltas, or fewer options: candidates for shrinking."""
    e = t.exchange
    deltas = [one["new_text"] for one in e.chunks if one["new_text"]]
    last = e.chunks[-1]

    def with_deltas(made: list[str]) -> Exchange:
        return replace(e, chunks=events_draw.chunks(made, 7, last["finish_reason"], False))
    size = len(deltas) // 2
    while size:
        for i in range(0, len(deltas), size):
            yield with_deltas(deltas[:i] + deltas[i + size:])
        size //= 2
    for key in ("chat_template_kwargs", "enable_thinking", "tools", "stream_options"):
        if key in e.request:
            yield replace(e, request={k: v for k, v in e.request.items() if k != key})
    if e.server.get("default_chat_template_kwargs"):
        yield replace(e, server={**e.server, "default_chat_template_kwargs": None})
    for i in range(len(deltas) - 1):
        yield with_deltas(deltas[:i] + [deltas[i] + deltas[i + 1]] + deltas[i + 2:])
    for i, delta in enumerate(deltas):
        if len(delta) > 1 and not any(mark in delta for mark in "<>[]|{}"):
            yield with_deltas([*deltas[:i], "a", *deltas[i + 1:]])


def shrunk(t: Trial, cause: str) -> Trial:
    n = 0
    while True:
        for exchange in smaller(t):
            n += 1
            if n > SHRINKS:
                return t
            less = Trial(exchange)
            if exchange.chunks and less.cause == cause:
                t = less
                break
        else:
            return t


def shown(folded: events_fold.Folded) -> str:
    said = {name: value for name, value in folded.items() if value not in (None, [])}
    return json.dumps(said, ensure_ascii=False)


def row(cause: str, t: Trial) -> Row:
    server = t.exchange.server
    parsers = f'{server["reasoning_parser"] or "none"}, {server["tool_parser"] if "tools" in t.exchange.request else "no tools"}'
    other = t.by_token if cause == "cuts" else t.whole
    if cause == "endpoints":
        other = events_fold.chat_stream(t.chat_stream.body)
    deltas = [one["new_text"] for one in t.exchange.chunks if one["new_text"]]
    return [f"{t.exchange.endpoint}, {parsers}", quoted(deltas), shown(t.stream), shown(other)]


def drawn_of(endpoint: str, seed: int, n: int) -> Iterator[Trial]:
    for parser in events_draw.REASONING:
        yield from (trial for _, trial in itertools.islice(drawn(endpoint, parser, seed), n) if trial.exchange.raise_at is None)


def rows(seed: int, n: int) -> list[Row]:
    trials = {endpoint: drawn_of(endpoint, seed, max(1, n // SHARE)) for endpoint in events_draw.ENDPOINTS}
    found = rows_of("events", trials, lambda t: None if t.cause in OF_PARSERS else t.cause, lambda cause, those: row(cause, shrunk(min(those, key=lambda t: len(t.text)), cause)))
    return found + [["events-always", rule, "-", *cells] for rule, *cells in always()]
