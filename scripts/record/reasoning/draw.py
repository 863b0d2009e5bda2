"""Draws texts for reasoning parsers, and cuts them into deltas."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

THINK = "<think>", "</think>"
CALL = "<tool_call>", "</tool_call>"
BOX = "<|begin_of_box|>", "<|end_of_box|>"
DSML = "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"
CHANNEL = "<|channel>thought", "<channel|>", "<|channel>response", "<|channel>"
HARMONY = ("<|channel|>analysis", "<|channel|>final", "<|channel|>commentary", "<|channel|>", "<|message|>",
           "<|start|>assistant", "<|start|>", "<|end|>", "<|return|>", "<|call|>", "<|constrain|>")

MARKERS: dict[str, tuple[str, ...]] = {
    "qwen3": THINK + CALL,
    "deepseek_r1": THINK + CALL,
    "deepseek_v4": THINK + CALL + DSML,
    "glm4": THINK + CALL + BOX,
    "gemma4": CHANNEL,
    "mistral": ("[THINK]", "[/THINK]") + CALL,
    "step3p5": THINK + CALL,
    "poolside_v1": THINK + CALL,
    "gpt_oss": HARMONY,
    "harmony": HARMONY,
}


def any_of(markers: tuple[str, ...]) -> str:
    return "|".join(re.escape(marker) for marker in markers)


# Expressions for text that is one token. The published harmony parser finds a channel's name only in the delta of its marker.
TOKENS: dict[str, str] = {name: any_of(markers) for name, markers in MARKERS.items()} | {
    "gemma4": any_of(("<|channel>", "<channel|>")),
    "gpt_oss": any_of(tuple(marker for marker in HARMONY if marker.endswith("|>"))),
    "harmony": r"<\|channel\|>\w*|" + any_of(tuple(m for m in HARMONY if m.endswith("|>"))),
}

WORDS = ("a", "Step 1:", "so", "x < y", "if a<b", "42", "the answer", "thought", "response", "analysis", "final",
         "{\"k\": [1, 2]}", "a|b", "<", ">", "</", "<|", "|>", "[", "]", "[/", "don't", "f(x)", "::")
UNICODE = ("é", "e\u0301", "日本", "한국", "नि", "👍🏽", "👩‍👩‍👧", "🇩🇪", "ﬁ", "｜", "\u200b", "\ufeff", "𝒳", "ß→",
           "\x01", "\x7f", "\x1b[0m", "\u0600ب", "\ufffd", "\uffff", "\U0010ffff", "\u180e", "\u2060", "İi̇", "¿", "Ǆ")
SPACES = (" ", "\n", "\n\n", "\t", "  ", "\r\n", "\u00a0", "\u3000", "\u2003", "\u2028", "\x0b",
          "\r", "\x0c", "\x1c", "\x1f", "\x85", "\u1680", "\u2000", "\u200a", "\u2029", "\u202f", "\u205f", "\n \n")
FOREIGN = ("<think>", "</think>", "[THINK]", "<|channel>thought", "<channel|>", "<|channel|>final<|message|>", "<tool_call>", "<thinking>",
           "</thinking>", "<|im_end|>", "</s>", "<|end|>", "[TOOL_CALLS]", "◁think▷", "<thought>", "```\n</think>\n```", "\\<think>", "<Think>",
           "<think >", "< /think>", "</think", "think>", "<｜end▁of▁sentence｜>")
CALLS = ('{"name": "f", "arguments": {"x": 1}}', "\n<function=f>\n</function>\n", "abc", '{"name"', "")


def near(marker: str, r: random.Random) -> str:
    """A string that resembles the marker."""
    at = r.randrange(1, len(marker))
    return r.choice((marker[:at], marker[at:], marker.upper() if marker.islower() else marker.lower(),
                     marker[0] + marker, marker[:at] + marker[0] + marker[at:], marker[:at] + " " + marker[at:],
                     marker[:-1] + marker, marker[:at] + marker[at + 1:]))


def plain(name: str, r: random.Random, most: int) -> str:
    """Words with white space between them; some of the words resemble markers."""
    made = []
    for _ in range(r.randint(0, most)):
        kind = r.random()
        made.append(near(r.choice(MARKERS[name]), r) if kind < .12 else r.choice(UNICODE) if kind < .33
                    else r.choice(FOREIGN) if kind < .35 else r.choice(WORDS) * (40 if kind > .99 else 1))
        if r.random() < .7:
            made.append(r.choice(SPACES) if r.random() < .3 else " ")
    return "".join(made)


def blank(r: random.Random) -> str:
    return "".join(r.choice(SPACES) for _ in range(r.choice((0, 0, 1, 1, 2))))


def called(r: random.Random) -> str:
    return CALL[0] + r.choice(CALLS) + (CALL[1] if r.random() < .8 else "")


def thinking(name: str, r: random.Random) -> str:
    """Reasoning blocks between tags, and an answer."""
    start, end = MARKERS[name][:2]
    call = called(r) if r.random() < .2 else ""
    text = blank(r) + (start if r.random() < .7 else "") + plain(name, r, 5)
    if call:
        text += call + plain(name, r, 2)
    if name == "deepseek_v4" and r.random() < .4:
        return text + DSML[0] + plain(name, r, 4) + r.choice(("", DSML[1], end))
    if r.random() < .85:
        text += end
    for _ in range(r.choice((0, 0, 0, 1, 2))):
        text += blank(r) + start + r.choice(("", plain(name, r, 3))) + end
    if r.random() < .1:
        text += start + plain(name, r, 2) + r.choice(MARKERS[name]) + plain(name, r, 2) + end
    answer = blank(r) + plain(name, r, 5)
    if name == "glm4" and r.random() < .4:
        answer = BOX[0] + answer + BOX[1]
    return text + ("" if call and r.random() < .7 else answer)


def channels(name: str, r: random.Random) -> str:
    """Channels of Gemma 4, and an answer."""
    text = blank(r)
    for _ in range(r.choice((0, 1, 1, 1, 1, 1, 2))):
        text += r.choice(("<|channel>thought\n", "<|channel>thought\n", "<|channel>thought", "<|channel>"))
        text += plain(name, r, 5) + r.choice(("<channel|>", "<channel|>", "<channel|>", "<|channel>response", ""))
        text += blank(r)
    return text + plain(name, r, 5)


def message(name: str, channel: str, r: random.Random) -> str:
    """A harmony message, sometimes with an invalid header or end."""
    head, end = "", {"analysis": "<|end|>", "final": "<|return|>"}.get(channel, "<|call|>")
    if r.random() < .3:
        head = r.choice((" ", "\n", " json", " <|constrain|>json", " <", "<|end|>"))
    if r.random() < .1:
        end = r.choice(("<|end|>", "<|return|>", ""))
    return (r.choice(("", "<|start|>assistant")) + f"<|channel|>{channel}{head}<|message|>"
            + blank(r) + plain(name, r, 5) + blank(r) + end)


def harmony(name: str, r: random.Random) -> str:
    preface = plain(name, r, 2)[:12] if r.random() < .1 else ""
    order = r.choice((("analysis", "final"), ("analysis", "final"), ("analysis", "commentary", "final"),
                      ("final",), ("analysis",), ("analysis", "commentary"), ("analysis", "analysis", "final"),
                      ("analysis", "final", "final"), ("analysis", "odd", "final")))
    return preface + "".join(message(name, channel, r) for channel in order)


SHAPES: dict[str, Callable[[str, random.Random], str]] = {
    "gemma4": channels, "gpt_oss": harmony, "harmony": harmony}


def wild(name: str, r: random.Random) -> str:
    """Markers and text in any order."""
    return "".join(r.choice(MARKERS[name]) if r.random() < .4 else blank(r) if r.random() < .3
                   else plain(name, r, 2) for _ in range(r.randint(1, 8)))


def cut_anywhere(text: str, r: random.Random) -> list[str]:
    places = sorted(r.sample(range(1, len(text)), min(r.choice((1, 2, 4, 12)), len(text) - 1)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]


def cut_at_tokens(name: str, text: str, r: random.Random) -> list[str]:
    """Deltas that do not split markers, some with adjacent text; the remaining text in pieces of some characters."""
    pieces = re.findall(f"{TOKENS[name]}|.", text, re.DOTALL)
    deltas = [""]
    for piece in pieces:
        if r.random() < .4 and deltas[-1]:
            deltas.append("")
        deltas[-1] += piece
    return deltas


def cut(name: str, text: str, r: random.Random) -> list[str]:
    way = r.random()
    if way < .1 or len(text) < 2:
        return [text]
    if way < .2:
        return list(text)
    if way < (.7 if name == "harmony" else .4):
        return re.findall(f"{TOKENS[name]}|.", text, re.DOTALL)
    return cut_at_tokens(name, text, r) if way < .75 else cut_anywhere(text, r)


def draw(name: str, r: random.Random) -> tuple[str, list[str]]:
    """The comment of a vector, and the deltas of the text."""
    if r.random() < .3:
        return "markers in any order", cut(name, wild(name, r), r)
    return "blocks and an answer", cut(name, SHAPES.get(name, thinking)(name, r), r)

