"""Bugs of the events of Responses and Messages: what an event has in common with the whole answer is judged by the row of the
whole answer.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

from conformance.probe.tests.relay import Answer, Bug, Request
from conformance.probe.tests.relay_rows import Row, asks, change, moves, respelled

# Fields that are streamed in deltas, which have rows of their own, or as the type of their event.
IN_DELTAS = ("content[].text", "content[].thinking", "content[].input", "output[].content[].text", "output[].summary[].text",
             "output[].arguments", "status", "incomplete_details.reason")


def paths_of_response(name: str) -> Iterator[str]:
    if name.startswith("output[].content[]."):
        inner = name[len("output[].content[]."):]
        if inner.startswith("logprobs[]"):
            yield f"response.output_text.delta:{inner}"
        yield from (f"*:part.{inner}", f"*:item.content[].{inner}")
    elif name.startswith("output[]."):
        yield f"*:item.{name[len('output[].'):]}"
    yield f"*:response.{name}"


def paths_of_message(name: str) -> Iterator[str]:
    if name.startswith("content[]."):
        yield f"content_block_start:content_block.{name[len('content[].'):]}"
    elif name.startswith("stop_"):
        yield f"message_delta:delta.{name}"
    elif name.startswith("usage."):
        yield from (f"message_start:message.{name}", f"message_delta:{name}")
    else:
        yield f"message_start:message.{name}"


def check_of(row: Row, path: str) -> str:
    """The name of the finding in a stream."""
    if row.check.startswith("fields/"):
        return f"fields/{row.endpoint}/stream/{path}"
    return row.check.replace("/whole/", "/stream/").replace("numerics/responses/", "numerics/responses-stream/")


def bug_of_event(row: Row) -> Bug | None:
    """The bug of a row of the whole answer, in a stream; None: no event has the field."""
    if row.form != "whole" or row.endpoint not in ("responses", "messages") or row.name in IN_DELTAS or not row.check:
        return None
    paths = list((paths_of_response if row.endpoint == "responses" else paths_of_message)(row.name))
    changes = [change(replace(row, form="stream", name=path)) for path in paths]

    def answer(found: Answer, request: Request) -> None:
        for one in changes:
            one(found, request)
    spelled = respelled(replace(row, name="*:summary_index"), answer) if row.name.startswith("output[].summary") else answer
    return Bug(f"{row.endpoint}, stream: {row.name}", row.endpoint, "stream", check_of(row, paths[0]), answer=spelled,
               asks=asks(replace(row, form="stream")), moves=moves(row))
