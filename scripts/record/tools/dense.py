"""Draws texts that consist almost only of markers, for parsers that search the whole text: nesting and line ends matter to them.
They follow the usual draws (`draw.py`), from which the bundled vectors are made; observatory/texts/examples.tsv counts both.
"""

from __future__ import annotations

import random
from typing import Any

FIRST = 2000  # usual draws before the first dense one

CALL = '{"name":"f","parameters":{"a":1}}'
ITEM = '{"name":"f","arguments":{"a":1}}'
SPACE = ("\n", "\r", "\r\n", " ")
PARTS = {
    "llama": ("<|python_tag|>", "<function=f>", "<function=", "</function>", "{", "}", ">", "<", "a", '{"a":1}', CALL, CALL, ";",
              '"', '{"a":"', '"}', "[", '{"name":"f","parameters":{"s":"', '"}}', " ", "\n"),
    "glm47": ("<tool_call>f", "<tool_call>", "</tool_call>", "</tool_call>", "<arg_key>k</arg_key>", "<arg_value>", "</arg_value>",
              "<think>", "</think>", "<think>", "</think>", "<arg_key>k</arg_key><arg_value>1</arg_value>", "a", "<arg_key>",
              "<tool_call>f</tool_call>", "</arg_key>", " ", "\n"),
    "qwen3_xml": ("<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=s>", "<parameter=l>", "<parameter=o>",
                  "</parameter>", "</parameter>", "a", "1", "[", "]", "{", "}", "'", "<", "<b>", "&", "null", *SPACE,
                  "<function=f></function>", "<tool_call><function=f><parameter=s>", "</parameter></function></tool_call>"),
}
THOUGHTS = ("<think>", "</think>") * 2
TAGGED = ("<tool_call>", "</tool_call>", "<function=f>", "<function=", "<function=>", "</function>", "<parameter=k>", "</parameter>",
          "{", "}", '"', '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>', '<tool_call>{"name":"f","arguments":{"s":"',
          '"}}</tool_call>', "<function=f></function>", "<tool_call><function=f>", "a", " ", "\n", *THOUGHTS)
PARTS |= {
    "hermes": TAGGED,
    "qwen": (*TAGGED, "[Calling tool:", ")]", "[Calling tool: f({})]", '[Calling tool: f({"s":"', '"})]'),
    "gemma4": ("<|tool_call>", "<tool_call|>", "call:f{", "call:f(", "}", ")", "call:f{}", 'k:<|"|>', '<|"|>', "a", " ", "\n",
               "<|tool_call>call:f{}<tool_call|>", '<|tool_call>call:f{k:<|"|>', '<|"|>}<tool_call|>', *THOUGHTS),
}
PARTS |= {
    "step3p5": (*TAGGED, "[Calling tool:", ")]", "[Calling tool: f({})]", "[Calling tool: f({})]",
                "<tool_call><function=f></function></tool_call>"),
    "poolside_v1": PARTS["glm47"],
    "nemotron": (*TAGGED, "<tool_call><function=f>1</function></tool_call>", "</function></tool_call>", "<parameter=k>1</parameter>", ">"),
    "granite": ("<|tool_call|>", "<tool_call>", "[", "]", ITEM, ITEM, '{"type":"f"}', ",", '{"name":"","type":"f","arguments":', "}", "1",
                '"', " ", "\n", "a"),
    "xlam": ("```", "```json\n", "[TOOL_CALLS]", "[{", "[", "]", f"[{ITEM}]", f"[{ITEM},{ITEM}]", "[]", "[1]", "}", '"', "</think>", " ",
             "\n", "a"),
    "functionary": ("<|recipient|>f\n<|content|>", "<|recipient|>", "<|content|>", "<|from|>assistant\n", "f\n", "user\n", "{", "}",
                    '{"a":1}', "<function=f>", "<function=", "</function>", "<function=f>{}</function>", "<|", "[", "]", ITEM, ">", " ",
                    "\n", "a"),
    "kimi": ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
             "<|tool_call_end|>", "<|tool_call_argument_begin|>", "functions.f:0", "f", ":1", ":", ".", "{}", '{"a":1}',
             "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{}", "<", " ", "\n", "a"),
    "deepseek": ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "function",
                 "f", "\n```json\n", "\n```", "\n```<｜tool▁call▁end｜>", "{}", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n", " ",
                 "\n", "a"),
    "minimax": ("<minimax:tool_call>", "</minimax:tool_call>", '<invoke name="f">', '<invoke name="', "</invoke>", '<parameter name="k">',
                '<parameter name="', "</parameter>", '">', "1", "a",
                '<minimax:tool_call><invoke name="f"><parameter name="k">1</parameter></invoke>', '"', " ", "\n", *THOUGHTS),
    "deepseek_v4": ("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", '<｜DSML｜invoke name="f">', "<｜DSML｜invoke", "</｜DSML｜invoke>",
                    '<｜DSML｜parameter name="k" string="true">', '<｜DSML｜parameter name="k" string="false">', "</｜DSML｜parameter>",
                    ' name="f"', ">", "1", " ", "\n", "a", *THOUGHTS),
    "auto": ("<|tool_call>call:f{}", "<|tool_call>", "<tool_call|>", "<｜DSML｜tool_calls>", '<｜DSML｜invoke name="f">',
             "</｜DSML｜tool_calls>", "<tool_call>", "</tool_call>", "f\n", "<arg_key>k</arg_key><arg_value>1</arg_value>", "[TOOL_CALLS]",
             f"[{ITEM}]", ITEM, "[Calling tool: f(", "[f(", "{}", ")]", "<function=f>", "</function>", "<parameter=k>1</parameter>", "{",
             "}", " ", "\n", "a"),
}
VALUES = ("a", "1", "[", "]", "{", "}", "'", "<", "<b>", "&", "null", *SPACE, *SPACE)
TYPES = {"s": "string", "l": "array", "i": "integer", "n": "number", "b": "boolean", "o": "object"}
REQUEST = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {
    "type": "object", "properties": {key: {"type": kind} for key, kind in TYPES.items()}}}}]}


def wanted(parser: str, number: int) -> bool:
    return parser in PARTS and number > FIRST and number % 3 == 0


def draw(parser: str, rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """The request and the deltas of a reply, as draw.draw returns them."""
    text = "".join(rng.choice(PARTS[parser]) for _ in range(rng.randint(2, 12)))
    if parser == "qwen3_xml" and rng.random() < 0.5:
        value = "".join(rng.choice(VALUES) for _ in range(rng.randint(1, 6)))
        text = f"<tool_call><function=f><parameter={rng.choice(list(TYPES))}>{value}</parameter></function></tool_call>"
    if rng.random() < 0.2:
        text = text[:rng.randint(1, len(text))]
    cuts = sorted(rng.sample(range(len(text) + 1), min(len(text), rng.choice((0, 0, 1, 2, 5)))))
    return rng.choice(({}, REQUEST)), [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)]) if a < b]
