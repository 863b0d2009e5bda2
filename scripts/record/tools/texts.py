"""Texts written by hand: each reaches a branch of our parsers that no other golden reaches. The published parser agrees with
itself on all of them."""

from __future__ import annotations

from typing import Any

Text = tuple[dict[str, Any], str]  # the request, the reply

REQUEST = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {
    "b": {"type": "boolean"}, "n": {"type": "number"}, "o": {"type": "object"}, "s": {"type": "string"}}}}}]}


def valued(*values: str) -> tuple[Text, ...]:
    """Calls with one parameter, one text for each value."""
    return tuple(({}, f"<function=f><parameter=a>{value}</parameter></function>") for value in values)


def begun(key: str, *values: str) -> tuple[Text, ...]:
    """Texts that end within the value, one for each value."""
    return tuple((REQUEST, f"<tool_call><function=f><parameter={key}>{value}") for value in values)


def plain(*texts: str) -> tuple[Text, ...]:
    return tuple(({}, text) for text in texts)


TEXTS: dict[str, tuple[Text, ...]] = {
    "harmony": plain('<|channel|>commentary to=functions.f<|constrain|>json<|message|>"\\"x\\""<|call|>',
                     "<|channel|><|call|>json"),
    "hermes": plain('<tool_call><function=f>{"name": "f", "arguments": {}}'),
    "llama": plain("<function=a<function=b>x</function><function=c>{}</function>"),
    "qwen": (
        *valued("['\\x41']", "['\\U0001F600']", "['\\N']", "['a\\\nb']", "['a\\\r\nb']", "['a\\\rb']", "[r'a\\'b']", '[r"a\\"b"]',
                "[r'a\\\\']", "'''a\rb'''", "'''a\r\nb'''", "['''a'b''']"),
        *plain("<function=f><parameter=><parameter=a>1</parameter></function>",
               '<tool_call>{"name": "f", "arguments": {}} [Calling tool: f({"a": 1})]</tool_call>',
               '<tool_call>{"name": "[Calling tool:", "arguments": {}} [Calling tool: f({"a": 1})]</tool_call>',
               '<tool_call>{"name": "})]</tool_call>", "arguments": {}}</tool_call>',
               '<tool_call>{"name": "f", "arguments": {"a": "[Calling tool:})]</tool_call>"}}</tool_call>',
               "</function><function=f></function><tool_call> </tool_call><function="),
        *valued("[1 # c\r, 2]", "[1 # c", "[00]", "['\\x4']", "['\\N{x']", "[b'\\400']", "{'a': }", "{'a': 1 2}", "{(1): 2}", "{[1]: 2}",
                "{{}: 2}", "{( 'a' 'b' ): 1}", "{((None)): 1, (1,): 2}", "{((None)): 1}", "{(): 1}", "{(1: 2}", "{(1.5): 2}", "{(1]: 2}",
                "{1.5: 2, 2.0: 3, 1e16: 4, .00001: 5}", "{-0: 1}", "{-0.0: 2}", "{'\\x4': 1}")),
    "qwen3_xml": (
        (REQUEST, "<tool_call><function=f><parameter=b></parameter></function></tool_call>"),
        *begun("b", "x"), *begun("n", "-1e"),
        *begun("o", "07", "<['a'>", "<{'a'>", "<('a'>", "<[a]>", "<'a'>", "<[>'", "<[<'b'>"),
        *plain(*(f"<function=f></parameter>{before}<tool_call><function=g></function></tool_call>"
                 for before in ("<parameter=a>", "<parameter=a>x", "<parameter=>", "<b>")),
               "</function><function=f><parameter=x></tool_call>"),
        *((REQUEST, f"<tool_call><function=f><parameter=s>{value}</function></tool_call>")
          for value in ("\n\r</parameter>", "\n\n\r</parameter>", "\r\r</parameter>", "\n\r<b></parameter>"))),
    "kimi": plain("<|tool_calls_section_begin|><|tool_call_begin|>f0<|tool_call_argument_begin|>{}<|tool_call_end|>"),
    "minimax": plain(*(f"<minimax:tool_call><invoke {call}</invoke></minimax:tool_call>" for call in (
        'name="f"><parameter name=x>1</parameter>', 'name="f"><parameter name="x">1</parameter><parameter>2</parameter>',
        'nam="f"><parameter name="x">1</parameter>'))),
    "deepseek_v4": plain(*('<｜DSML｜tool_calls><｜DSML｜invoke name="f">' + parameter + "1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>"
                           for parameter in ('<｜DSML｜parameter name="x">', '<｜DSML｜parameter name="x" string="maybe">'))),
    "auto": plain("<tool_call>f</tool_call>", "<tool_call>f </tool_call>", "<tool_call>f \n</tool_call>",
                  "<tool_call>f  <arg_key>x</arg_key><arg_value>1</arg_value></tool_call>"),
}
