"""Enumerates sequences of one to five marker-like tokens for each parser: its markers, prefixes of markers, names, braces,
calls, letters and white space, in any order; and sequences of parts of values within a call.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

LONGEST = 5

JSON_CALL = '{"name": "f", "arguments": {}}'
PARAMETERS_CALL = '{"name": "f", "parameters": {}}'
ARGUMENTS = '{"a": 1}'
BRACKET_CALL = "[Calling tool: g({})]"
FUNCTION_CALL = "<function=h><parameter=x>1</parameter></function>"
THINK = ("<think>", "</think>")
TOOL_CALL = ("<tool_call>", "</tool_call>")
FUNCTION = ("<function=f>", "</function>", "<parameter=x>", "</parameter>", "<function=", "<parameter=")
HARMONY = ("<|start|>assistant", "<|start|>", "<|channel|>analysis", "<|channel|>final", "<|channel|>commentary", "<|channel|>",
           "<|message|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>", "json", " ", "a")

TOOLS: dict[str, tuple[str, ...]] = {
    "gemma4": ("<|tool_call>", "<tool_call|>", "<|tool_call>call:f{", "call:f{}", "call:f(", "call:", "f", "{", "}", "(", ")",
               'x:<|"|>', '<|"|>', "<|tool", "\n", "a", *THINK),
    "glm47": (*TOOL_CALL, "<tool_call>f", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<arg_key>x</arg_key>", "f", "1",
              "<tool_", "\n", " ", *THINK),
    "harmony": (*HARMONY, "<|channel|>commentary to=functions.f", " to=functions.f", ARGUMENTS, "<|chan"),
    "hermes": (*TOOL_CALL, *FUNCTION, FUNCTION_CALL, JSON_CALL, ARGUMENTS, "<tool_call", "{", "}", "\n", "a", *THINK),
    "llama": ("<|python_tag|>", "<function=f>", "</function>", "<function=", PARAMETERS_CALL, ARGUMENTS, "{", "}", ";", ">", "<|python",
              '"', " ", "\n", "a"),
    "mistral": ("[TOOL_CALLS]", "[ARGS]", f"[{JSON_CALL}]", JSON_CALL, ARGUMENTS, "f", "[", "]", "{", "}", "[TOOL", "\n", " ", "a"),
    "qwen": (*TOOL_CALL, *FUNCTION[:4], JSON_CALL, ARGUMENTS, "[Calling tool:", "[Calling tool: f(", ")]", BRACKET_CALL,
             FUNCTION_CALL, "<tool_call", "{", "}", "\n", "a", *THINK),
    "qwen3_xml": (*TOOL_CALL, *FUNCTION, f"<tool_call>{FUNCTION_CALL}</tool_call>", "<tool_", "<", ">", "{", "[", "\n", "a", "<b>"),
    "granite": ("<|tool_call|>", "<tool_call>", f"[{JSON_CALL}]", JSON_CALL, "[", "]", ",", '{"type": "f"}', "<|tool", "\n", " ", "a"),
    "xlam": ("```", "json", f"[{JSON_CALL}]", f"[{PARAMETERS_CALL}]", "[]", "[1]", "[TOOL_CALLS]", "</think>", "[{", "[", "]", "``", "\n",
             " ", "a"),
    "functionary": ("<|from|>assistant\n", "<|recipient|>", "<|recipient|>f\n<|content|>", "<|content|>", "f\n", "all\n", "<function=f>",
                    "<function=", "</function>", ARGUMENTS, f"[{JSON_CALL}]", "{", "}", ">", "<|", "[", "\n", "a"),
    "nemotron": (*TOOL_CALL, *FUNCTION, "<tool_call><function=f>", "</function></tool_call>", "<parameter=x>1</parameter>", ARGUMENTS,
                 "<tool_call", "{", "1", ">", " ", "\n", "a"),
    "kimi": ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
             "<|tool_call_begin|>functions.f:0", "<|tool_call_begin|>f<|tool_call_argument_begin|>", "<|tool_call_argument_begin|>",
             "<|tool_call_end|>", f"{ARGUMENTS}<|tool_call_end|>", "f", ":0", ":", "g.", ARGUMENTS, "<|tool",
             "\n", " ", "a"),
    "deepseek": ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁begin｜>f\n```json\n",
                 "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f", "<｜tool▁sep｜>", "\n```json\n", ARGUMENTS, "\n```<｜tool▁call▁end｜>",
                 "<｜tool▁call▁end｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
                 "<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜>", "f", "<｜tool", "\n", "a"),
    "minimax": ("<minimax:tool_call>", "</minimax:tool_call>", '<minimax:tool_call><invoke name="f">', "</invoke></minimax:tool_call>",
                '<invoke name="', '<invoke name="f">', "</invoke>", '<parameter name="x">',
                '<parameter name="x">1</parameter>', "</parameter>", '">', "1", "<minimax", "\n", "a", *THINK),
    "step3p5": (*TOOL_CALL, '<tool_call>{"name": "f", "arguments": {"a": 1, "b": 2}}</tool_call>',
                '<tool_call>{"arguments": {"b": 2, "a": 1}, "name": "f"}</tool_call>', "<function=f>", "</function>", "<parameter=x>",
                "</parameter>", JSON_CALL, ARGUMENTS, "[Calling tool: f(", ")]", "[Calling tool: f({})]", FUNCTION_CALL, "<tool_call",
                "{", "}", "\n", "a", "</think>"),
    "poolside_v1": (*TOOL_CALL, "<tool_call>f", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<arg_key>x</arg_key>", "f", "1",
                    "<tool_", "\n", " ", *THINK),
    "deepseek_v4": ("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", '<｜DSML｜invoke name="f">', "<｜DSML｜invoke", ' name="f"',
                    "</｜DSML｜invoke>", '<｜DSML｜parameter name="x" string="true">', '<｜DSML｜parameter name="x" string="false">',
                    "</｜DSML｜parameter>", "1", ">", "<｜DSML", "\n", "a", *THINK),
    "auto": (*TOOL_CALL, "<function=f>", "</function>", "<parameter=x>1</parameter>", JSON_CALL, ARGUMENTS, "[TOOL_CALLS]",
             f"[{JSON_CALL}]", "[Calling tool: f({})]", "[f({", "})]", "<", "<tool_call>f", "<|tool_call>call:f{}", "<tool_call|>",
             "<｜DSML｜tool_calls>", '<｜DSML｜invoke name="f">', "</｜DSML｜tool_calls>", "\n", "a"),
}

REASONING: dict[str, tuple[str, ...]] = {
    name: (*THINK, *TOOL_CALL, "<think", "</", "<", "\n", " ", "a", "b")
    for name in ("qwen3", "deepseek_r1", "step3p5", "poolside_v1")
} | {
    "deepseek_v4": (*THINK, *TOOL_CALL, "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<think", "<｜DSML", "</", "\n", " ", "a", "b"),
    "glm4": (*THINK, *TOOL_CALL, "<|begin_of_box|>", "<|end_of_box|>", "<think", "<|begin", "</", "\n", " ", "a", "b"),
    "gemma4": ("<|channel>", "<channel|>", "<|channel>thought", "<|channel>thought\n", "<|channel>response", "thought", "response",
               "<|chan", "<chan", "\n", " ", "a", "b"),
    "mistral": ("[THINK]", "[/THINK]", *TOOL_CALL, "[THINK", "[/", "[", "\n", " ", "a", "b"),
    "gpt_oss": (*HARMONY, "\n", "b"),
    "harmony": (*HARMONY, "\n", "b"),
}

# Calls of each parser that reads values; … is replaced by the value. The parameters of qwen3_xml have the types of tools/dense.py.
VALUES: dict[str, tuple[str, ...]] = {
    "gemma4": ("<|tool_call>call:f{k:…}<tool_call|>", "<|tool_call>call:f(k=…)<tool_call|>"),
    "glm47": ("<tool_call>f<arg_key>k</arg_key><arg_value>…</arg_value></tool_call>",),
    "hermes": ("<tool_call><function=f><parameter=k>…</parameter></function></tool_call>",),
    "qwen": ("<function=f><parameter=k>…</parameter></function>",),
    "qwen3_xml": tuple(f"<tool_call><function=f><parameter={key}>…</parameter></function></tool_call>" for key in "slinbo"),
    "minimax": ('<minimax:tool_call><invoke name="f"><parameter name="k">…</parameter></invoke></minimax:tool_call>',),
}
PARTS = ("1", "0", "-", "+", ".5", "2.0", "e3", "E+1", "0x1f", "_", "null", "true", "True", "None", "[", "]", "{", "}", "(", ")", "'", '"',
         "'a'", '"a"', "r'", "\\", "\\x41", "\\u00e9", "\\n", "'a': ", '"a": ', "#", ", ", " ", "\n", "\r", "x", "<b>")

# Special tokens, which the server removes from its answers, and strings that resemble them.
SPECIAL = ("<|im_end|>", "</s>", "[PAD]", "]~b]", "]~!b[", "<|im_", "<", "[", "]", "]~", "end|>", "a", "é", " ")


def enumerated(tokens: tuple[str, ...], label: str, n: int) -> Iterator[tuple[int, list[str]]]:
    """(number, sequence) for each length: all sequences if there are at most n, else n drawn ones. The number counts all
    sequences, shorter ones first, from 1."""
    first = 1
    for length in range(1, LONGEST + 1):
        n_all = len(tokens) ** length
        ranks = range(n_all) if n_all <= n else sorted(random.Random(f"{label} {length}").sample(range(n_all), n))
        for rank in ranks:
            sequence = [tokens[rank // len(tokens) ** place % len(tokens)] for place in reversed(range(length))]
            yield first + rank, sequence
        first += n_all


def in_calls(frames: tuple[str, ...], label: str, n: int) -> Iterator[tuple[int, list[str]]]:
    """(number, tokens) of up to n sequences of PARTS for each length and frame, in place of the frame's …."""
    for index, frame in enumerate(frames):
        before, _, after = frame.partition("…")
        for number, sequence in enumerated(PARTS, f"{label} {index}", n):
            yield number * len(frames) + index, [before, *sequence, after]
