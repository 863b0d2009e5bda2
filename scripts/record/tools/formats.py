"""Draws calls in further formats besides those of writer.py: the markers of each format, and a function that writes one call, or a
section of calls, with values from a Writer.
"""

from __future__ import annotations

from collections.abc import Callable

from .writer import Writer

TAGS = ("<tool_call>", "</tool_call>")
FUNCTION = ("<function=", "</function>", "<parameter=", "</parameter>")

MARKERS: dict[str, tuple[str, ...]] = {
    "granite": ("<|tool_call|>", "<tool_call>"),
    "xlam": ("```", "[TOOL_CALLS]", "</think>", "[{"),
    "functionary": ("<|from|>", "<|recipient|>", "<|content|>", "<function=", "</function>"),
    "nemotron": TAGS + FUNCTION,
    "kimi": ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_section_begin|>", "<|tool_call_section_end|>",
             "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>"),
    "deepseek": ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"),
    "minimax": ("<minimax:tool_call>", "</minimax:tool_call>", '<invoke name="', "</invoke>", '<parameter name="', "</parameter>"),
    "step3p5": TAGS + FUNCTION + ("[Calling tool:", ")]"),
    "poolside_v1": TAGS + ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    "deepseek_v4": ("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", "<｜DSML｜invoke", "</｜DSML｜invoke>", "<｜DSML｜parameter",
                    "</｜DSML｜parameter>", "｜DSML｜"),
    "auto": ("<tool_call>", "</tool_call>", "<|tool_call>", "<tool_call|>", '<|"|>', "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>",
             "<arg_key>", "</arg_key>", "[TOOL_CALLS]", "[Calling tool:", ")]", "<function=", "</function>"),
}

# With these parsers a call with text before it is seldom a golden.
QUIET = ("granite",)


def items(d: Writer, key: str = "arguments") -> str:
    """A JSON list of calls."""
    made = [d.envelope(key) for _ in range(d.rng.choice((1, 1, 1, 2, 3)))]
    if d.flawed():
        made.insert(d.rng.randrange(len(made) + 1), d.rng.choice(("1", '"a"', "null", "[]", '{"type": "f"}', '{"name": "", "type": "f"}')))
    return f"[{d.space() if d.flawed() else ''}" + (f",{d.space()}".join(made) if d.rng.random() < 0.97 else "") + f"{d.space()}]"


def granite(d: Writer) -> str:
    return d.rng.choice(MARKERS["granite"]) + d.space() + items(d) + d.space()


def xlam(d: Writer) -> str:
    kind = d.rng.random()
    body = items(d, d.rng.choice(("arguments", "arguments", "parameters")))
    if kind < 0.15:
        body = d.rng.choice(("print(1)\n", "[1]", "{}", ""))
    if kind < 0.6:
        return "```" + d.rng.choice(("json", "json", "", "python")) + d.rng.choice(("\n", "\n", "", " ")) + body + d.space() + "```"
    if kind < 0.8:
        return f"[TOOL_CALLS]{d.space()}{body}" + d.rng.choice(("", "\n"))
    return ("</think>" if kind < 0.85 else "") + body


def functionary(d: Writer) -> str:
    rng = d.rng
    kind = rng.random()
    name = d.name()
    if kind < 0.45:
        start = rng.choice(("", "", "<|from|>assistant\n"))
        recipient = rng.choice((name, name, name, "all", "User"))
        before = "<|recipient|>all\n<|content|>{}" if rng.random() < 0.1 else ""
        return f"{before}{start}<|recipient|>{d.space()}{recipient}{d.space()}\n<|content|>{d.space()}{d.json(d.arguments(name))}"
    if kind < 0.85:
        return f"<function={name}>{d.json(d.arguments(name))}</function>"
    return items(d)


def nemotron(d: Writer) -> str:
    kind = d.rng.random()
    if kind < 0.75:
        return d.tagged(d.function(("", "\n", " ")))
    name = d.name()
    body = d.json(d.arguments(name)) if kind < 0.9 else d.rng.choice(("", " ", "so", "5", "[1, 2]", "'q'", "{}", "null"))
    return d.tagged(f"<function={name}>{d.space()}{body}{d.space()}</function>")


