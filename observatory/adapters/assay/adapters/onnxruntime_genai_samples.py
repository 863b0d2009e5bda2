"""Samples of the onnxruntime-genai adapter. A sample's tokens are in a Generator, in a row of a Generator for several samples, or
nowhere, and then the next step evaluates all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Union

import numpy as np

from assay.errors import Unsupported
from assay.requests import Step

from .onnxruntime_genai_export import Export, generator

FORBIDDEN = -1e30  # a logit of a token that must not be chosen


@dataclass(eq=False)
class Alone:
    """A Generator of one sample: continuous decoding."""

    export: Export
    capacity: int
    generator: Any = None

    def __post_init__(self) -> None:
        self.generator = generator(self.export.model, 1, self.capacity)

    def append(self, tokens: list[int]) -> np.ndarray:
        """Logits [n_tokens, vocab]. The mask of MultiHeadAttention's graph has a shape for a first prompt or for one token only."""
        whole = self.export.graph.chunks or not self.generator.token_count()
        rows = []
        for part in [tokens] if whole else [[token] for token in tokens]:
            self.generator.append_tokens(np.array(part, np.int32))
            rows.append(np.array(self.generator.get_output("logits"))[0])
        return np.concatenate(rows)


@dataclass(eq=False)
class Together:
    """A Generator for several samples, which can only go on together, by one token each."""

    export: Export
    numbers: list[int]
    capacity: int
    generator: Any = None

    def __post_init__(self) -> None:
        self.generator = generator(self.export.model, len(self.numbers), self.capacity)

    def prompts(self, prompts: list[list[int]], width: int) -> list[np.ndarray]:
        """Right-padded, as by Tokenizer.encode_batch."""
        padded: np.ndarray = np.full((len(prompts), max(width, *map(len, prompts))), self.export.pad_id, np.int32)
        for row, prompt in zip(padded, prompts):
            row[:len(prompt)] = prompt
        self.generator.append_tokens(padded)
        return [rows[:len(prompt)] for rows, prompt in zip(np.array(self.generator.get_output("logits")), prompts)]

    def goes_on(self, steps: list[Step]) -> bool:
        """Whether all of its samples have a step of one token, none of which ends a sequence."""
        tokens = {step.sample: step.tokens[0] for step in steps if len(step.tokens) == 1}
        room = self.generator.token_count() < self.capacity
        return room and all(tokens.get(number, self.export.pad_id) != self.export.pad_id for number in self.numbers)

    def next(self, tokens: list[int]) -> np.ndarray:
        """The search is given logits that make it choose these tokens."""
        chosen: np.ndarray = np.full((len(tokens), 1, self.export.vocab), FORBIDDEN, np.float32)
        chosen[np.arange(len(tokens)), 0, tokens] = 0
        self.generator.set_logits(chosen)
        self.generator.generate_next_token()
        if (found := list(self.generator.get_next_tokens())) != tokens:
            raise RuntimeError(f"the search chose {found}; expected {tokens}")
        return np.array(self.generator.get_logits())


@dataclass
class Sample:
    tokens: list[int] = field(default_factory=list)
    place: Optional[Union[Alone, Together]] = None


@dataclass
class Session:
    export: Export
    max_tokens: int
    samples: dict[int, Sample]

    def capacity(self, n_tokens: int) -> int:
        """Of a cache for n_tokens and later ones."""
        check_length(self.export, n_tokens)
        return min(self.export.context, max(self.max_tokens, self.export.window, 64, 2 * n_tokens))

    def vacate(self, place: object) -> None:
        """Ends a Generator for several samples."""
        for sample in self.samples.values():
            if isinstance(place, Together) and sample.place is place:
                sample.place = None

    def evaluate(self, steps: list[Step], width: int) -> dict[int, np.ndarray]:
        """Logits of all tokens of the steps. Prompts of different lengths are refused by the kernel of layers with a window."""
        found: dict[int, np.ndarray] = {}
        first = [step for step in steps if not self.samples[step.sample].tokens]
        if len(first) > 1 and not self.export.window:
            found |= self._prompts(first, width)
        for step in steps:
            if step.sample not in found:
                place = self.samples[step.sample].place
                found |= self._next(place, steps) if isinstance(place, Together) and place.goes_on(steps) else self._alone(step)
        return found

    def _prompts(self, steps: list[Step], width: int) -> dict[int, np.ndarray]:
        longest = max(len(step.tokens) for step in steps)
        width = min(max(width, longest), self.export.context)
        place = Together(self.export, [step.sample for step in steps], self.capacity(max(width, longest)))
        rows = place.prompts([step.tokens for step in steps], width)
        for step in steps:
            self.samples[step.sample].place = place
        return dict(zip(place.numbers, rows))

    def _next(self, place: Together, steps: list[Step]) -> dict[int, np.ndarray]:
        tokens = {step.sample: step.tokens[0] for step in steps}
        return dict(zip(place.numbers, place.next([tokens[number] for number in place.numbers])))

    def _alone(self, step: Step) -> dict[int, np.ndarray]:
        sample = self.samples[step.sample]
        self.vacate(sample.place)
        place, tokens = sample.place, step.tokens
        after = len(sample.tokens) + len(tokens)
        if not isinstance(place, Alone) or after > place.capacity:
            place, tokens = Alone(self.export, self.capacity(after)), sample.tokens + tokens
        sample.place = place
        return {step.sample: place.append(tokens)[-len(step.tokens):]}


def check_length(export: Export, n_tokens: int) -> None:
    if n_tokens > export.context:
        raise Unsupported(f"{n_tokens} tokens: context_length of the exported model is {export.context}")
