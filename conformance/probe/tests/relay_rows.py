"""A bug for each row of the table that `assay probe --explain` prints: a field that has another value, a member that has no
effect.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

from conformance.probe.tests.relay import PATHS, Answer, Bug, Request

FORMS = {"whole": "whole", "a stream": "stream", "a refusal": "refusal"}


@dataclass(frozen=True)
class Row:
    endpoint: str
    form: str  # "" for a member of a request
    name: str
    types: str
    check: str
    rule: str


def rows(page: str) -> Iterator[Row]:
    endpoint = form = ""
    for line in page.splitlines():
        head = re.match(r"### (/v1/\S+?)(?:, (.*))?$", line)
        if head:
            endpoint, form = PATHS[head[1]], FORMS[head[2]] if head[2] else ""
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 3 + bool(form) and cells[0] not in ("field", "member", "---"):
            yield Row(endpoint, form, cells[0], cells[1] if form else "", cells[-2], cells[-1])


# ---- Fields


def steps(path: str) -> list[str]:
    return re.findall(r"\[\]|[^.\[\]]+", path)


def parents(value: Any, path: list[str]) -> Iterator[tuple[Any, Any]]:
    """(container, key) of each value at the path; of the last member also where it is missing."""
    step, rest = path[0], path[1:]
    if step == "[]" and isinstance(value, list):
        for i, element in enumerate(value):
            if rest:
                yield from parents(element, rest)
            else:
                yield value, i
    elif isinstance(value, dict) and step != "[]":
        for key in list(value) if step == "*" else [step]:
            if not rest:
                yield value, key
            elif key in value:
                yield from parents(value[key], rest)


def roots(answer: Answer, path: str) -> Iterator[tuple[Any, list[str]]]:
    """The bodies and events in which a path begins."""
    event, colon, inner = path.partition(":")
    if "body" in answer:
        yield answer["body"], steps(path)
    for _, data in answer.get("events", []):
        if isinstance(data, dict) and (not colon or event in ("*", data.get("type"))):
            yield data, steps(inner if colon else path)


def other(value: Any, row: Row) -> Any:
    """Another value than this one, by which the row's rule or check does not hold."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        far = re.search(r"created|completed_at|cached|reasoning_tokens|rank|_read_", row.name)
        return value * 1000 + 999 if far else value + 2 if isinstance(value, int) else value - 0.5
    if isinstance(value, str):
        return "~" if "no other answer" in row.rule or not value else value + "~"
    if isinstance(value, list) and value:
        return value[1:]
    if isinstance(value, dict) and value:
        return dict(list(value.items())[1:])
    return invented(row)


def invented(row: Row) -> Any:
    """A value for a field that the server does not send."""
    if re.search(r"created|completed_at|cached|_tokens$|rank", row.name):
        return 1700000000000
    for word, value in (("a string", "~"), ("an object", {"~": 1}), ("a list", ["~"]), ("an integer", 7), ("a number", 0.125)):
        if word in row.types:
            return copy.copy(value)
    return True


def make_containers(root: Any, path: list[str]) -> None:
    """Objects on the way to a field that the server does not send."""
    at = root
    for step in path[:-1]:
        if step == "[]" or not isinstance(at, dict):
            return
        if step not in at and (step.endswith("_details") or step in ("text", "format")) and (at is not root or "usage" not in path or at.get("usage")):
            at[step] = {}
        at = at.get(step)


def change(row: Row) -> Callable[[Answer, Request], None]:
    def answer(found: Answer, _: Request) -> None:
        for root, path in roots(found, row.name):
            if re.search(r"_details\.|text\.format", row.name) and (not path[0] == "usage" or root.get("usage")):
                make_containers(root, path)
            for container, key in list(parents(root, path)):
                present = isinstance(container, list) or key in container
                if row.form == "refusal":
                    container.pop(key, None)
                    continue
                container[key] = other(container[key], row) if present else invented(row)
    return answer


