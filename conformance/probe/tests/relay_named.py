"""Bugs of published servers that are about more than the value of one field or the effect of one member.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from typing import Any, Callable, Iterator

from conformance.probe.tests.relay import Answer, Bug, Request

OPENAI = ("completions", "chat")
CHATS = ("chat", "responses", "messages")


def choices(found: Answer) -> Iterator[Any]:
    for data in [found.get("body"), *(data for _, data in found.get("events", []))]:
        if isinstance(data, dict):
            yield from data.get("choices") or []


def named_rows(found: Answer) -> Iterator[tuple[str, list[Any]]]:
    """The lists with an entry for each token, with their names: of a spelling that has several, each of them."""
    for choice in choices(found):
        logprobs = choice.get("logprobs") or {}
        yield from ((name, rows) for name, rows in logprobs.items() if isinstance(rows, list))
    for data in [found.get("body"), *(data for _, data in found.get("events", []))]:
        for item in (data or {}).get("output", []) if isinstance(data, dict) else []:
            yield from (("output", part["logprobs"]) for part in item.get("content") or [] if part.get("logprobs"))
        if isinstance(data, dict) and "delta" in data and isinstance(data.get("logprobs"), list):
            yield "delta", data["logprobs"]


def lists_of_rows(found: Answer) -> Iterator[list[Any]]:
    yield from (rows for _, rows in named_rows(found))


def lose_row(index: int) -> Callable[[Answer, Request], None]:
    """One token of the answer has no entry."""
    def answer(found: Answer, _: Request) -> None:
        seen: dict[str, int] = {}
        for name, rows in named_rows(found):
            before = seen.get(name, 0)
            seen[name] = before + len(rows)
            if before <= index < before + len(rows):
                del rows[index - before]
    return answer


def lose_last_row(found: Answer, _: Request) -> None:
    for rows in lists_of_rows(found):
        if len(rows) > 3:
            del rows[-3:]


def reverse_alternatives(found: Answer, _: Request) -> None:
    for rows in lists_of_rows(found):
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("top_logprobs"), list):
                row["top_logprobs"].reverse()


def lose_alternative(found: Answer, _: Request) -> None:
    for rows in lists_of_rows(found):
        for row in rows:
            tops = row.get("top_logprobs", row) if isinstance(row, dict) else None
            if isinstance(tops, list) and len(tops) > 1:
                tops.pop()
            elif isinstance(tops, dict) and len(tops) > 1:
                tops.popitem()


def lose_logprobs(found: Answer, _: Request) -> None:
    for choice in choices(found):
        if "logprobs" in choice:
            choice["logprobs"] = None
    for _name, data in found.get("events", []):
        if isinstance(data, dict) and "delta" in data and "logprobs" in data:
            data["logprobs"] = []


def delay_logprobs(found: Answer, _: Request) -> None:
    """Each event has the logprobs of the one before it."""
    held = None
    for choice in choices(found):
        if choice.get("logprobs") is not None:
            held, choice["logprobs"] = choice["logprobs"], held
    for _name, data in found.get("events", []):
        if isinstance(data, dict) and str(data.get("type", "")).endswith("output_text.delta"):
            held, data["logprobs"] = data["logprobs"], held or []


def pieces_of_calls(change: Callable[[Any, int], None]) -> Callable[[Answer, Request], None]:
    """A call comes in two pieces, of which the second is changed."""
    def answer(found: Answer, _: Request) -> None:
        stream: list[Any] = []
        for name, data in found.get("events", []):
            stream.append([name, data])
            calls = [call for choice in (data.get("choices") or [] if isinstance(data, dict) else [])
                     for call in choice["delta"].get("tool_calls") or []]
            if not calls:
                continue
            second = json.loads(json.dumps(data))
            for choice in second["choices"]:
                for i, call in enumerate(choice["delta"]["tool_calls"]):
                    text = calls[i]["function"]["arguments"]
                    calls[i]["function"]["arguments"], call["function"] = text[:1], {"arguments": text[1:]}
                    change(call, i)
            stream.append([name, second])
        if "events" in found:
            found["events"] = stream
    return answer


def other_id(call: Any, i: int) -> None:
    call["id"] = f"call_other_{i}"


def objects_of(value: Any) -> Iterator[dict[str, Any]]:
    """All objects within a value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_of(inner)


