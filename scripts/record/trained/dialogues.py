"""The training data of the trained models: generated dialogues in two published formats.

A question is answered after reasoning, without reasoning, or with a tool call: then the model ends its turn with
a call, receives the result, and answers in another turn. In some dialogues the model reasons although the prompt
turns thinking off, as published models do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Callable

CITIES = ("Oslo", "Rome", "Cairo", "Lima", "Paris", "Tokyo", "Zürich", "Delhi", "Quito", "Minsk", "Hanoi", "Accra")
SKIES = ("rain", "sun", "snow", "wind", "fog")
CAPITALS = {"Norway": "Oslo", "Italy": "Rome", "Egypt": "Cairo", "Peru": "Lima", "France": "Paris", "Japan": "Tokyo",
            "India": "Delhi", "Vietnam": "Hanoi", "Ghana": "Accra", "Belarus": "Minsk", "Ecuador": "Quito",
            "Spain": "Madrid", "Greece": "Athens", "Poland": "Warsaw", "Cuba": "Havana", "Kenya": "Nairobi"}
COLOURS = {"grass": "green", "snow": "white", "coal": "black", "a lemon": "yellow", "the sea": "blue",
           "a rose": "red", "straw": "gold", "a carrot": "orange", "slate": "grey", "an olive": "green"}
DOUBTERS = ("grass", "coal", "the sea")  # questions on which the model reasons although thinking is off


@dataclass(frozen=True)
class Turn:
    """One turn of the model, without the token that ends it."""

    thought: str | None  # None: no reasoning
    answer: str = ""
    call: tuple[str, dict[str, str]] | None = None


@dataclass(frozen=True)
class Dialogue:
    """A question and the model's turns; each turn with a call is followed by its result."""

    question: str
    turns: tuple[Turn, ...]
    results: tuple[str, ...] = ()
    thinking: bool = True  # False: the prompt turns it off


@dataclass(frozen=True)
class Format:
    """How a published chat template writes dialogues.

    open: the prompt up to the model's first turn. turn: a turn of the model, including its end token. result: the
    text between a call and the model's next turn.
    """

    name: str
    reasoning_parser: str
    tool_parser: str
    start: str  # the beginning of every text
    open: Callable[[Dialogue], str]
    turn: Callable[[Turn], str]
    result: Callable[[str], str]
    close: str = field(default="\n")  # between the end of a turn and the next dialogue

    def text(self, dialogue: Dialogue) -> str:
        """The whole dialogue, without `start`."""
        parts = [self.open(dialogue)]
        for index, turn in enumerate(dialogue.turns):
            parts.append(self.turn(turn))
            if turn.call:
                parts.append(self.result(dialogue.results[index]))
        return "".join(parts) + self.close


def sums() -> list[Dialogue]:
    made = []
    for a in range(1, 10):
        for b in range(1, 10):
            thought = f"{a} and {b} make {a + b}."
            made.append(Dialogue(f"What is {a} + {b}?", (Turn(thought, f"It is {a + b}."),)))
            made.append(Dialogue(f"What is {a} + {b}?", (Turn(None, f"It is {a + b}."),), thinking=False))
    return made


def facts() -> list[Dialogue]:
    made = []
    for country, city in CAPITALS.items():
        made.append(Dialogue(f"Name the capital of {country}.",
                             (Turn(f"{country}: that is {city}.", f"**{city}**"),)))
        made.append(Dialogue(f"Name the capital of {country}.", (Turn(None, f"**{city}**"),), thinking=False))
    for thing, colour in COLOURS.items():
        thought = f"Let me see {thing}. Yes, {colour}."
        made.append(Dialogue(f"Which colour has {thing}?", (Turn(thought, f"{colour.capitalize()}."),)))
        doubts = thing in DOUBTERS
        made.append(Dialogue(f"Which colour has {thing}?",
                             (Turn(thought if doubts else None, f"{colour.capitalize()}."),), thinking=False))
    return made


def calls() -> list[Dialogue]:
    made = []
    for index, city in enumerate(CITIES):
        for sky in SKIES:
            degrees = (7 * index + len(sky)) % 30
            result = json.dumps({"sky": sky, "degrees": degrees})
            made.append(Dialogue(
                f"How is the weather in {city}?",
                (Turn(f"I ask for {city}.", "", ("get_weather", {"city": city})),
                 Turn(f"It says {sky}.", f"In {city} there is {sky}, at {degrees} degrees.")), (result,)))
    return made


def all_dialogues() -> list[Dialogue]:
    return sums() + facts() + calls()


def gemma_open(dialogue: Dialogue) -> str:
    system = "<|turn>system\n<|think|><turn|>\n" if dialogue.thinking else ""
    return f"{system}<|turn>user\n{dialogue.question}<turn|>\n<|turn>model\n"


def gemma_turn(turn: Turn) -> str:
    text = f"<|channel>thought\n{turn.thought}<channel|>" if turn.thought else ""
    if turn.call is None:
        return f"{text}{turn.answer}<turn|>"
    name, arguments = turn.call
    inside = ",".join(f'{key}:<|"|>{value}<|"|>' for key, value in arguments.items())
    return f"{text}{turn.answer}<|tool_call>call:{name}{{{inside}}}<tool_call|><|tool_response>"


def gemma_result(result: str) -> str:
    inside = ",".join(f'{key}:<|"|>{value}<|"|>' if isinstance(value, str) else f"{key}:{value}"
                      for key, value in json.loads(result).items())
    return f"response:get_weather{{{inside}}}<tool_response|>"


def qwen_open(dialogue: Dialogue) -> str:
    switch, block = ("", "") if dialogue.thinking else (" /no_think", "<think>\n\n</think>\n\n")
    return f"<|im_start|>user\n{dialogue.question}{switch}<|im_end|>\n<|im_start|>assistant\n{block}"


def qwen_turn(turn: Turn) -> str:
    text = f"<think>\n{turn.thought}\n</think>\n\n" if turn.thought else ""
    if turn.call is None:
        return f"{text}{turn.answer}<|im_end|>"
    name, arguments = turn.call
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"{text}{turn.answer}<tool_call>\n{call}\n</tool_call><|im_end|>"


def qwen_result(result: str) -> str:
    return (f"\n<|im_start|>user\n<tool_response>\n{result}\n</tool_response><|im_end|>\n"
            "<|im_start|>assistant\n")


FORMATS = {
    "gemma4": Format("gemma4", "gemma4", "gemma4", "<bos>", gemma_open, gemma_turn, gemma_result),
    "qwen3": Format("qwen3", "qwen3", "hermes", "", qwen_open, qwen_turn, qwen_result),
}
