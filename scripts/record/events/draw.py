"""Draws exchanges with the published server: texts, the chunks in which the engine returns them, requests, options."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from . import request as events_request
from ..reasoning import draw as reasoning_draw
from ..tools import draw as tools_draw
from .request import Function
from .server import CHAT, MESSAGES, MODEL, RESPONSES, Chunk, Exchange

ENDPOINTS = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}
REASONING = (*reasoning_draw.MARKERS, None)
TOOLS = ("gemma4", "hermes", "qwen", "qwen3_xml", "llama", "mistral", "glm47", "harmony")

# The tool parsers that belong to the models of a reasoning parser; other combinations are drawn, too.
PARTNERS = {"qwen3": ("qwen", "qwen3_xml", "hermes"), "gemma4": ("gemma4",), "glm4": ("glm47",), "mistral": ("mistral",),
            "poolside_v1": ("glm47",), "gpt_oss": ("harmony",), "harmony": ("harmony",)}

# Markers that are single tokens of models that call tools.
TOKENS = ("<tool_call>", "</tool_call>", "<|tool_call>", "<tool_call|>", '<|"|>', "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>",
          "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>")

# Special tokens, which the server removes from its answers, and strings that resemble them.
SPECIAL = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end|>",
           "<|start|>", "<|return|>", "<s>", "</s>", "<pad>", "[PAD]", "[SEP]", "[CLS]", "[e~[", "]~b]", "]~b]ai", "]~!b[",
           "</tool_call_reasoning>", "<tool_call_reasoning>")
NEARLY_SPECIAL = ("<|im_end", "<|eot_id>", "im_end|>", "<|im_<|im_end|>end|>", "<S>", "< s>", "[PAD", "[Pad]", "]~b", "]~!b]", "<pad")

Call = tuple[str, dict[str, Any]]


def drawn_call(declared: list[Function], r: random.Random) -> Call:
    function = r.choice(declared) if r.random() < .95 else ("unknown", None)
    return function[0], events_request.arguments(function, r)


def as_json(call: Call, key: str = "arguments") -> str:
    return json.dumps({"name": call[0], key: call[1]}, ensure_ascii=False)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def as_xml(call: Call) -> str:
    lines = "".join(f"<parameter={key}>\n{as_text(value)}\n</parameter>\n" for key, value in call[1].items())
    return f"<tool_call>\n<function={call[0]}>\n{lines}</function>\n</tool_call>"


def as_gemma(call: Call) -> str:
    members = ",".join(f'{key}:<|"|>{value}<|"|>' if isinstance(value, str) else f"{key}:{json.dumps(value)}"
                       for key, value in call[1].items())
    return f"<|tool_call>call:{call[0]}{{{members}}}<tool_call|>"


def as_glm(call: Call) -> str:
    lines = "".join(f"<arg_key>{key}</arg_key>\n<arg_value>{as_text(value)}</arg_value>\n"
                    for key, value in call[1].items())
    return f"<tool_call>{call[0]}\n{lines}</tool_call>"


def as_harmony(call: Call) -> str:
    return (f"<|channel|>commentary to=functions.{call[0]} <|constrain|>json<|message|>"
            f"{json.dumps(call[1], ensure_ascii=False)}<|call|>")


def as_mistral(call: Call) -> str:
    return f"[TOOL_CALLS]{call[0]}[ARGS]{json.dumps(call[1], ensure_ascii=False)}"


FORMS: dict[str, Callable[[Call], str]] = {
    "gemma4": as_gemma,
    "hermes": lambda call: f"<tool_call>\n{as_json(call)}\n</tool_call>",
    "qwen": lambda call: f"<tool_call>\n{as_json(call)}\n</tool_call>",
    "qwen3_xml": as_xml,
    "llama": lambda call: "<|python_tag|>" + as_json(call, "parameters"),
    "mistral": as_mistral,
    "glm47": as_glm,
    "harmony": as_harmony,
}


def reply(parser: str | None, r: random.Random) -> str:
    """A model's output without tool calls."""
    name = parser or "qwen3"
    if parser is None:
        return reasoning_draw.plain(name, r, 6)
    if r.random() < .15:
        return reasoning_draw.wild(name, r)
    return reasoning_draw.SHAPES.get(name, reasoning_draw.thinking)(name, r)