def kimi(d: Writer) -> str:
    rng = d.rng
    calls = ""
    for number in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(("", "functions.", "a:b.")) + d.name() + rng.choice((f":{number}", f":{number}", "", ":x", ":1:2"))
        body = d.json(d.arguments(name)) if rng.random() < 0.9 else rng.choice(("", "so", "5", "a < b"))
        calls += (f"<|tool_call_begin|>{d.space()}{name}{d.space()}<|tool_call_argument_begin|>{d.space()}{body}{d.space()}"
                  f"<|tool_call_end|>{d.space()}")
    many = rng.choice(("calls", "calls", "call", ""))
    return f"<|tool_{many}_section_begin|>{d.space()}{calls}<|tool_{many}_section_end|>" if many else calls


def deepseek(d: Writer) -> str:
    rng = d.rng
    calls = ""
    typed = rng.random() < 0.7
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = d.name()
        kind = "function<｜tool▁sep｜>" if typed != (rng.random() < 0.05) else ""
        body = d.json(d.arguments(name)) if rng.random() < 0.9 else rng.choice(("", "so", "5", "a\n```\nb"))
        calls += f"<｜tool▁call▁begin｜>{kind}{name}\n```json\n{body}\n```<｜tool▁call▁end｜>{d.space()}"
    begin = "<｜tool▁calls▁begin｜>" if rng.random() < 0.95 else ""
    return begin + calls + rng.choice(("<｜tool▁calls▁end｜>", "<｜tool▁calls▁end｜>", ""))


def parameters(d: Writer, name: str, begin: Callable[[str], str], end: str) -> str:
    return "".join(begin(key) + (around := d.rng.choice(("", "\n"))) + d.written(value) + around + end + d.space()
                   for key, value in d.arguments(name).items())


def minimax(d: Writer) -> str:
    invokes = ""
    for _ in range(d.rng.choice((1, 1, 1, 2))):
        name = d.name()
        inside = parameters(d, name, lambda key: f'<parameter name="{key}">', "</parameter>")
        invokes += f'{d.space()}<invoke name="{name}">{d.space()}{inside}</invoke>'
    if d.rng.random() < 0.1:
        return invokes.strip()
    return f"<minimax:tool_call>{invokes}{d.space()}</minimax:tool_call>" + d.rng.choice(("", "", "", "[e~[", "<think>x</think>"))


def step3p5(d: Writer) -> str:
    kind = d.rng.random()
    if kind < 0.15:  # the same members in another order
        name = d.name()
        arguments = d.arguments(name)
        other = dict(reversed(arguments.items()))
        return d.tagged(d.json({"name": name, "arguments": arguments})) + d.tagged(d.json({"arguments": other, "name": name}))
    call = d.call_qwen()
    return call + d.space() + call if kind < 0.4 else call


def deepseek_v4(d: Writer) -> str:
    invokes = ""
    for _ in range(d.rng.choice((1, 1, 1, 2))):
        name = d.name()
        inside = parameters(d, name, lambda key: f'<｜DSML｜parameter name="{key}" string="{d.rng.choice(("true", "false"))}">',
                            "</｜DSML｜parameter>")
        invokes += f'{d.space()}<｜DSML｜invoke name="{name}">{d.space()}{inside}</｜DSML｜invoke>'
    return f"<｜DSML｜tool_calls>{invokes}{d.space()}" + ("</｜DSML｜tool_calls>" if d.rng.random() < 0.9 else "")


def auto(d: Writer) -> str:
    rng = d.rng
    name = d.name()
    kind = rng.choice(("gemma4", "dsml", "glm47", "mistral", "qwen", "qwen", "qwen", "llama", "llama", "bare", "object"))
    if kind == "dsml":
        return deepseek_v4(d)
    if kind == "bare":
        return f"{rng.choice(('', '', '< '))}[{name}({d.json(d.arguments(name))})]"
    if kind == "object":
        return rng.choice(("", "<tool_call>", "[TOOL_CALLS]")) + rng.choice((d.envelope(), items(d)))
    return str(getattr(d, f"call_{kind}")())


CALLS: dict[str, Callable[[Writer], str]] = {
    "granite": granite, "xlam": xlam, "functionary": functionary, "nemotron": nemotron, "kimi": kimi, "deepseek": deepseek,
    "minimax": minimax, "step3p5": step3p5, "poolside_v1": lambda d: d.call_glm47(), "deepseek_v4": deepseek_v4, "auto": auto,
}
