"""The section of observatory/FINDINGS.md on event streams: where the published server's endpoints disagree with themselves, grouped
and counted, each with the shortest exchange found that shows it; and errors that all its streams have.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from scripts.record.events import draw as events_draw, fold as events_fold, request as events_request
from scripts.record.events.goldens import Trial, drawn
from scripts.record.events.server import MESSAGES, RESPONSES, Exchange, ask

from .entry import code, wrapped

TITLE = "vllm-mlx: event streams"

SHARE = 40       # divides the number of draws per group
SHRINKS = 60     # most trials for shrinking the example of a row
PLAIN = {"reasoning_parser": None, "tool_parser": None, "auto_tool_choice": False}


@dataclass(frozen=True)
class Entry:
    title: str
    cause: str
    must: str


DIFFERING = {
    "reopened": Entry(
        "a stream of messages goes on with a block that is closed, or opens a number twice",
        """`_stream_anthropic_messages` (`server.py`, 6770–6975) gives thoughts the number 0 and text the number 1 once and for all: a thought
        behind text, or behind a text block that was opened because thinking was off, goes to a block that is not open.""",
        """A new block, with the next number, wherever thoughts or text begin again."""),
    "cuts": Entry(
        "what a stream says depends on how the engine's text was cut",
        """The reasoning parsers' (reasoning-cuts), and on top of them: the server looks for special tokens in single deltas
        (`server.py`, 6811, 7485), and hands deltas to the tool parser only once a marker is whole in its window (3893–3908), so that what
        came before it in another delta is content already.""",
        """The same message however the text was cut."""),
    "content": Entry(
        "a stream and the whole answer have other content",
        """The whole answer goes through `clean_output_text` (`api/utils.py`, 78–110), which takes special tokens out, puts `<think>` before an
        end tag, and picks a channel; a stream takes special tokens out only where no reasoning parser runs. Text that is held back
        when the engine ends is dropped where a parser has nothing that releases it (`server.py`, 1512–1545).""",
        """One way from text to fields for both."""),
    "reasoning_content": Entry(
        "a stream and the whole answer have other reasoning",
        """The reasoning parsers' (reasoning-moved, reasoning-lost, reasoning-spaces).""",
        """As there."""),
    "tool_calls": Entry(
        "a stream and the whole answer have other calls",
        """Each tool parser reads a text and a stream in two ways of its own; arguments are coerced to the request's types in the whole
        answer alone (`server.py`, 2218–2262, 2483), but for streams that buffer them.""",
        """The same calls."""),
    "finish_reason": Entry(
        "a stream and the whole answer end for another reason",
        """A stream says tool_calls where it told a call, the whole answer where it found one (`server.py`, 6042, 7462).""",
        """One reason, that of the message."""),
    "blocks": Entry(
        "a stream of messages or responses and the whole answer have other blocks or items",
        """The causes above; in messages special tokens are taken out before the reasoning parser sees them (`server.py`, 6811), so that harmony's
        headers are text; responses look for calls before reasoning in the whole answer (3019–3032) and in what a stream has joined (3366), and
        do not know that thinking is off when they do not stream.""",
        """Reasoning first, then calls in what is left of the text, everywhere."""),
    "generic": Entry(
        "a call is found by a parser that nobody named",
        """Where the parser that `--tool-call-parser` names finds nothing, `_parse_tool_calls_with_parser` (`server.py`, 2492–2496) asks a generic
        one, which knows the formats of other models; of a stream, messages and responses alone do so, at its end.""",
        """The parser that was named has the last word."""),
    "endpoints": Entry(
        "endpoints say other things of the same text",
        """The causes above: where messages and responses parse, clean and coerce in other places than chat completions do.""",
        """The same message from all three."""),
    "judged": Entry(
        "stream and whole answer agree on what must not be an answer",
        """With thinking off harmony's parsers never run, and its headers become text without their markers; messages of the channel
        commentary that are addressed to nobody, which harmony has for the user, are dropped; so are calls behind a final message
        (`server.py`, 3611–3626). `parallel_tool_calls` is accepted and repeated, and no answer depends on it.""",
        """Text in messages, markers in none; a call is told wherever it stands; one call at most where the request says so."""),
}


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