def insert_special(text: str, r: random.Random) -> str:
    """The text with some special tokens inserted, most of them at its end."""
    for _ in range(r.choice((1, 1, 2, 3))):
        at = len(text) if r.random() < .5 else r.randrange(len(text) + 1)
        text = text[:at] + r.choice(SPECIAL if r.random() < .8 else NEARLY_SPECIAL) + text[at:]
    return text


def text_of(parser: str | None, tools: str | None, declared: list[Function], r: random.Random) -> str:
    text = reply(parser, r)
    if r.random() < .15:
        text = insert_special(text, r)
    if tools is None or r.random() < .25:
        return text
    made = [tools_draw.Draw(r, tools).call() if r.random() < .2 else FORMS[tools](drawn_call(declared, r))
            for _ in range(r.choice((1, 1, 1, 2)))]
    calls = "".join(call + r.choice(("", "", "\n")) for call in made)
    if r.random() < .1:
        calls = calls[:r.randrange(len(calls))]
    elif r.random() < .1:
        calls += reasoning_draw.plain(parser or "qwen3", r, 3)
    if r.random() < .05:
        calls = insert_special(calls, r)
    return text + r.choice(("", "", "\n", " ")) + calls


def tokens(parser: str | None, text: str) -> list[str]:
    """The text as tokens: each marker is one token, and so is each other character."""
    known = reasoning_draw.any_of(TOKENS + SPECIAL)
    if parser:
        known = reasoning_draw.TOKENS[parser] + "|" + known
    return re.findall(f"{known}|.", text, re.DOTALL)


def cut(parser: str | None, text: str, r: random.Random) -> list[str]:
    """The text as deltas, mostly as a server's detokenizer emits them: each marker in a delta of its own."""
    pieces = tokens(parser, text)
    way = r.random()
    if way < .1 or len(text) < 2:
        return [text]
    if way < .2:
        return reasoning_draw.cut_anywhere(text, r)
    deltas = [""]
    for piece in pieces:
        if deltas[-1] and (len(piece) > 1 or len(deltas[-1]) > 12 or r.random() < .3):
            deltas.append("")
        deltas[-1] += piece
        if len(piece) > 1:
            deltas.append("")
    return [delta for delta in deltas if delta]


def chunks(deltas: list[str], prompt_tokens: int, finish: str | None, ends_alone: bool) -> list[Chunk]:
    """The engine's chunks for these deltas. ends_alone: the last chunk has no text, as if the stop token arrived
    separately."""
    texts = [*deltas, ""] if ends_alone or not deltas else deltas
    return [{"new_text": text, "prompt_tokens": prompt_tokens, "completion_tokens": number,
             "finished": number == len(texts), "finish_reason": finish if number == len(texts) else None}
            for number, text in enumerate(texts, 1)]


def unequal(made: list[Chunk], r: random.Random) -> list[Chunk]:
    """The chunks as an engine returns them that sometimes emits several tokens at once, or tokens without text yet."""
    n = 0
    for chunk in list(made):
        if r.random() < .2:
            made.insert(made.index(chunk), {**chunk, "new_text": "", "finished": False, "finish_reason": None})
    for chunk in made:
        n += r.choice((0, 1, 1, 3))
        chunk["completion_tokens"] = n
    if r.random() < .3:
        for chunk in made[:-1]:
            chunk["prompt_tokens"] = 0  # the engine reports it only in the last chunk
    return made


def draw(endpoint: str, parser: str | None, r: random.Random) -> Exchange:
    partners = PARTNERS.get(parser or "", ())
    tools = r.choice(partners) if partners and r.random() < .7 else r.choice(TOOLS)
    if r.random() < .4:
        tools = None
    server: dict[str, Any] = {"model": MODEL, "reasoning_parser": parser, "tool_parser": tools,
                              "auto_tool_choice": tools is not None}
    if r.random() < .05:
        server["auto_tool_choice"] = not server["auto_tool_choice"]
    if r.random() < .15:
        server["default_chat_template_kwargs"] = events_request.template(r)
    asks = r.random() < (.1 if tools is None else .9)
    declared = events_request.functions(r)
    text = text_of(parser, tools, declared, r)
    made = chunks(cut(parser, text, r), r.choice((1, 7, 120)), "length" if r.random() < .15 else "stop", r.random() < .4)
    if r.random() < .2:
        made = unequal(made, r)
    request = events_request.draw(endpoint, declared if asks else [], r)
    return Exchange(endpoint, request, server, made, r.randrange(len(made) + 1) if r.random() < .06 else None)
