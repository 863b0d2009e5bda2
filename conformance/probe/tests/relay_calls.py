"""Bugs of answers that only the checkpoint odd/calls gives: several calls, calls without arguments, white space around messages.

A bug acts on the answers of one situation, so that bugs of several situations can be planted together.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.probe.tests.relay import Answer, Bug, Request

CHATS = ("chat", "responses", "messages")
DELTAS = {"chat": {"content": "content", "reasoning": "reasoning_content"}, "messages": {"content": "text", "reasoning": "thinking"},
          "responses": {"content": "response.output_text.delta", "reasoning": "response.reasoning_text.delta"}}

IDS = {"chat": {"whole": "choices[].message.tool_calls[].id", "stream": "choices[].delta.tool_calls[].id"},
       "responses": {"whole": "output[].call_id", "stream": "response.output_item.added:item.call_id"},
       "messages": {"whole": "content[].id", "stream": "content_block_start:content_block.id"}}

Slot = tuple[dict[str, Any], str]  # an object and the member that holds a text, or a piece of it


@dataclass
class Call:
    """owners: what has the call's number, of a stream. slots: its arguments. events: of a stream; of a whole answer its element."""

    owners: list[Slot] = field(default_factory=list)
    ids: list[Slot] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    begins: list[dict[str, Any]] = field(default_factory=list)  # of messages: its block where it begins
    events: list[Any] = field(default_factory=list)

    @property
    def arguments(self) -> Any:
        values = [holder.get(name) for holder, name in self.slots]
        return values[0] if len(values) == 1 else "".join(values)


def whole_lists(body: dict[str, Any]) -> tuple[list[Any], str, str]:
    """The list of an answer that has its calls, what says that an element is one, and the member with its arguments."""
    if "choices" in body:
        return body["choices"][0]["message"].get("tool_calls") or [], "function", "function"
    return (body["output"], "function_call", "arguments") if "output" in body else (body["content"], "tool_use", "input")


def whole_calls(body: dict[str, Any]) -> list[Call]:
    elements, kind, name = whole_lists(body)
    calls = [one for one in elements if one["type"] == kind]
    return [Call(slots=[(one["function"], "arguments") if kind == "function" else (one, name)],
                 ids=[(one, "call_id" if name == "arguments" else "id")], events=[one]) for one in calls]


def streamed_calls(events: list[Any]) -> list[Call]:
    found: dict[int, Call] = {}
    for event in events:
        data = event[1] if isinstance(event[1], dict) else {}
        for piece in (data.get("choices") or [{}])[0].get("delta", {}).get("tool_calls") or []:
            call = found.setdefault(piece["index"], Call())
            call.owners.append((piece, "index"))
            call.ids.append((piece, "id"))
            call.slots.append((piece["function"], "arguments"))
            call.events.append(event)
        item, block = data.get("item", {}), data.get("content_block", {})
        name = "output_index" if "output_index" in data else "index"
        begins = data.get("type") in ("response.output_item.added", "content_block_start")
        if begins and "function_call" == item.get("type") or block.get("type") == "tool_use":
            found[data[name]] = Call(begins=[block] if block else [])
        if data.get(name) in found and data.get("type"):
            call = found[data[name]]
            call.owners.append((data, name))
            call.ids += [(item, "call_id")] if item else [(block, "id")] if block else []
            call.events.append(event)
            if data["type"] == "response.function_call_arguments.delta":
                call.slots.append((data, "delta"))
            elif data["type"] == "content_block_delta":
                call.slots.append((data["delta"], "partial_json"))
    return list(found.values())


def calls_of(found: Answer) -> list[Call]:
    return streamed_calls(found["events"]) if "events" in found else whole_calls(found["body"])


def remove(found: Answer, call: Call) -> None:
    """Removes a call from its answer, and from the events that repeat the answer."""
    if "body" in found:
        elements = whole_lists(found["body"])[0]
        elements[:] = [one for one in elements if one is not call.events[0]]
    else:
        found["events"][:] = [event for event in found["events"] if not any(event is one for one in call.events)]


def lose_second(found: Answer, _: Request) -> None:
    for call in calls_of(found)[1:]:
        remove(found, call)


def join_both(found: Answer, _: Request) -> None:
    """The arguments of the second call are those of the first, too."""
    calls = calls_of(found)
    for call in calls[1:]:
        holder, name = calls[0].slots[-1]
        both = (holder[name], call.arguments)
        holder[name] = {**both[0], **both[1]} if isinstance(both[0], dict) else both[0] + both[1]
        remove(found, call)


def number_second(found: Answer, _: Request) -> None:
    for call in calls_of(found)[1:]:
        for holder, name in call.owners:
            holder[name] += 1


