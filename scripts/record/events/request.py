"""Draws requests to the published server's endpoints: tools and their schemas, choices, options."""

from __future__ import annotations

import random
from typing import Any

from .server import CHAT, MESSAGES, MODEL, RESPONSES

Function = tuple[str, dict[str, Any] | None]  # its name, its parameters

PLAIN: dict[str, dict[str, Any]] = {
    "get_weather": {"city": "string", "days": "integer"}, "search": {"q": "string", "exact": "boolean"}}

# Schemas of a parameter, in different ways of stating its type.
KINDS: tuple[dict[str, Any], ...] = (
    {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"},
    {"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "object", "properties": {}}},
    {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": ["string", "null"]}}, "required": ["x"]},
    {"type": "string", "enum": ["celsius", "東京", ""], "default": "celsius"}, {"enum": [1, "a", None]},
    {"type": ["integer", "null"]}, {"type": ["string", "integer"]}, {"type": ["number", "string"]},
    {"type": ["array", "object", "boolean"]}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"$ref": "#/$defs/k"},
    {}, {"type": "str"}, {"type": "Integer"}, {"type": []}, {"type": None}, {"const": 3})
KEYS = ("city", "days", "n", "flag", "tags", "where", "größe", "x-y", "q q", "unit", "type", "name")
NAMES = ("get_weather", "search", "f2", "get-time", "A_1", "no_args")

# Values of arguments, drawn independently of the parameter's type.
SAID: tuple[Any, ...] = (
    "Oslo", "a \"b\"", "x < y", "two\nlines", "👍🏽", "", " ", "e\u0301", "\x7f\x1b", "a\\b", "3", "-7", " 42 ", "2.0", "2.5", "1e3",
    "007", "+1", "1e400", "-0", "0x10", "true", "True", "false", "null", "None", "[1, 2]", "[1, 2", "{\"x\": 1}", "{}", "[]", "\"q\"",
    "NaN", "[NaN]", "[1e400]", "12345678901234567890123", "[{\"a\": null}]", "yes", "1,5", "/\u2028",
    0, 1, -3, 42, 10 ** 12, 10 ** 22, 2.5, -0.125, 1e20, 1e-7, 1e16, 123456789.125, 2.0, True, False, None,
    [], [1, 2.0, "a"], {}, {"x": 1, "y": None}, {"a": [{"b": "é\n"}], "c": 1e-5}, [[True], [1e22]], ["\u0001/\\"])


def plain_functions() -> list[Function]:
    return [(name, {"type": "object", "properties": {key: {"type": kind} for key, kind in parameters.items()}})
            for name, parameters in PLAIN.items()]


def functions(r: random.Random) -> list[Function]:
    """The functions that a request declares."""
    if r.random() < .4:
        return plain_functions()
    made: list[Function] = []
    for name in r.sample(NAMES, r.choice((1, 1, 2, 3))):
        properties = {key: r.choice(KINDS) for key in r.sample(KEYS, r.choice((0, 1, 2, 3)))}
        schema = {"type": "object", "properties": properties,
                  **({"required": list(properties)[:1], "additionalProperties": False} if r.random() < .3 else {})}
        made.append((name, r.choice((schema, schema, schema, schema, schema, schema, None, {}, {"type": "object"}))))
    return made


def arguments(function: Function, r: random.Random) -> dict[str, Any]:
    """The arguments of a call of that function, most of them for its declared parameters."""
    keys = [key for key in ((function[1] or {}).get("properties") or {}) if r.random() < .8]
    if r.random() < .15:
        keys.append(r.choice(KEYS))
    return {key: r.choice(SAID) for key in dict.fromkeys(keys)}


def tools_of(endpoint: str, declared: list[Function], r: random.Random | None = None) -> list[dict[str, Any]]:
    """The tools in the endpoint's form. r: draws further members of a tool; None: no further members."""
    made = []
    for name, parameters in declared:
        one: dict[str, Any] = {"name": name}
        if r and r.random() < .3:
            one["description"] = r.choice(("", "Says <tool_call> it.", "é\n"))
        if r and r.random() < .1 and endpoint != MESSAGES:
            one["strict"] = True
        if parameters is not None:
            one["input_schema" if endpoint == MESSAGES else "parameters"] = parameters
        made.append(one if endpoint == MESSAGES else {"type": "function", "function": one} if endpoint == CHAT
                    else {"type": "function", **one})
    return made


def choice_of(endpoint: str, choice: str, name: str) -> Any:
    """tool_choice in the endpoint's form. choice: auto, none, required, or one: the function called name."""
    if endpoint == MESSAGES:
        kind = {"required": "any", "one": "tool"}.get(choice, choice)
        return {"type": kind, **({"name": name} if kind == "tool" else {})}
    if choice != "one":
        return choice
    return {"type": "function", **({"function": {"name": name}} if endpoint == CHAT else {"name": name})}


def as_chat(request: dict[str, Any]) -> dict[str, Any]:
    """The equivalent request to chat completions, with recovery of argument types, which the other endpoints always do."""
    made = {key: request[key] for key in ("model", "chat_template_kwargs", "enable_thinking") if key in request}
    made |= {"messages": [{"role": "user", "content": "Hello"}], "tool_argument_recovery": "buffered"}
    tools = [tool.get("function", tool) for tool in request.get("tools") or () if tool.get("type", "function") == "function"]
    if tools:
        made["tools"] = tools_of(CHAT, [(one["name"], one.get("input_schema", one.get("parameters")) or None) for one in tools])
    choice = request.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if "tools" in made and kind:
        made["tool_choice"] = {"any": "required", "tool": "auto", "function": "auto"}.get(kind, kind)
    return made


def asked(endpoint: str, r: random.Random) -> Any:
    """The conversation: a request's input or messages."""
    if endpoint == RESPONSES:
        return r.choice(("Hello", "Hello", [{"type": "message", "role": "user", "content": "Hello"}],
                         [{"role": "user", "content": [{"type": "input_text", "text": "é <think>"}]}]))
    return r.choice(([{"role": "user", "content": "Hello"}], [{"role": "user", "content": "Hello"}],
                     [{"role": "user", "content": [{"type": "text", "text": "é <think>"}]}],
                     [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<think>b</think>"},
                      {"role": "user", "content": "c"}]))


def options_of(endpoint: str, r: random.Random) -> dict[str, Any]:
    """Options that do not change the answer, because the stub engine ignores them."""
    most = "max_output_tokens" if endpoint == RESPONSES else "max_tokens"
    made: dict[str, Any] = {most: 1000, "temperature": r.choice((0, .7)), "top_p": .9}
    if endpoint == CHAT:
        made |= {"stop": ["\n\n", "é"], "reasoning_effort": "low", "top_k": 5, "n": 1, "seed": 1, "user": "u"}
    elif endpoint == MESSAGES:
        made |= {"stop_sequences": ["é"], "system": r.choice(("s", [{"type": "text", "text": "s"}])), "metadata": {"user_id": "u"}}
    else:
        made |= {"instructions": "i", "metadata": {"k": "v"}, "store": r.random() < .5, "user": "u",
                 "parallel_tool_calls": False, "reasoning": {"effort": "low"}}
    return {name: made[name] for name in r.sample(sorted(made), r.choice((0, 0, 1, 2)))}


def thinking(r: random.Random) -> Any:
    """A value of enable_thinking, valid or invalid."""
    return r.choice((True, True, False, False, None)) if r.random() < .9 else r.choice(("false", 0, 1, []))


def template(r: random.Random) -> dict[str, Any] | None:
    """chat_template_kwargs."""
    made: dict[str, Any] = {"enable_thinking": thinking(r), "reasoning_effort": "low", "thinking": False}
    return None if r.random() < .05 else {name: made[name] for name in made if r.random() < .6}


def draw(endpoint: str, declared: list[Function], r: random.Random) -> dict[str, Any]:
    """A request; without tools if `declared` is empty."""
    request: dict[str, Any] = {"model": MODEL, "input" if endpoint == RESPONSES else "messages": asked(endpoint, r)}
    request |= options_of(endpoint, r)
    if endpoint == MESSAGES:
        request.setdefault("max_tokens", 1000)
    if declared:
        request["tools"] = tools_of(endpoint, declared, r)
    elif r.random() < .1:
        request["tools"] = []
    if declared and r.random() < .3:
        choice = r.choice(("auto", "none", "required", "one"))
        request["tool_choice"] = choice_of(endpoint, choice, r.choice(declared)[0])
    if endpoint == RESPONSES and declared and r.random() < .05:
        request["tools"].append({"type": "web_search"})
    if endpoint == CHAT and r.random() < .5:
        request["tool_argument_recovery"] = r.choice(("buffered", "buffered", "none"))
    if endpoint == CHAT and r.random() < .5:
        request["stream_options"] = {"include_usage": r.random() < .8} if r.random() < .9 else r.choice((None, {}))
    if r.random() < .25:
        request["chat_template_kwargs"] = template(r)
    if endpoint == CHAT and r.random() < .2:
        request["enable_thinking"] = r.choice((True, False, None))
    return request