def one_call_id(found: Answer, _: Request) -> None:
    """Every call of every answer has the same id."""
    for one in objects_of([found.get("body"), found.get("events")]):
        if one.get("type") == "function_call" and "call_id" in one:
            one["call_id"] = "call_1"
        elif one.get("type") in ("function", "tool_use") and "id" in one:
            one["id"] = "call_1"


def end_with_other_id(found: Answer, _: Request) -> None:
    """A call has another id in its last event."""
    for name, data in found.get("events", []):
        if name == "response.output_item.done" and "call_id" in data["item"]:
            data["item"]["call_id"] += "_again"


def other_year(found: Answer, _: Request) -> None:
    """Seconds since 1970, of 1999."""
    for one in objects_of([found.get("body"), found.get("events")]):
        for name in ("created", "created_at", "completed_at"):
            if isinstance(one.get(name), int):
                one[name] = 946684799


def finish_as_call(found: Answer, _: Request) -> None:
    """What a limit cut is said to be a call, or to be complete."""
    for one in objects_of([found.get("body"), found.get("events")]):
        if one.get("stop_reason") == "max_tokens":
            one["stop_reason"] = "tool_use"
        if one.get("status") == "incomplete" or one.get("incomplete_details"):
            one["status"], one["incomplete_details"] = "completed", None
    for choice in choices(found):
        message = choice.get("message") or choice.get("delta") or {}
        if choice.get("finish_reason") == "length":
            choice["finish_reason"] = "tool_calls"
            message["tool_calls"] = [{"index": 0, "id": "call_cut", "type": "function",
                                      "function": {"name": "get_weather", "arguments": "{}"}}]


def messages_of(members: Request) -> list[Any]:
    found = members.get("messages") or members.get("input")
    return found if isinstance(found, list) else []


def strip_messages(members: Request) -> None:
    for message in messages_of(members):
        if isinstance(message.get("content"), str):
            message["content"] = message["content"].strip()


def lose_second_call(members: Request) -> None:
    """Of calls in the history only the first is kept, with its result."""
    kept, n_calls, n_results = [], 0, 0
    for message in messages_of(members):
        content = message.get("content")
        if message.get("tool_calls"):
            message["tool_calls"] = message["tool_calls"][:1]
        blocks = content if isinstance(content, list) else []
        result = message.get("role") == "tool" or message.get("type") == "function_call_output" or any(
            block.get("type") == "tool_result" for block in blocks)
        if any(block.get("type") == "tool_use" for block in blocks):
            message["content"] = [block for i, block in enumerate(blocks) if block.get("type") != "tool_use" or i == 0]
        n_calls += message.get("type") == "function_call"
        n_results += result
        if (message.get("type") == "function_call" and n_calls > 1) or (result and n_results > 1):
            continue
        kept.append(message)
    if kept:
        members["messages" if "messages" in members else "input"] = kept


def lose_empty_call(members: Request) -> None:
    """A call in the history that has no arguments becomes an empty message."""
    for message in messages_of(members):
        if message.get("tool_calls") and message["tool_calls"][0]["function"]["arguments"] in ("{}", {}):
            del message["tool_calls"]
        if isinstance(message.get("content"), list):
            blocks = [block for block in message["content"] if block.get("type") != "tool_use" or block["input"]]
            message["content"] = blocks or [{"type": "text", "text": ""}]
    if isinstance(members.get("input"), list):
        members["input"] = [{"role": "assistant", "content": ""} if item.get("arguments") == "{}" else item for item in members["input"]]


def is_picture(name: str, value: Any) -> bool:
    return isinstance(value, str) and (name == "data" or value.startswith("data:image/"))


