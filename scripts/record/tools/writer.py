"""Draws values and calls, with errors in some of them, as the usual parsers read them; formats.py has further formats."""

from __future__ import annotations

import json
import random
from typing import Any

WORDS = ("The weather", "ok", "Let me look.", " and ", "\n", "\n\n", "  ", "a < b", "x > y", "1.5", "{",
         "}", "[", "]", '"quoted"', "it's", "naïve", "北京", "🌦️", "e\u0301", "Привет", "<b>", "&amp;",
         "call", "name:", "`code`", "\\", "tool", "a=b", "#", "<", ">", "|", "(see)", ";", "json", "null")
TEXTS = ("Paris", "New York", "", "a b", "it's", 'say "hi"', "{}", "{\"a\": 1}", "[1, 2]", "}", "{", "]",
         "a,b", "x: y", "back\\slash", "line\nbreak", "tab\there", "北京", "🌦️🇫🇷", "é", "<b>", "a<b>c",
         "5", "1.50", "true", "True", "None", "null", "1e3", "'q'", ", ", "&", "&lt;", " lead", "trail ",
         "-0", "007", "+5", "1_000", " 7 ", "-2.0", "NaN", "inf", "1e400", "0x1F", "12345678901234567890123", "NULL", "TRUE", "false",
         "[1, 2", "(1, 2)", "{'a': None}", "[]", "\"q\"", "\x7f", "a\u2028b", "\r\n", "<|im_end|>", "%s", "0.1e-7", "<think>", "</think>", "a <think>b</think> c")
KEYS = ("city", "unit", "n", "q", "tags", "where", "flag", "ratio", "größe", "a_b", "x-y", "_z")
NAMES = ("get_weather", "search", "add", "no_args", "unknown_tool", "ns.get", "f2", "Wetter", "get-time")

PROPERTIES = {
    "get_weather": {"city": "string", "unit": "string", "n": "integer", "flag": "boolean"},
    "search": {"q": "string", "tags": "array", "where": "object", "n": "integer", "ratio": "number"},
    "add": {"a_b": "number", "n": "integer", "x-y": "number"},
    "no_args": {},
}


def nearly(rng: random.Random, text: str) -> str:
    """The text with one error: a character lost, doubled or inserted, the text cut at either end, upper-cased or doubled, or
    characters replaced."""
    if len(text) < 2:
        return text
    at = rng.randrange(len(text))
    return rng.choice((
        text[:at] + text[at + 1:], text[:at] + text[at] + text[at:], text[:at], text[at:],
        text[:at] + rng.choice('<>{}[]()"\'\\|:= \n') + text[at:], text.upper(), text * 2,
        text.replace("_", "-"), text.replace("<", "</")))


