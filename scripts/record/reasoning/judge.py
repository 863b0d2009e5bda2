"""Answers on which the published reasoning parsers agree with themselves, but which a stream cannot know or which are
wrong."""

from __future__ import annotations

import re

from .draw import CALL, DSML, HARMONY, MARKERS, THINK, any_of

PREFACE_BYTES = 64
Fields = tuple[str | None, str | None]  # reasoning, content

CAUSES = {
    "waits": "a stream would have to wait for its end to say this",
    "lost": "text that is in no field",
    "leaks": "a marker in a field",
}


def bare(name: str, text: str) -> str:
    """The text without white space and the markers of blocks and messages. Markers of calls stay: the tool parser reads
    them."""
    frames = tuple(marker for marker in MARKERS[name] if marker not in CALL + DSML)
    return re.sub(rf"\s|{any_of(frames)}", "", text)


def waits(name: str, text: str) -> bool:
    if name == "gpt_oss":  # the preface is content if no channel follows, and dropped if one does
        return len(text.partition("<|channel|>")[0].encode()) > PREFACE_BYTES
    if name == "gemma4":  # text is an answer unless another end marker follows
        return any(between.strip() and "<|channel>" not in between
                   for between in re.split(r"<channel\|>|<\|channel>response", text)[1:-1])
    return False


def leaks(name: str, text: str, fields: Fields) -> bool:
    if name in ("gpt_oss", "harmony"):
        return any(marker in (field or "") for field in fields for marker in HARMONY)
    return name == "deepseek_v4" and not text.startswith(THINK[0]) and THINK[0] + DSML[0] in text


def disputed(name: str, text: str, fields: Fields) -> str | None:
    """A key of CAUSES if the answer is disputed, else None."""
    if waits(name, text):
        return "waits"
    if leaks(name, text, fields):
        return "leaks"
    framed = name in ("gpt_oss", "harmony")  # text outside of messages is dropped
    said = "".join(field or "" for field in fields)
    return "lost" if not framed and sorted(bare(name, text)) != sorted(bare(name, said)) else None


def open_call(text: str) -> str:
    """The unterminated call in a reasoning block that has no end, or that a section of calls interrupts; a stream of deepseek_v4
    loses it. Empty if there is none."""
    block = text.partition(DSML[0])[0].rpartition(THINK[1])[2].partition(THINK[0])[2]
    call = re.search(f"{CALL[0]}(?:(?!{CALL[1]}).)*$", block, re.DOTALL)
    return call[0] if call else ""


def excluded(name: str, text: str, fields: Fields) -> bool:
    """Whether an answer on which the parser agrees with itself is no golden."""
    if name == "deepseek_v4":
        return bool(open_call(text))
    return waits(name, text) or (name == "harmony" and leaks(name, text, fields))


def excluded_off(name: str, text: str) -> bool:
    """As `excluded`, with thinking off, where reasoning is dropped: a stream cannot buffer a long call until its end."""
    return name == "deepseek_v4" and len(open_call(text).encode()) > PREFACE_BYTES
