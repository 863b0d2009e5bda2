"""Random variables of a chat template: messages with text, images, reasoning and tool calls; tools; flags."""

from __future__ import annotations

import random
from typing import Any

WORDS = ("Hello", "how", "are", "you", "the", "weather", "in", "Oslo", "größer", "naïve", "東京", "привет", "🙂", "a\tb", "x<y", "&amp;",
         "\"quoted\"", "it's", "{{ x }}", "{% raw %}", "<|im_end|>", "</think>", "<think>", "1.5", "100%", "back\\slash",
         "line\nbreak", "\n\n", "  spaced  ", "\u00a0", "<tool_call>", "[INST]", "#", "None", "True", "ÄÖÜ", "é")
NAMES = ("get_weather", "search", "add", "open_file", "send-mail")
TYPES = ("string", "number", "integer", "boolean", "array", "object")
IDS = ("abcdefghi", "call_0001", "123456789", "x")


def text(r: random.Random, most: int = 6) -> str:
    return " ".join(r.choice(WORDS) for _ in range(r.randint(0, most)))


def value(r: random.Random, depth: int = 0) -> Any:
    kind = r.randrange(9 if depth < 2 else 6)
    if kind < 2:
        return text(r, 3)
    if kind == 2:
        return r.choice((0, 1, -7, 42, 2**31, 2**53 + 1, -2**63, 2**63 - 1))
    if kind == 3:
        return r.choice((0.0, 1.5, -0.25, 1e16, 1e-7, 123456.789, 3.0, 1e22, 0.1))
    if kind == 4:
        return r.choice((True, False))
    if kind == 5:
        return None
    if kind == 6:
        return [value(r, depth + 1) for _ in range(r.randint(0, 3))]
    return {r.choice(("city", "unit", "x", "größe", "items", "a b")): value(r, depth + 1) for _ in range(r.randint(0, 3))}


def schema(r: random.Random, depth: int = 0) -> dict[str, Any]:
    made: dict[str, Any] = {"type": r.choice(TYPES) if r.random() < 0.9 else [r.choice(TYPES), "null"]}
    if r.random() < 0.7:
        made["description"] = text(r, 4)
    if r.random() < 0.2:
        made["enum"] = [text(r, 1) for _ in range(r.randint(1, 3))]
    if r.random() < 0.2:
        made["default"] = value(r, 2)
    if made["type"] == "array" and depth < 2:
        made["items"] = schema(r, depth + 1)
    if made["type"] == "object" and depth < 2:
        made["properties"] = properties(r, depth + 1)
    return made


def properties(r: random.Random, depth: int = 0) -> dict[str, Any]:
    return {r.choice(("city", "unit", "days", "größe", "type", "name")): schema(r, depth) for _ in range(r.randint(0, 3))}


def tool(r: random.Random) -> dict[str, Any]:
    props = properties(r)
    function = {"name": r.choice(NAMES), "description": text(r, 5),
                "parameters": {"type": "object", "properties": props, "required": [p for p in props if r.random() < 0.5]}}
    if r.random() < 0.2:
        function["return"] = {"type": "string", "description": text(r, 2)}
    if r.random() < 0.1:
        del function["description"]
    return {"type": "function", "function": function} if r.random() < 0.95 else function


def call(r: random.Random) -> dict[str, Any]:
    arguments: Any = {r.choice(("city", "unit", "x", "größe")): value(r, 1) for _ in range(r.randint(0, 3))}
    if r.random() < 0.15:
        arguments = '{"city": "Oslo"}'
    function = {"name": r.choice(NAMES), "arguments": arguments}
    if r.random() < 0.1:
        return function
    made = {"type": "function", "function": function}
    if r.random() < 0.7:
        made = {"id": r.choice(IDS), **made}
    return made


def content(r: random.Random, images: bool) -> Any:
    if not images or r.random() < 0.5:
        return text(r)
    parts: list[dict[str, Any]] = []
    for _ in range(r.randint(0, 3)):
        kind = r.randrange(4)
        parts.append({"type": "image"} if kind == 0 else
                     {"type": "image_url", "image_url": {"url": "http://x/y.png"}} if kind == 1 else
                     {"type": "video", "video": "v.mp4"} if kind == 2 and r.random() < 0.3 else
                     {"type": "text", "text": text(r)})
    return parts


def assistant(r: random.Random, images: bool, tools: bool) -> list[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": content(r, images and r.random() < 0.2)}
    if r.random() < 0.3:
        message["content"] = f"<think>\n{text(r)}\n</think>\n\n{text(r)}"
    if r.random() < 0.25:
        message[r.choice(("reasoning_content", "reasoning", "thinking"))] = text(r)
    if not tools or r.random() < 0.4:
        return [message]
    message["tool_calls"] = [call(r) for _ in range(r.randint(1, 2))]
    if r.random() < 0.5:
        message["content"] = r.choice(("", None))
    if r.random() < 0.05:
        del message["content"]
    answers = []
    for made in message["tool_calls"]:
        answer: dict[str, Any] = {"role": r.choice(("tool", "tool", "tool", "ipython")), "content": text(r)}
        if r.random() < 0.5:
            answer["name"] = made.get("function", made)["name"]
        if r.random() < 0.5:
            answer["tool_call_id"] = made.get("id", "abcdefghi")
        if r.random() < 0.1:
            answer["content"] = value(r, 1)
        answers.append(answer)
    return [message, *answers]


def messages(r: random.Random) -> list[dict[str, Any]]:
    images, tools = r.random() < 0.3, r.random() < 0.4
    made: list[dict[str, Any]] = []
    if r.random() < 0.5:
        made.append({"role": r.choice(("system", "system", "system", "developer")), "content": content(r, images and r.random() < 0.3)})
    for _ in range(r.randint(0 if made else 1, 3)):
        made.append({"role": "user", "content": content(r, images)})
        if r.random() < 0.7:
            made += assistant(r, images, tools)
    if r.random() < 0.08:
        made.insert(r.randrange(len(made) + 1), {"role": r.choice(("user", "assistant", "critic", "system")), "content": text(r)})
    return made


def variables(r: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {"messages": messages(r), "add_generation_prompt": r.random() < 0.6}
    kind = r.randrange(4)
    if kind == 0:
        made["tools"] = [tool(r) for _ in range(r.randint(1, 3))]
    elif kind == 1:
        made["tools"] = None
    elif kind == 2 and r.random() < 0.2:
        made["tools"] = []
    if r.random() < 0.8:
        made["bos_token"], made["eos_token"] = r.choice((("<s>", "</s>"), ("<bos>", "<eos>"), ("", "<|end|>")))
    if r.random() < 0.1:
        made["documents"] = [{"title": text(r, 2), "text": text(r)} for _ in range(r.randint(0, 2))]
    flags = {"enable_thinking": (True, False), "thinking": (True, False), "date_string": ("26 Jul 2024",), "reasoning_effort": ("low", "high"),
             "tools_in_user_message": (True, False), "custom_tools": (None,), "add_vision_id": (True, False), "preserve_thinking": (True, False)}
    for name, choices in flags.items():
        if r.random() < 0.2:
            made[name] = r.choice(choices)
    return made
