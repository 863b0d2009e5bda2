"""Where the published tool parsers agree with themselves on what is no answer, or on what a stream cannot know."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .serving_tools import Trial

CAUSES = {
    "raises": "the parser raises",
    "malformed": "after an error of its XML the parser reads on in the wrong place",
    "unread": "text that the parser never reads",
    "restored": "of text behind a call only a tag is content",
    "order": "calls in another order than in the text",
    "nameless": "a call without a name",
    "forged": "a call that begins inside of another's arguments",
    "python": "arguments that are Python, or JSON that no one reads alike",
    "lone": "half a character",
}


def strict(text: str) -> Any:
    """JSON without NaN and without members that come twice; ValueError where it is none."""
    def refuse(word: str) -> Any:
        raise ValueError(word)

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=members)


def is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.literal_eval(text)
    except Exception:
        return False
    return True


def spoils(text: str, arguments: str) -> bool:
    """Whether arguments are neither JSON nor what the model wrote."""
    try:
        strict(arguments)
        return False
    except (ValueError, RecursionError):
        return arguments not in text or is_python(arguments)


def disordered(text: str) -> bool:
    """qwen looks for calls in brackets first, for objects next, and for functions last."""
    from vllm_mlx.tool_parsers.qwen_tool_parser import QwenToolParser as Qwen
    places = [[found.start() for found in pattern.finditer(text)]
              for pattern in (Qwen.BRACKET_PATTERN, Qwen.XML_PATTERN, Qwen.FUNCTION_PATTERN)]
    return any(min(later, default=len(text)) < max(first, default=-1)
               for i, first in enumerate(places) for later in places[i + 1:])


def lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def disputed(t: Trial) -> str | None:
    """One of CAUSES, of an answer that is the same in all ways."""
    flaws = t.whole.flaws | t.stream.flaws | t.by_token.flaws
    for cause in ("raises", "malformed", "unread", "restored"):
        if cause in flaws:
            return cause
    if t.name == "qwen3_xml" and re.search(r"<function=[^<>]+>\s*$", t.text):
        return "unread"
    if t.name == "qwen" and disordered(t.text):
        return "order"
    if not all(isinstance(name, str) and name for name, _ in t.whole.calls):
        return "nameless"
    if t.name == "llama" and any(re.search(r'["{}]', name) for name, _ in t.whole.calls):
        return "forged"
    if any(spoils(t.text, arguments) for _, arguments in t.whole.calls):
        return "python"
    return "lone" if lone(json.dumps([t.whole.content, t.whole.calls], ensure_ascii=False)) else None