def first_picture() -> Callable[[Request], None]:
    """A picture is the first one that came with the same text."""
    firsts: dict[str, list[str]] = {}

    def request(members: Request) -> None:
        places = [(one, name) for one in objects_of(members) for name, value in one.items() if is_picture(name, value)]
        own = [one[name] for one, name in places]
        for one, name in places:
            one[name] = ""
        for (one, name), picture in zip(places, firsts.setdefault(json.dumps(members), own)):
            one[name] = picture
    return request


FORMS = ("whole", "stream")


def way(endpoint: str, form: str) -> str:
    return endpoint if form == "whole" else f"{endpoint}-stream"


CALL_IDS = {("chat", "whole"): "choices[].message.tool_calls[].id", ("chat", "stream"): "choices[].delta.tool_calls[].id",
            ("responses", "whole"): "output[].call_id", ("responses", "stream"): "*item.call_id",
            ("messages", "whole"): "content[].id", ("messages", "stream"): "content_block_start:content_block.id"}


def of_numbers(form: str) -> Iterator[Bug]:
    for e in (*OPENAI, "responses"):
        name = f"{e}, {form}"
        yield Bug(f"{name}: the first token has no logprob", e, form, f"numerics/{way(e, form)}/token", answer=lose_row(0))
        yield Bug(f"{name}: the third token has no entry", e, form, f"numerics/{way(e, form)}/token", answer=lose_row(2))
        yield Bug(f"{name}: an alternative is missing", e, form, f"numerics/{way(e, form)}/count", answer=lose_alternative)
        if form == "stream":
            yield Bug(f"{name}: no logprobs", e, form, f"numerics/{way(e, form)}/answer", answer=lose_logprobs)
            yield Bug(f"{name}: logprobs come one event late", e, form, f"numerics/{way(e, form)}/pace", answer=delay_logprobs)
        else:
            yield Bug(f"{name}: the last tokens have no logprobs", e, form, f"numerics/{way(e, form)}/rows", answer=lose_last_row)
    for e in ("chat", "responses"):
        yield Bug(f"{e}, {form}: alternatives are out of order", e, form, f"numerics/{way(e, form)}/order",
                  answer=reverse_alternatives)


def of_fields(form: str) -> Iterator[Bug]:
    for e in (*OPENAI, "responses"):
        check = f"fields/{e}/{form}/{'*' if (e, form) == ('responses', 'stream') else ''}created{'_at' if e == 'responses' else ''}"
        yield Bug(f"{e}, {form}: times are of 1999", e, form, check, answer=other_year, moves=True)
    for e in CHATS:
        yield Bug(f"{e}, {form}: all calls have one id", e, form, f"fields/{e}/{form}/{CALL_IDS[e, form]}", answer=one_call_id,
                  moves=True)
    if form == "stream":
        yield Bug("chat, stream: the id changes between the pieces of a call", "chat", "stream",
                  "fields/chat/stream/choices[].delta.tool_calls[].id", answer=pieces_of_calls(other_id), moves=True)
        yield Bug("responses, stream: the id changes between the pieces of a call", "responses", "stream",
                  "fields/responses/stream/response.output_item.done:item.call_id", answer=end_with_other_id, moves=True)


def of_prompts(form: str) -> Iterator[Bug]:
    for e in CHATS:
        yield Bug(f"{e}, {form}: messages are stripped", e, form, f"protocol/{e}/{form}/prompt/spaces", request=strip_messages)
        yield Bug(f"{e}, {form}: the second of two calls is lost", e, form, f"protocol/{e}/{form}/prompt/calls",
                  request=lose_second_call)
        yield Bug(f"{e}, {form}: a call without arguments is lost", e, form, f"protocol/{e}/{form}/prompt/empty-call",
                  request=lose_empty_call)
        yield Bug(f"{e}, {form}: a call that is cut is said to be complete", e, form,
                  f"protocol/{e}/{form}/limit-in-call/finish", answer=finish_as_call)


