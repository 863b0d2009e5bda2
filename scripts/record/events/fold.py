"""Folds an answer, streamed or not, into one message."""

from __future__ import annotations

import json
from typing import Any

from .server import CHAT, MESSAGES, Answer

Folded = dict[str, Any]


def events(body: str) -> list[dict[str, Any]]:
    """The JSON data of each event, without [DONE]."""
    data = ["\n".join(line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:"))
            for block in body.split("\n\n") if block.strip()]
    return [json.loads(text) for text in data if text and text != "[DONE]"]


def field(text: str | None) -> str | None:
    return (text or "").strip() or None


def value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def is_object(arguments: Any) -> bool:
    """Whether it is a JSON object without NaN or infinity."""
    try:
        json.dumps(arguments, allow_nan=False)
    except ValueError:
        return False
    return isinstance(arguments, dict)


def chat(message: dict[str, Any], finish: str | None) -> Folded:
    calls = [{"name": call["function"]["name"], "arguments": value(call["function"]["arguments"])}
             for call in message.get("tool_calls") or []]
    return {"content": field(message.get("content")), "reasoning_content": field(message.get("reasoning_content")),
            "tool_calls": calls, "finish_reason": finish}


def chat_stream(body: str) -> Folded:
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": []}
    finish = None
    calls: dict[int, dict[str, Any]] = {}
    for event in events(body):
        for choice in event.get("choices", ()):
            finish = choice["finish_reason"] or finish
            for name in ("content", "reasoning_content"):
                message[name] += choice["delta"].get(name) or ""
            for part in choice["delta"].get("tool_calls") or []:
                call = calls.setdefault(part["index"], {"function": {"name": "", "arguments": ""}})
                for name in ("name", "arguments"):
                    call["function"][name] += part.get("function", {}).get(name) or ""
    message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return chat(message, finish)


def block(one: dict[str, Any]) -> dict[str, Any] | None:
    """A content block of a message without its id; None if it is empty."""
    kind = one["type"]
    if kind == "tool_use":
        return {"type": kind, "name": one["name"], "input": one.get("input")}
    text = field(one["thinking" if kind == "thinking" else "text"])
    return {"type": kind, "thinking" if kind == "thinking" else "text": text} if text else None


def messages(content: list[dict[str, Any]], reason: str | None) -> Folded:
    return {"content": [made for made in map(block, content) if made], "stop_reason": reason}


def reopens(body: str) -> bool:
    """Whether a stream of messages continues a block that is not open, or starts one with any index but the next."""
    n, is_open = 0, False
    for event in events(body):
        kind, index = event["type"], event.get("index")
        if kind == "content_block_start":
            if is_open or index != n:
                return True
            n, is_open = n + 1, True
        elif kind in ("content_block_delta", "content_block_stop"):
            if not is_open or index != n - 1:
                return True
            is_open = kind != "content_block_stop"
    return False


def messages_stream(body: str) -> Folded:
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    reason = None
    for event in events(body):
        if event["type"] == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            for name in ("text", "thinking"):
                if name in delta:
                    blocks[event["index"]][name] = blocks[event["index"]].get(name, "") + delta[name]
            if "partial_json" in delta:
                inputs[event["index"]] = inputs.get(event["index"], "") + delta["partial_json"]
        elif event["type"] == "message_delta":
            reason = event["delta"]["stop_reason"]
    for index, text in inputs.items():
        blocks[index]["input"] = value(text)
    return messages([blocks[index] for index in sorted(blocks)], reason)


def item(one: dict[str, Any]) -> dict[str, Any] | None:
    if one["type"] == "function_call":
        return {"type": "function_call", "name": one["name"], "arguments": value(one["arguments"])}
    text = field("".join(part["text"] for part in one["content"]))
    return {"type": one["type"], "text": text} if text else None


def responses(response: dict[str, Any]) -> Folded:
    return {"output": [made for made in map(item, response["output"]) if made], "status": response["status"]}


def responses_stream(body: str) -> Folded:
    """The response in the last event; empty if the stream was not completed."""
    last = events(body)[-1]
    return responses(last["response"]) if last["type"] == "response.completed" else {"output": [], "status": None}


def streamed(endpoint: str, answer: Answer) -> Folded:
    fold = {CHAT: chat_stream, MESSAGES: messages_stream}.get(endpoint, responses_stream)
    return fold(answer.body)


def whole(endpoint: str, answer: Answer) -> Folded:
    made = json.loads(answer.body)
    if endpoint == CHAT:
        return chat(made["choices"][0]["message"], made["choices"][0]["finish_reason"])
    return messages(made["content"], made["stop_reason"]) if endpoint == MESSAGES else responses(made)


def parts(of: Folded) -> tuple[str, str, list[Any]]:
    """Reasoning, content and calls of a folded answer of any endpoint."""
    if "tool_calls" in of:
        return of["reasoning_content"] or "", of["content"] or "", [(c["name"], c["arguments"]) for c in of["tool_calls"]]
    made = of.get("content") or of.get("output") or []
    return ("".join(one.get("thinking", "") or one["text"] for one in made if one["type"] in ("thinking", "reasoning")),
            "".join(one["text"] for one in made if one["type"] in ("text", "message")),
            [(one["name"], one["input"] if "input" in one else one["arguments"]) for one in made if "name" in one])


def order(body: str) -> str:
    """The order of fields in a stream of chat completions: "RCT" for reasoning, content, then a call. Deltas of white
    space are ignored."""
    made = ""
    for event in events(body):
        for choice in event.get("choices", ()):
            delta = choice["delta"]
            shown = ("R" if field(delta.get("reasoning_content")) else "") + \
                ("C" if field(delta.get("content")) else "") + ("T" if delta.get("tool_calls") else "")
            made += "".join(letter for letter in shown if not made.endswith(letter) or len(shown) > 1)
    return made
