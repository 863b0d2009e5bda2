"""Answers on which the published server agrees with itself, but which are wrong."""

from __future__ import annotations

import json
import re

from ..reasoning import goldens as reasoning_goldens
from . import fold as events_fold
from .fold import Folded
from .server import Exchange

FRAMED = ("gpt_oss", "harmony")  # parsers of messages with headers: no marker overrides thinking that is turned off
SPECIAL = re.compile(r"<\|(?:channel|message|start|end|return|call|constrain)\|>")
PREAMBLE = re.compile(r"<\|channel\|>commentary(?! to=)")
FIRST = {"glm47": re.compile("<tool_call>"), "harmony": re.compile(r"<\|(?:channel|start)\|>")}  # start of a call
ADDRESSED = re.compile(r"<\|channel\|>commentary to=functions\.")


def is_off(exchange: Exchange) -> bool:
    """Whether the request, or else the server's default, turns thinking off."""
    return '"enable_thinking": false' in json.dumps([
        exchange.request, {} if "chat_template_kwargs" in exchange.request
        else exchange.server.get("default_chat_template_kwargs")])


def lacks_text(exchange: Exchange, text: str, whole: Folded) -> bool:
    """Whether text before a call is in no field. Non-streamed answers of glm47 and harmony drop it; streams drop it if the call, or
    another parser's marker before the text, is in the same delta."""
    _, content, calls = events_fold.parts(whole)
    first = FIRST.get(exchange.server["tool_parser"])
    if not first or not calls or content:
        return False
    parser = exchange.server["reasoning_parser"]
    said = reasoning_goldens.whole(parser, text)[1] if parser else text
    return bool(first.split(said or "", maxsplit=1)[0].strip())


def ignores_limit(exchange: Exchange, whole: Folded) -> bool:
    """Whether the request allows one call, and there are several: the server does not know the member."""
    return exchange.request.get("parallel_tool_calls") is False and len(events_fold.parts(whole)[2]) > 1


def disputed(exchange: Exchange, text: str, whole: Folded) -> str | None:
    """What is wrong with an answer: "parallel": it has several calls, and the request allows one; "unframed": headers became text because
    thinking is off; "preamble": a message for the user is lost (harmony puts these into the channel of calls); "lost": a call or text is in
    no field; None: nothing."""
    if ignores_limit(exchange, whole):
        return "parallel"
    if lacks_text(exchange, text, whole):
        return "lost"
    if exchange.server["reasoning_parser"] not in FRAMED:
        return None
    if is_off(exchange) and SPECIAL.search(text):
        return "unframed"
    if exchange.server["tool_parser"] == "harmony" and "tools" in exchange.request:
        if PREAMBLE.search(text):
            return "preamble"
        if len(ADDRESSED.findall(text)) != len(events_fold.parts(whole)[2]):
            return "lost"
    return None