def of_pictures() -> list[Bug]:
    return [Bug(f"{e}, whole: a picture is that of the same text before", e, "whole", f"batching/pictures/{e}", request=first_picture())
            for e in CHATS]


def named() -> list[Bug]:
    return [bug for form in FORMS for some in (of_numbers, of_fields, of_prompts) for bug in some(form)]


def both(endpoints: tuple[str, ...], *texts: str) -> list[str]:
    """The names of the bugs of these endpoints, in both forms."""
    return [f"{e}, {form}: {text}" for e in endpoints for form in FORMS for text in texts]


TIMED, ALL = (*OPENAI, "responses"), (*OPENAI, "responses", "messages")
ROW, OUTPUT = "choices[].logprobs.content[]", "output[].content[].logprobs[]"

# Bugs that published servers have, with the names of those that stand for them: of a row of the table, or of this file.
KINDS: dict[str, list[str]] = {
    "times are milliseconds": [*both(OPENAI, "created"), *both(("responses",), "created_at", "completed_at")],
    "times are of another year": both(TIMED, "times are of 1999"),
    "cached tokens are invented": [
        *both(OPENAI, "usage.prompt_tokens_details.cached_tokens"), *both(("responses",), "usage.input_tokens_details.cached_tokens"),
        *both(("messages",), "usage.cache_read_input_tokens")],
    "all calls have one id": both(CHATS, "all calls have one id"),
    "ids change between the pieces of a call": [
        f"{e}, stream: the id changes between the pieces of a call" for e in ("chat", "responses")],
    "the history is cut to its last four messages": [*both(("chat", "messages"), "messages"), *both(("responses",), "input")],
    "streams have no log-probabilities": [f"{e}, stream: no logprobs" for e in TIMED],
    "log-probabilities of streams come one event late": [f"{e}, stream: logprobs come one event late" for e in TIMED],
    "alternatives are out of order": both(("chat", "responses"), "alternatives are out of order"),
    "fewer alternatives than were asked for": both(TIMED, "an alternative is missing"),
    "the text or the bytes of a token are not those of its id": [
        *both(("chat",), f"{ROW}.token", f"{ROW}.bytes[]"), *both(("completions",), "choices[].logprobs.tokens[]"),
        *both(("responses",), f"{OUTPUT}.token", f"{OUTPUT}.bytes[]")],
    "offsets of the text endpoint's log-probabilities": both(("completions",), "choices[].logprobs.text_offset[]"),
    "a token has no entry in the log-probabilities": both(TIMED, "the third token has no entry"),
    "the first log-probability is missing": both(TIMED, "the first token has no logprob"),
    "another model's name": both(ALL, "model"),
    "penalties have no effect": [*both(OPENAI, "presence_penalty", "frequency_penalty", "repetition_penalty"),
                                 *both(("responses",), "repetition_penalty")],
    "top_k and top_p have no effect": both(ALL, "top_k", "top_p"),
    "min_p has no effect": both(TIMED, "min_p"),
    "several choices are the same at a temperature": both(OPENAI, "n: at a temperature"),
    "response_format has no effect": [*both(OPENAI, "response_format: json_object"), *both(("responses",), "text.format: json_object")],
    "tool_choice has no effect": both(CHATS, "tool_choice: none"),
    "parallel_tool_calls has no effect": both(("chat", "responses"), "parallel_tool_calls"),
    "a default limit": [*both(OPENAI, "max_tokens: none"), *both(("responses",), "max_output_tokens: none")],
    "a default penalty": [*both(TIMED, "repetition_penalty: none"),
                          *both(OPENAI, "presence_penalty: none", "frequency_penalty: none")],
    "a call that the limit cuts is said to be complete": both(CHATS, "a call that is cut is said to be complete"),
    "white space around messages is lost": both(CHATS, "messages are stripped"),
    "one of several calls is lost": both(CHATS, "the second of two calls is lost"),
    "a call without arguments is lost": both(CHATS, "a call without arguments is lost"),
    "pictures are found by the text": [f"{e}, whole: a picture is that of the same text before" for e in CHATS],
}
