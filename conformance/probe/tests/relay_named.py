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


def lists_of_rows(found: Answer) -> Iterator[list[Any]]:
    """The lists with an entry for each token: of a spelling that has several, each of them."""
    for choice in choices(found):
        logprobs = choice.get("logprobs") or {}
        yield from (rows for rows in logprobs.values() if isinstance(rows, list))
    for data in [found.get("body"), *(data for _, data in found.get("events", []))]:
        for item in (data or {}).get("output", []) if isinstance(data, dict) else []:
            yield from (part["logprobs"] for part in item.get("content") or [] if part.get("logprobs"))
        if isinstance(data, dict) and "delta" in data and isinstance(data.get("logprobs"), list):
            yield data["logprobs"]


def lose_first_row(found: Answer, _: Request) -> None:
    seen: set[str] = set()
    for choice in choices(found):
        for name, rows in (choice.get("logprobs") or {}).items():
            if rows and name not in seen:
                seen.add(name)
                del rows[0]


def lose_last_row(found: Answer, _: Request) -> None:
    for rows in lists_of_rows(found):
        if len(rows) > 3:
            del rows[-3:]


def reverse_alternatives(found: Answer, _: Request) -> None:
    for rows in lists_of_rows(found):
        for row in rows:
            if isinstance(row, dict) and isinstance(row.get("top_logprobs"), list):
                row["top_logprobs"].reverse()


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


def finish_as_call(found: Answer, _: Request) -> None:
    """What a limit cut is said to be a call."""
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


def named() -> list[Bug]:
    bugs = []
    for e in OPENAI:
        bugs += [
            Bug(f"{e}: the first token has no logprob", e, "whole", f"numerics/{e}/token", answer=lose_first_row),
            Bug(f"{e}: the first token of a stream has no logprob", e, "stream", f"numerics/{e}-stream/token", answer=lose_first_row),
            Bug(f"{e}: the last tokens have no logprobs", e, "whole", f"numerics/{e}/rows", answer=lose_last_row),
        ]
    for e in (*OPENAI, "responses"):
        bugs += [
            Bug(f"{e}: streams have no logprobs", e, "stream", f"numerics/{e}-stream/answer", answer=lose_logprobs),
            Bug(f"{e}: logprobs come one event late", e, "stream", f"numerics/{e}-stream/pace", answer=delay_logprobs),
        ]
    for e in ("chat", "responses"):
        bugs += [
            Bug(f"{e}: alternatives are out of order", e, "whole", f"numerics/{e}/order", answer=reverse_alternatives),
            Bug(f"{e}: alternatives of streams are out of order", e, "stream", f"numerics/{e}-stream/order", answer=reverse_alternatives),
        ]
    for e in CHATS:
        bugs += [
            Bug(f"{e}: messages are stripped", e, "", f"protocol/{e}/*/prompt/spaces", request=strip_messages),
            Bug(f"{e}: the second of two calls is lost", e, "", f"protocol/{e}/*/prompt/calls", request=lose_second_call),
            Bug(f"{e}: a call without arguments is lost", e, "", f"protocol/{e}/*/prompt/empty-call", request=lose_empty_call),
        ]
    for form in ("whole", "stream"):
        bugs.append(Bug(f"chat, {form}: a call that is cut is said to be complete", "chat", form,
                        f"protocol/chat/{form}/limit-in-call/finish", answer=finish_as_call))
    bugs.append(Bug("chat: the id changes between the pieces of a call", "chat", "stream",
                    "fields/chat/stream/choices[].delta.tool_calls[].id", answer=pieces_of_calls(other_id)))
    return bugs