def row(cause: str, t: Trial, n: int) -> str:
    deltas = " ".join(json.dumps(one["new_text"], ensure_ascii=False) for one in t.exchange.chunks if one["new_text"])
    server = t.exchange.server
    parsers = f'{server["reasoning_parser"] or "none"}, {server["tool_parser"] if "tools" in t.exchange.request else "no tools"}'
    other = t.by_token if cause == "cuts" else t.whole
    if cause == "endpoints":
        other = events_fold.chat_stream(t.chat_stream.body)
    return f"| {t.exchange.endpoint} | {parsers} | {n} | {code(deltas)} | {code(shown(t.stream))} | {code(shown(other))} |"


def sort_trials(seed: int, n: int) -> tuple[int, int, dict[str, dict[str, list[Trial]]]]:
    """The number of answers, the number of those without a finding, and the others by cause and endpoint."""
    n_all = n_sound = 0
    trials: dict[str, dict[str, list[Trial]]] = {cause: {} for cause in DIFFERING}
    for endpoint in events_draw.ENDPOINTS:
        for parser in events_draw.REASONING:
            for _, trial in itertools.islice(drawn(endpoint, parser, seed), n):
                if trial.exchange.raise_at is not None:
                    continue
                n_all += 1
                cause = trial.cause
                n_sound += cause is None
                if cause in trials:
                    trials[cause].setdefault(endpoint, []).append(trial)
    return n_all, n_sound, trials


def lines(seed: int, n: int) -> list[str]:
    n_each = max(1, n // SHARE)
    n_all, n_sound, trials = sort_trials(seed, n_each)
    made = wrapped(f"""Of {n_all} exchanges drawn from a seed, {n_each} for each endpoint and reasoning parser, vllm-mlx 0.6.0 says the same message
        streamed, streamed in single tokens, whole, and on chat completions in {n_sound}. These are the others, each under the first cause
        that applies, with the shortest found that shows it: the deltas of the engine in quotes, and the messages that are told, white space at
        the ends of texts aside. Where the reasoning parser alone is at fault, the section above counts it. `python -m observatory.texts
        --only events` writes this section.""")
    for cause, entry in DIFFERING.items():
        if not trials[cause]:
            continue
        other = {"cuts": "a stream of tokens", "endpoints": "chat completions"}.get(cause, "the whole")
        made += ["", f"### events-{cause}: {entry.title}", "",
                 f"| endpoint | parsers | of {n_all} | deltas | the stream | {other} |", "|---|---|---|---|---|---|"]
        for those in trials[cause].values():
            shortest = min(those, key=lambda t: len(t.text))
            made.append(row(cause, shrunk(shortest, cause), len(those)))
        made += ["", *wrapped(entry.cause, "- **Cause.** "), *wrapped(entry.must, "- **Must be.** ")]
    made += ["", "### events-always: what every stream gets wrong", "",
             "| rule of `assay events` | what | streamed | must be |", "|---|---|---|---|"]
    made += ["| " + " | ".join(cells) + " |" for cells in always()]
    made += ["", *wrapped("""`message_start` is sent before the engine has said anything, with 0 (`server.py`, 6729–6743), and `message_delta` knows
        output tokens alone (7005); the stop_reason is made from calls alone (6999). A stream of responses has one last event (3523), sends a call's
        item with its arguments (3466–3493), and no frame for an error (6171). `_ensure_sse_terminal` (5161–5187) ends a failed
        stream of messages as if it had been told in full. `created` of a chunk is the time of that chunk (`api/models.py`, 595): a stream
        with more than a second between two chunks breaks chat-head.""", "- **Cause.** "),
             *wrapped("""The published protocols. Goldens leave out stop_reason where the engine stopped at its limit; of a failure they hold only that a
        stream must tell it.""", "- **Must be.** ")]
    return made