def share_id(found: Answer, _: Request) -> None:
    """The second call has the id of the first."""
    calls = calls_of(found)
    for call in calls[1:]:
        for (holder, name), (other, _name) in zip(call.ids, calls[0].ids):
            holder[name] = other[name]


def empty_arguments(change: Callable[[dict[str, Any], str], None]) -> Callable[[Answer, Request], None]:
    """Of a call without arguments that is the only one."""
    def answer(found: Answer, _: Request) -> None:
        calls = calls_of(found)
        if len(calls) == 1 and calls[0].arguments in ("{}", {}):
            for holder, name in calls[0].slots:
                change(holder, name)
            for block in calls[0].begins if change is be_missing else ():
                block.pop("input")
    return answer


def be_null(holder: dict[str, Any], name: str) -> None:
    holder[name] = "null" if name == "partial_json" else None


def be_blank(holder: dict[str, Any], name: str) -> None:
    holder[name] = ""


def be_missing(holder: dict[str, Any], name: str) -> None:
    holder.pop(name)


def texts(endpoint: str, part: str, found: Answer) -> Iterator[Slot]:
    """Where the content or the reasoning of an answer is, or its pieces."""
    name = DELTAS[endpoint][part]
    if "body" in found:
        body = found["body"]
        holders = [body["choices"][0]["message"]] if endpoint == "chat" else body.get("content", [])
        for item in body.get("output", []):
            holders = [*holders, *(one for one in item.get("content") or [] if (item["type"] == "reasoning") == (part == "reasoning"))]
        yield from ((one, "text" if endpoint == "responses" else name) for one in holders if one.get("text" if endpoint == "responses" else name))
        return
    for _, data in found["events"]:
        if not isinstance(data, dict):
            continue
        if endpoint == "responses":
            yield from [(data, "delta")] if data["type"] == name else []
            continue
        delta = data["choices"][0]["delta"] if data.get("choices") else data.get("delta", {})
        yield from [(delta, name)] if delta.get(name) else []


def spaces(endpoint: str, part: str, thinks: bool, change: Callable[[str], str]) -> Callable[[Answer, Request], None]:
    """Of answers with or without reasoning, and without calls."""
    def answer(found: Answer, _: Request) -> None:
        if calls_of(found) or bool(list(texts(endpoint, "reasoning", found))) != thinks:
            return
        slots = list(texts(endpoint, part, found))
        text = "".join(holder[name] for holder, name in slots)
        for i, (holder, name) in enumerate(slots):
            holder[name] = change(text) if i == 0 else ""
    return answer


def pad(text: str) -> str:
    return f"\n{text}\n"


def bugs_of_form(endpoint: str, form: str) -> list[Bug]:
    def bug(text: str, situation: str, what: str, answer: Callable[[Answer, Request], None]) -> Bug:
        return Bug(f"{endpoint}, {form}: {text}", endpoint, form, f"protocol/{endpoint}/{form}/{situation}/{what}", answer=answer)

    found = [
        Bug(f"{endpoint}, {form}: two calls of an answer have one id", endpoint, form, f"fields/{endpoint}/{form}/{IDS[endpoint][form]}",
            answer=share_id, moves=True, asks=f"protocol/{endpoint}/{form}/several-calls"),
        bug("the second call is lost", "several-calls", "fields", lose_second),
        bug("two calls are joined", "several-calls", "fields", join_both),
        bug("a call without arguments has null", "empty-call", "fields", empty_arguments(be_null)),
        bug("a call without arguments has no member for them", "empty-call", "fields", empty_arguments(be_missing)),
        bug("a message is stripped", "white-space", "spaces", spaces(endpoint, "content", False, str.strip)),
        bug("a message is stripped at its end", "white-space", "spaces", spaces(endpoint, "content", False, str.rstrip)),
        bug("a message is padded", "white-space", "spaces", spaces(endpoint, "content", False, pad)),
        bug("reasoning is padded", "reasoning", "spaces", spaces(endpoint, "reasoning", True, pad)),
        bug("a message after reasoning is padded", "reasoning", "spaces", spaces(endpoint, "content", True, pad))]
    if form == "stream":
        found.append(bug("the second call has another number", "several-calls", "grammar", number_second))
    if (endpoint, form) != ("messages", "stream"):  # a call without JSON keeps the input {} with which it began
        found.append(bug("a call without arguments has an empty text", "empty-call", "fields", empty_arguments(be_blank)))
    return found


def bugs_of_calls() -> list[Bug]:
    return [bug for endpoint in CHATS for form in ("whole", "stream") for bug in bugs_of_form(endpoint, form)]