class Writer:
    """Values and calls in the format of one parser."""

    def __init__(self, rng: random.Random, parser: str, markers: tuple[str, ...]) -> None:
        self.rng = rng
        self.parser = parser
        self.markers = markers
        self.flaw = rng.choice((0.0, 0.0, 0.15, 0.5))

    def flawed(self) -> bool:
        return self.rng.random() < self.flaw

    def space(self) -> str:
        return self.rng.choice(("", "", "", " ", "\n", " \n ", "\t"))

    def words(self) -> str:
        rng = self.rng
        return "".join(rng.choice(WORDS[:-2] if self.parser == "harmony" else WORDS) + rng.choice(("", " "))
                       for _ in range(rng.choice((0, 1, 1, 2, 4, 8))))

    def value(self, depth: int = 0) -> Any:
        rng = self.rng
        kind = rng.randrange(10)
        if kind < 4:
            return rng.choice(TEXTS + (self.rng.choice(self.markers),))
        if kind < 6:
            return rng.choice((0, 1, -3, 42, 10 ** 12, 2.5, -0.125, 1e20, 10 ** 22, 1e-7, 2.0, 1e16, -1, 0.1))
        if kind == 6:
            return rng.choice((True, False, None))
        if depth > 2:
            return "deep"
        if kind == 7:
            return [self.value(depth + 1) for _ in range(rng.randrange(4))]
        return {key: self.value(depth + 1) for key in rng.sample(KEYS, rng.randrange(3))}

    def name(self) -> str:
        return self.rng.choice(NAMES[:4] if self.rng.random() < 0.7 else NAMES)

    def arguments(self, name: str) -> dict[str, Any]:
        rng = self.rng
        keys = list(PROPERTIES.get(name, ())) if rng.random() < 0.7 else []
        keys += rng.sample(KEYS, rng.choice((0, 0, 1, 2)))
        keys = list(dict.fromkeys(keys))
        rng.shuffle(keys)
        return {key: self.value() for key in keys[:rng.randrange(4)]}

    def json(self, value: Any) -> str:
        rng = self.rng
        text = json.dumps(value, ensure_ascii=rng.random() < 0.2, indent=rng.choice((None, None, None, 1)),
                          separators=rng.choice((None, None, (",", ":"), (" , ", " : "))))
        return nearly(rng, text) if self.flawed() else text

    def python(self, value: Any) -> str:
        return nearly(self.rng, repr(value)) if self.flawed() else repr(value)

    def envelope(self, key: str = "arguments") -> str:
        name = self.name()
        members: dict[str, Any] = {"name": name, key: self.arguments(name)}
        if self.flawed():
            oddly = self.rng.choice(("order", "more", "text", "bare", "other", "null", "list", "empty"))
            if oddly == "order":
                members = dict(reversed(members.items()))
            elif oddly == "more":
                members["id"] = 7
            elif oddly == "text":
                members[key] = json.dumps(members[key])
            elif oddly == "bare":
                del members[key]
            elif oddly == "other":
                members["parameters" if key == "arguments" else "arguments"] = members.pop(key)
            elif oddly == "null":
                members[key] = self.rng.choice((None, True, 5, "x"))
            elif oddly == "list":
                members[key] = [1, "a"]
            else:
                members["name"] = ""
        return self.json(members)

    def written(self, value: Any) -> str:
        """A value as it is written between tags."""
        if isinstance(value, str) and self.rng.random() < 0.8:
            return value
        return self.json(value) if self.rng.random() < 0.6 else self.python(value)

    def function(self, frame: tuple[str, ...] = ("", "\n")) -> str:
        rng = self.rng
        name = self.name()
        text = f"<function={name}>"
        if rng.random() < 0.1:
            return text + self.space() + self.json(self.arguments(name)) + self.space() + "</function>"
        for key, value in self.arguments(name).items():
            around = rng.choice(frame)
            text += self.space() + f"<parameter={key}>{around}{self.written(value)}{around}</parameter>"
        return text + self.space() + "</function>"

    def tagged(self, body: str) -> str:
        return f"<tool_call>{self.space()}{body}{self.space()}</tool_call>"

    def call_hermes(self) -> str:
        kind = self.rng.random()
        if kind < 0.6:
            return self.tagged(self.envelope())
        if kind < 0.85:
            return self.tagged(self.function())
        return self.function() if kind < 0.95 else self.envelope()

    def call_qwen(self) -> str:
        kind = self.rng.random()
        if kind < 0.4:
            return self.tagged(self.envelope())
        if kind < 0.7:
            return self.tagged(self.function()) if kind < 0.55 else self.function()
        name = self.name()
        return f"[Calling tool:{self.space()}{name}({self.json(self.arguments(name))})]"

    def call_qwen3_xml(self) -> str:
        return self.tagged(self.function()) if self.rng.random() < 0.8 else self.function()

    def call_glm47(self) -> str:
        name = self.name()
        text = name + self.rng.choice(("", "\n"))
        for key, value in self.arguments(name).items():
            text += (f"<arg_key>{key}</arg_key>{self.rng.choice(('', chr(10)))}"
                     f"<arg_value>{self.written(value)}</arg_value>{self.rng.choice(('', chr(10)))}")
        return f"<tool_call>{self.space() if self.flawed() else ''}{text}</tool_call>"

    def call_llama(self) -> str:
        kind = self.rng.random()
        if kind < 0.5:
            more = "".join(f"{self.space()};{self.space()}{self.envelope('parameters')}"
                           for _ in range(self.rng.choice((0, 0, 1, 2))))
            return f"<|python_tag|>{self.space()}{self.envelope('parameters')}{more}"
        if kind < 0.8:
            return self.envelope("parameters")
        name = self.name()
        return f"<function={name}>{self.json(self.arguments(name))}</function>"

    def call_mistral(self) -> str:
        kind = self.rng.random()
        name = self.name()
        if kind < 0.25:
            items = ", ".join(self.envelope() for _ in range(self.rng.choice((1, 1, 2))))
            return f"[TOOL_CALLS]{self.space()}[{items}]"
        between = "[ARGS]" if kind < 0.6 else ""
        return f"[TOOL_CALLS]{self.space()}{name}{between}{self.json(self.arguments(name))}"

    def gemma(self, value: Any) -> str:
        if isinstance(value, str):
            return value if self.rng.random() < 0.1 else f'<|"|>{value}<|"|>'
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{self.gemma(item)}" for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(self.gemma, value)) + "]"
        return json.dumps(value)

    def keywords(self, name: str) -> str:
        return ", ".join(f"{key}={self.python(value)}" for key, value in self.arguments(name).items()
                         if key.isidentifier())

    def call_gemma4(self) -> str:
        kind = self.rng.random()
        name = self.name()
        if kind < 0.7:
            bodies = []
            for _ in range(self.rng.choice((1, 1, 1, 2))):
                body = f"call:{name}{self.space() if self.flawed() else ''}{self.gemma(self.arguments(name))}"
                bodies.append(nearly(self.rng, body) if self.flawed() else body)
                name = self.name()
            return f"<|tool_call>{self.space().join(bodies)}<tool_call|>"
        source = f"{name}({self.keywords(name)})"
        if kind < 0.8:
            return f"call:{source}"
        if kind < 0.85:
            return f"<|tool_call>call:{source}<tool_call|>"
        if kind < 0.93:
            more = f"{self.name()}({self.keywords('search')})\n" if kind < 0.88 else ""
            return f"```tool_code\n{source}\n{more}```"
        return f"tool_code = {source}\n" + self.rng.choice(("", "print(tool_code)\n"))

    def call_harmony(self) -> str:
        rng = self.rng
        if rng.random() < 0.2:
            return (f"<|channel|>commentary to=functions.{rng.choice(NAMES[:4])}<|message|>"
                    f"{self.json(self.arguments('add'))}<|end|>"
                    f"<|start|>assistant<|channel|>final<|message|>{self.words()}<|return|>")
        kind = rng.random()
        start = rng.choice(("", "<|start|>assistant"))
        if kind < 0.2:
            end = rng.choice(("<|return|>", "<|return|>", "<|return|>", "<|end|>", ""))
            return f"{start}<|channel|>final<|message|>{self.words()}{end}"
        if kind < 0.3:
            return f"{start}<|channel|>analysis<|message|>{self.words()}<|end|>"
        name = self.name()
        constrain = rng.choice(("", "<|constrain|>json", " <|constrain|>json"))
        end = rng.choice(("<|call|>", "<|call|>", "<|end|>", "<|end|>", "<|return|>", ""))
        return (f"{start}<|channel|>commentary{rng.choice((' ', ' ', ' ', ''))}"
                f"to=functions.{name}{constrain}<|message|>{self.json(self.arguments(name))}{end}")
