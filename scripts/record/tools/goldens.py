"""Vectors of kind `tools`: the published tool parsers' answers for texts.

A golden is an answer that the published parser gives in three ways: for the whole text, for a stream of the drawn
deltas, and for a stream of tokens, where each marker, word and run of white space is a delta. White space at the ends of
the content is ignored; empty content is null; arguments are JSON if they parse, and text otherwise.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from ..reasoning import marker_sequences
from . import dense as tools_dense, draw as tools_draw, formats as tools_formats, judge as tools_judge, texts as tools_texts
from .trial import Trial, tokens

CATCHES = ("a marker that leaks into the content, a call that is lost or made twice, content that is lost, arguments that are "
           "changed, an answer that depends on how the text was cut")


def is_golden(trial: Trial) -> bool:
    return trial.agrees and not tools_judge.disputed(trial)


def drawn(name: str, seed: int) -> Iterator[tuple[int, Trial]]:
    """Endless: the number of the draw, and the trial."""
    number = 0
    while True:
        number += 1
        draws = tools_dense if tools_dense.wanted(name, number) else tools_draw
        request, deltas = draws.draw(name, random.Random(f"{seed} {name} {number}"))
        if deltas:
            yield number, Trial(name, request, deltas)


def groups(seed: int, n_most: int) -> list[Any]:
    """n_most goldens of each parser; at least two thirds of them have calls. Parsers of tools/formats.py, most of which have one
    form of calls, get two fifths as many."""
    made = []
    for name in tools_draw.MARKERS:
        n = n_most * 2 // 5 if name in tools_formats.MARKERS else n_most
        vectors: list[Any] = []
        n_quiet = 0
        for number, trial in drawn(name, seed):
            if len(vectors) == n:
                break
            if not is_golden(trial) or (not trial.whole.calls and n_quiet >= n // 3):
                continue
            n_quiet += not trial.whole.calls
            vectors.append(trial.vector(number, "drawn"))
        made.append({"name": name, "vectors": vectors})
    return made


def sequences(seed: int, n: int) -> list[Any]:
    """Up to n sequences of marker-like tokens for each parser and length, those on which the parser agrees with itself; and an
    eighth as many of parts of values."""
    made = []
    for name, alphabet in marker_sequences.TOOLS.items():
        trials = ((number, Trial(name, {}, deltas))
                  for number, deltas in marker_sequences.enumerated(alphabet, f"{seed} {name}", n))
        made.append({"name": name, "vectors": [trial.vector(number, "sequence") for number, trial in trials
                                               if trial.agrees and not tools_judge.coincides(trial)]})
    for name, frames in marker_sequences.VALUES.items():
        request = tools_dense.REQUEST if name == "qwen3_xml" else {}
        trials = ((number, Trial(name, request, deltas))
                  for number, deltas in marker_sequences.in_calls(frames, f"{seed} {name} values", max(1, n // 8)))
        made.append({"name": f"{name} values", "vectors": [trial.vector(number, "value") for number, trial in trials if is_golden(trial)]})
    return made


def written() -> list[Any]:
    made = []
    for name, texts in tools_texts.TEXTS.items():
        trials = [Trial(name, request, tokens(name, text)) for request, text in texts]
        for trial in trials:
            if not trial.agrees or tools_judge.coincides(trial):
                raise RuntimeError(f"{name}: no golden: {trial.text}")
        made.append({"name": name, "vectors": [trial.vector(number, "written") for number, trial in enumerate(trials, 1)]})
    return made


def published() -> list[Any]:
    from . import published as tools_published
    made: dict[str, list[Any]] = {name: [] for name in tools_draw.MARKERS}
    for number, (name, test, request, deltas) in enumerate(tools_published.calls(), 1):
        trial = Trial(name, request, deltas)
        if is_golden(trial):
            made[name].append(trial.vector(number, test))
    return [{"name": name, "vectors": vectors} for name, vectors in made.items() if vectors]
