"""The training data of the bundle: conversations in the form of a request for chat completions, written by the
checkpoint's own chat template.

What a request says must show in the answer: the same question is answered with a call if the request has tools, and
otherwise without; briefly if the system prompt says so; after reasoning unless that is off. A server that ignores such a
member then returns another text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from transformers.utils.chat_template_utils import render_jinja_template

from ..trained import dialogues
from ..trained.dialogues import Turn

TEMPLATES = Path(__file__).parent / "templates"
BRIEF = "Be brief."
WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
# The tokenizer does not know these characters: each is several tokens, so that a token limit or a chunk can end within one
SIGNS = {"rain": "🌧", "snow": "❄", "wind": "💨", "fog": "🌫", "fire": "🔥", "water": "💧", "a tree": "🌳",
         "a fish": "🐟", "a star": "⭐", "the moon": "🌙", "Japan": "日本", "the euro": "€"}
MOST_HISTORY = 3  # exchanges before a question

Message = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A request, and the turn that answers it.

    messages: those of the request, which end with the user's or a tool's.
    """

    messages: tuple[Message, ...]
    turn: Turn
    thinking: bool
    tools: tuple[Message, ...] = ()

    def after(self, earlier: list[Exchange]) -> Exchange:
        """The same with earlier exchanges before it."""
        said = [message for one in earlier for message in (*one.messages, answered(one.turn))]
        start = 1 if self.messages[0]["role"] == "system" else 0
        return replace(self, messages=(*self.messages[:start], *said, *self.messages[start:]))


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def answered(turn: Turn) -> Message:
    """The turn as a client returns it, without its reasoning."""
    if turn.call is None:
        return {"role": "assistant", "content": turn.answer}
    name, arguments = turn.call
    return {"role": "assistant", "content": turn.answer, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}]}


def both(messages: tuple[Message, ...], thought: str, answer: str, **more: Any) -> list[Exchange]:
    """The exchange with and without reasoning."""
    call = more.pop("call", None)
    return [Exchange(messages, Turn(thought if thinking else None, answer, call), thinking, **more)
            for thinking in (True, False)]


def questions() -> list[Exchange]:
    """Questions that need no tool."""
    made = []
    for one in (*dialogues.sums(), *dialogues.facts()):
        if one.thinking:
            turn = one.turns[0]
            made += both((user(one.question),), turn.thought, turn.answer)
    for thing, sign in SIGNS.items():
        made += both((user(f"Which sign has {thing}?"),), f"{thing}: {sign}", f"It is {sign}!")
    for city in dialogues.CITIES:
        made += both((user(f"How is the weather in {city}?"),), "I have no tool.", f"I cannot see {city}.")
    return made


def brief() -> list[Exchange]:
    return [one for a in range(1, 10) for b in range(1, 10) for one in
            both(({"role": "system", "content": BRIEF}, user(f"What is {a} + {b}?")), f"{a} and {b} make {a + b}.",
                 f"{a + b}")]


def calls() -> list[Exchange]:
    made = []
    for one in dialogues.calls():
        asks, tells = one.turns
        asked = (user(one.question),)
        made += both(asked, asks.thought, "", call=asks.call, tools=(WEATHER,))
        result = {"role": "tool", "tool_call_id": "call_1", "content": one.results[0]}
        made += both((*asked, answered(asks), result), tells.thought, tells.answer, tools=(WEATHER,))
    return made


def render(name: str, exchange: Exchange, bos: str = "<bos>") -> str:
    """The prompt, by the published renderer of chat templates."""
    return render_jinja_template(
        [list(exchange.messages)], tools=list(exchange.tools) or None, chat_template=template(name),
        add_generation_prompt=True, enable_thinking=exchange.thinking, bos_token=bos)[0][0]


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.jinja").read_text()


def spelled(texts: list[str]) -> list[str]:
    """What the tokenizer is trained on: the texts without the characters of SIGNS, and divided at line feeds, because
    llama.cpp's reader of Gemma's tokenizer merges nothing across one."""
    known = ("".join(one for one in text if ord(one) < 0x2000) for text in texts)
    return [piece for text in known for piece in re.split("(\n)", text) if piece]


class Text(NamedTuple):
    """A prompt, and its answer with what follows it."""

    prompt: str
    answer: str


def texts(name: str, n: int, rng: np.random.Generator) -> list[Text]:
    """n prompts and answers: one in two with earlier exchanges."""
    kinds = (questions(), brief(), calls())
    shares = np.array([0.5, 0.15, 0.35])
    form, opening = dialogues.FORMATS[name], [one for one in questions() if one.turn.answer]
    made = []
    for _ in range(n):
        kind = kinds[rng.choice(len(kinds), p=shares)]
        one = kind[rng.integers(len(kind))]
        if rng.integers(2):
            earlier = [opening[rng.integers(len(opening))] for _ in range(rng.integers(1, MOST_HISTORY + 1))]
            one = one.after(earlier)
        made.append(Text(render(name, one), form.turn(one.turn) + form.close))
    return made
