"""Draws replies with tool calls: texts, the tools of the request, and cuts."""

from __future__ import annotations

import random
import re
from typing import Any

from . import formats as tools_formats
from .writer import KEYS, NAMES, PROPERTIES, Writer, nearly

# The markers of each format; most are single tokens of a tokenizer.
TAGS = ("<tool_call>", "</tool_call>")
FUNCTION = ("<function=", "</function>", "<parameter=", "</parameter>")
MARKERS = {
    "gemma4": ("<|tool_call>", "<tool_call|>", '<|"|>', "call:", "<|tool_response>"),
    "hermes": TAGS + FUNCTION,
    "qwen": TAGS + FUNCTION + ("[Calling tool:", ")]"),
    "qwen3_xml": TAGS + FUNCTION,
    "llama": ("<|python_tag|>", "<function=", "</function>"),
    "mistral": ("[TOOL_CALLS]", "[ARGS]"),
    "glm47": TAGS + ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    "harmony": ("<|channel|>", "<|message|>", "<|call|>", "<|end|>", "<|start|>", "<|return|>",
                "<|constrain|>"),
    **tools_formats.MARKERS,
}


# Further ways in which schemas state a parameter's type: other names, several types, or none.
SCHEMAS: tuple[Any, ...] = (
    {"type": "str"}, {"type": "text"}, {"type": "enum"}, {"type": "int"}, {"type": "int32"}, {"type": "uint8"}, {"type": "long"},
    {"type": "unsigned int"}, {"type": "short"}, {"type": "num"}, {"type": "float"}, {"type": "float64"}, {"type": "double"},
    {"type": "bool"}, {"type": "binary"}, {"type": "dict"}, {"type": "dict[str, int]"}, {"type": "list"}, {"type": "list[str]"},
    {"type": "arr"}, {"type": "sequence"}, {"type": "tuple"}, {"type": "Integer"}, {"type": "STRING"}, {"type": "null"},
    {"type": ""}, {"type": None}, {"type": 3}, {"type": []}, {"type": ["integer", "null"]}, {"type": ["string"]}, {}, None, "string",
    {"enum": ["a", 5]}, {"type": "string", "enum": ["Paris", "5"]}, {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    {"$ref": "#/$defs/k"}, {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"type": "array", "items": {"type": "string"}}, {"const": 1}, {"type": "integer", "default": 3, "description": "é <tool_call>"})


def tools() -> list[dict[str, Any]]:
    return [{"type": "function",
             "function": {"name": name, "description": "", "parameters": {
                 "type": "object",
                 "properties": {key: {"type": kind} for key, kind in properties.items()}}}}
            for name, properties in PROPERTIES.items()]


def odd_tools(rng: random.Random) -> list[dict[str, Any]]:
    """Tools with unusual or missing schemas."""
    made = []
    for name in rng.sample(NAMES[:4], rng.randint(1, 4)):
        properties = {key: rng.choice(SCHEMAS) for key in [*PROPERTIES[name], *rng.sample(KEYS, 2)]}
        schema: Any = {"type": "object", "properties": properties, "required": list(properties)[:1]}
        schema = rng.choice((schema, schema, schema, schema, {}, None, {"type": "object"}, properties))
        made.append({"type": "function", "function": {
            "name": name, **({} if schema is None else {"parameters": schema}),
            **({"description": "", "strict": True} if rng.random() < 0.3 else {})}})
    if rng.random() < 0.1:
        made.append(rng.choice((made[0], {"type": "web_search", "function": {}}, {"type": "function", "function": {"name": ""}})))
    return made


class Draw(Writer):
    """One reply in the format of one parser."""

    def __init__(self, rng: random.Random, parser: str) -> None:
        super().__init__(rng, parser, MARKERS[parser])

    def call(self) -> str:
        other = tools_formats.CALLS.get(self.parser)
        return other(self) if other else getattr(self, "call_" + self.parser)()

    def text(self) -> str:
        rng = self.rng
        quiet = self.parser in ("harmony", "glm47", *tools_formats.QUIET) and rng.random() < 0.7
        parts = ["" if quiet else self.words()]
        for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
            call = self.call()
            parts.append(nearly(rng, call) if self.flawed() else call)
            parts.append(self.words() if rng.random() < (0.1 if quiet else 0.5) else self.space())
            if self.flawed():
                marker = rng.choice(self.markers)
                parts.insert(rng.randrange(len(parts) + 1), rng.choice((marker, nearly(rng, marker))))
        if rng.random() < 0.1:
            parts.append(parts[1][:rng.randrange(len(parts[1]) + 1)] if len(parts) > 1 else "")
        if rng.random() < 0.05:
            parts.insert(0, f"<think>{self.words()}</think>")
        return "".join(parts)

    def cut(self, text: str) -> list[str]:
        """The text as deltas, mostly like tokens: markers are not split."""
        rng = self.rng
        style = rng.choices(("tokens", "random", "whole", "characters"), (6, 2, 1.5, 0.5))[0]
        if style == "whole":
            return [text] if text else []
        if style == "characters":
            return list(text)
        if style == "random":
            cuts = sorted(rng.sample(range(len(text) + 1), min(len(text), rng.randint(1, 6))))
            return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)]) if a < b]
        marked = re.split("(" + "|".join(map(re.escape, self.markers)) + ")", text)
        deltas: list[str] = []
        for number, piece in enumerate(marked):
            if number % 2:
                deltas.append(piece)
                continue
            while piece:
                n = rng.randint(1, 8)
                deltas.append(piece[:n])
                piece = piece[n:]
        return deltas


def draw(parser: str, rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """The members of a request that parsers read, and the deltas of a reply."""
    one = Draw(rng, parser)
    kind = rng.random()
    request = {"tools": tools() if kind < 0.4 else odd_tools(rng)} if kind < 0.65 else {"tools": []} if kind < 0.68 else {}
    return request, one.cut(one.text())
