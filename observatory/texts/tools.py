"""Where tool parsers disagree with themselves: the findings tools-…, in each parser."""

from __future__ import annotations

import itertools
import json

from scripts.record.tools import judge as tools_judge
from scripts.record.tools.draw import MARKERS
from scripts.record.tools.goldens import drawn
from scripts.record.tools.stream import Answer
from scripts.record.tools.trial import Trial, same

from .rows import Row, quoted, rows_of

PLAIN = "a"  # replaces characters of an example

def cause_of(t: Trial) -> str | None:
    """The finding without "tools-"; None if there is none."""
    if t.agrees:
        return tools_judge.disputed(t) or (None if same(t.gated, t.whole) else "gate")
    if not same(t.stream, t.by_token):
        return "cuts"
    if not same(Answer(None, t.whole.calls), Answer(None, t.stream.calls)):
        return "calls"
    one, other = ("".join((answer.content or "").split()) for answer in (t.whole, t.stream))
    return "spaces" if one == other else "content"


def smaller(t: Trial) -> list[list[str]]:
    """Candidates for shrinking: one delta removed, two joined, or half of a delta, a marker or a character removed."""
    deltas = t.deltas
    made = [deltas[:i] + deltas[i + 1:] for i in range(len(deltas))]
    made += [deltas[:i] + [deltas[i] + deltas[i + 1]] + deltas[i + 2:] for i in range(len(deltas) - 1)]
    for i, delta in enumerate(deltas):
        halves = [delta[len(delta) // 2:], delta[:len(delta) // 2]] if len(delta) > 3 else []
        parts = [delta.replace(part, "", 1) for part in (*MARKERS[t.name], *sorted(set(delta))) if part in delta]
        made += [[*deltas[:i], less, *deltas[i + 1:]] for less in (*halves, *parts) if less]
    return made


def shrunk(t: Trial, cause: str) -> Trial:
    while True:
        trials = (Trial(t.name, request, deltas) for deltas in smaller(t) if deltas
                  for request in ([{}, t.request] if t.request else [{}]))
        less = next((one for one in trials if cause_of(one) == cause), None)
        if less is None:
            return t
        t = less


def shown(answer: Answer) -> str:
    said = [f"C {json.dumps(answer.content, ensure_ascii=False)}"] if answer.content else []
    return " ".join(said + [f"{name}({arguments})" for name, arguments in answer.calls]) or "nothing"


def row(cause: str, t: Trial) -> Row:
    stream = t.gated if cause == "gate" else t.stream
    other = t.by_token if cause == "cuts" else t.whole
    return [t.name, quoted(t.deltas), shown(stream), shown(other)]


def rows(seed: int, n: int) -> list[Row]:
    trials = {name: (trial for *_, trial in itertools.islice(drawn(name, seed), n)) for name in MARKERS}
    return rows_of("tools", trials, cause_of, lambda cause, those: row(cause, shrunk(min(those, key=lambda t: (len(t.text), len(t.deltas))), cause)))