def respelled(row: Row, answer: Callable[[Answer, Request], None]) -> Callable[[Answer, Request], None]:
    """First writes the answer in another published spelling, if the row is about that one."""
    def rename(old: str, new: str, where: str) -> Callable[[Answer, Request], None]:
        def apply(found: Answer, _: Request) -> None:
            for root, path in roots(found, where + old):
                for container, key in list(parents(root, path)):
                    if isinstance(container, dict) and key in container:
                        container[new] = container.pop(key)
        return apply

    def lists_to_content(found: Answer, _: Request) -> None:
        for root, path in roots(found, "choices[].logprobs"):
            for container, key in list(parents(root, path)):
                lists = container.get(key)
                if not lists or "tokens" not in lists:
                    continue
                tops = lists.get("top_logprobs") or [None] * len(lists["tokens"])
                container[key] = {"content": [
                    {"token": token, "logprob": value, "bytes": list(token.encode()), "top_logprobs": [
                        {"token": text, "logprob": one, "bytes": list(text.encode())} for text, one in (top or {}).items()]}
                    for token, value, top in zip(lists["tokens"], lists["token_logprobs"], tops)]}

    def to_summary(found: Answer, _: Request) -> None:
        for root, path in roots(found, "output[]"):
            for container, key in list(parents(root, path)):
                item = container[key]
                if item.get("type") == "reasoning":
                    item["summary"] = [{**part, "type": "summary_text"} for part in item.pop("content", [])]

    def stream_summary(found: Answer, _: Request) -> None:
        for event in found.get("events", []):
            data = event[1]
            if not isinstance(data, dict):
                continue
            kind, item = data.get("type", ""), data.get("item", {})
            if data.get("part", {}).get("type") == "reasoning_text":
                data["part"]["type"] = "summary_text"
                kind = kind.replace("content_part", "reasoning_summary_part")
            if "summary" in kind or "reasoning_text" in kind:
                data["summary_index"] = data.pop("content_index", 0)
            event[0] = data["type"] = kind.replace("reasoning_text", "reasoning_summary_text")
            for one in [item, *data.get("response", {}).get("output", [])]:
                if one.get("type") == "reasoning":
                    one["summary"] = [{**part, "type": "summary_text"} for part in one.pop("content", [])]

    def add_error(found: Answer, _: Request) -> None:
        error = {"message": "", "code": ""} if row.endpoint == "responses" else {"error": {"type": "", "message": ""}}
        if "events" in found:
            found["events"].append(["error", {"type": "error", **error}])

    first = None
    if row.name.startswith("error:"):
        first = add_error
    elif row.name == "*:summary_index":
        first = stream_summary
    elif row.name.endswith(".reasoning"):
        first = rename("reasoning_content", "reasoning", row.name[:-len("reasoning")])
    elif row.endpoint == "completions" and ".logprobs.content" in row.name:
        first = lists_to_content
    elif row.name.startswith("output[].summary"):
        first = to_summary

    def both(found: Answer, request: Request) -> None:
        if first:
            first(found, request)
        answer(found, request)
    return both


def moves(row: Row) -> bool:
    """Whether another value also changes what the rules of other fields see: ids belong to an index, lists have members."""
    return re.search(r"index|\.id$|call_id$|^output\[\]|logprobs$|token_ids$|^top_p$", row.name) is not None


def asks(row: Row) -> str:
    """The check that sends what the rule of a field compares it with, if not all requests do."""
    if row.name == "top_logprobs":
        return f"numerics/{row.endpoint}{'-stream' if row.form == 'stream' else ''}"
    return f"protocol/{row.endpoint}/{row.form}/effects/top-p" if row.name == "top_p" else ""


def bug_of_field(row: Row) -> Bug:
    return Bug(f"{row.endpoint}, {row.form}: {row.name}", row.endpoint, row.form, row.check,
               answer=respelled(row, change(row)), asks=asks(row), moves=moves(row))


# ---- Members

# The correct server refuses penalties of its own accord: another penalty shows what a default one does.
DEFAULTS = {"presence_penalty": ("repetition_penalty", 1.3), "frequency_penalty": ("repetition_penalty", 1.3),
            "repetition_penalty": ("repetition_penalty", 1.3), "top_p": ("top_p", 0.3), "top_k": ("top_k", 2),
            "min_p": ("min_p", 0.5), "max_tokens": ("max_tokens", 5), "max_output_tokens": ("max_output_tokens", 5)}


def drop(*path: str) -> Callable[[Request], None]:
    def request(members: Request) -> None:
        at: Any = members
        for step in path[:-1]:
            at = at.get(step) or {}
        at.pop(path[-1], None)
    return request


def default(name: str, given: str, value: Any) -> Callable[[Request], None]:
    """What the server does if a request does not have the member: it takes `given` to have a value."""
    def request(members: Request) -> None:
        if name not in members:
            members.setdefault(given, value)
    return request


def cut_history(name: str) -> Callable[[Request], None]:
    def request(members: Request) -> None:
        if isinstance(members.get(name), list):
            members[name] = members[name][-4:]
    return request


def serve_any_model(members: Request) -> None:
    members["model"] = "model"


def double_limit(members: Request) -> None:
    for name in ("max_tokens", "max_output_tokens"):
        if isinstance(members.get(name), int) and members[name] > 1:
            members[name] = 4 * members[name]


def shorten_prompt(members: Request) -> None:
    if isinstance(members.get("prompt"), (list, str)):
        members["prompt"] = members["prompt"][:-1] or members["prompt"]


def never_stream(members: Request) -> None:
    members.pop("stream", None)
    members.pop("stream_options", None)


def be_greedy(members: Request) -> None:
    members["temperature"] = 0


def report_nothing(members: Request) -> None:
    members.pop("logprobs", None)
    members.pop("top_logprobs", None)


def repeat_choice(found: Answer, request: Request) -> None:
    """All choices are the first one."""
    n = int(request.get("n") or 1)
    if found.get("body", {}).get("choices"):
        first = found["body"]["choices"][0]
        found["body"]["choices"] = [{**first, "index": i} for i in range(n)]
    kept = []
    for name, data in found.get("events", []):
        choices = data.get("choices") if isinstance(data, dict) else None
        if not choices:
            kept.append([name, data])
        elif choices[0]["index"] == 0:
            kept += [[name, {**data, "choices": [{**choices[0], "index": i}]}] for i in range(n)]
    if "events" in found:
        found["events"] = kept


def change_uncached(name: str) -> Callable[[Answer, Request], None]:
    def answer(found: Answer, request: Request) -> None:
        if name in request:
            for choice in found["body"]["choices"]:
                choice["text"] += "~"
    return answer


def lose_usage(found: Answer, _: Request) -> None:
    if "events" in found:
        found["events"] = [event for event in found["events"] if not (isinstance(event[1], dict) and event[1].get("usage"))]


def forms_of_member(check: str) -> Iterator[tuple[str, str]]:
    """The forms in which a member has an effect that is judged, with the check of each."""
    parts = check.split("/")
    if parts[2:3] == ["*"]:
        for form in ("whole", "stream"):
            yield form, "/".join([*parts[:2], form, *parts[3:]])
    else:
        yield "stream" if "stream" in parts else "whole", check


def bugs_of_member(row: Row) -> Iterator[Bug]:
    name, _, value = row.name.partition(":")
    request: Optional[Callable[[Request], None]] = None
    answer: Optional[Callable[[Answer, Request], None]] = None
    if value.strip() == "none" and name in DEFAULTS:
        given, set_to = DEFAULTS[name]
        request = default(name, given, set_to)
    elif row.name == "n: at a temperature":
        answer = repeat_choice
    elif name in ("cache_prompt", "cache_salt"):
        request, answer = drop(name), change_uncached(name)
    elif name in ("messages", "input"):
        request = cut_history(name)
    elif row.name in SPECIAL:
        request = SPECIAL[row.name]
    elif row.name == "stream_options.include_usage":
        answer = lose_usage
    else:
        request = drop(*name.split("."))
    for form, check in forms_of_member(row.check):
        yield Bug(f"{row.endpoint}, {form}: {row.name}", row.endpoint, form, check, request, answer,
                  everywhere=check.startswith(("batching/", "discovery/")))


SPECIAL: dict[str, Callable[[Request], None]] = {
    "model": serve_any_model, "max_tokens": double_limit, "max_output_tokens": double_limit, "prompt": shorten_prompt,
    "stream": never_stream, "temperature": be_greedy, "logprobs": report_nothing}
