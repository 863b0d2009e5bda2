"""Where reasoning parsers disagree with themselves: the findings reasoning-…, in each parser."""

from __future__ import annotations

import itertools
import json

from scripts.record.reasoning import judge as reasoning_judge
from scripts.record.reasoning.draw import MARKERS
from scripts.record.reasoning.goldens import Fields, Trial, drawn
from scripts.record.reasoning.judge import bare

from .rows import Row, quoted, rows_of

PLAIN = "a"  # replaces characters of an example if the cause stays the same


def characters(name: str, fields: Fields) -> list[str]:
    return sorted(bare(name, "".join(field or "" for field in fields)))


def unmarked(name: str, fields: Fields) -> list[str]:
    return [bare(name, field or "") for field in fields]


def squeezed(fields: Fields) -> tuple[str, ...]:
    return tuple("".join((field or "").split()) for field in fields)


def cause_of(t: Trial) -> str | None:
    """The finding without "reasoning-"; None if there is none."""
    if t.whole == t.stream == t.by_token:
        return reasoning_judge.disputed(t.name, t.text, t.whole)
    if t.stream != t.by_token:
        return "cuts"
    if squeezed(t.whole) == squeezed(t.stream):
        return "spaces"
    if unmarked(t.name, t.whole) == unmarked(t.name, t.stream):
        return "leaks"
    if characters(t.name, t.whole) != characters(t.name, t.stream):
        return "lost"
    return "order" if [sorted(f) for f in squeezed(t.whole)] == [sorted(f) for f in squeezed(t.stream)] else "moved"


def smaller(t: Trial) -> list[list[str]]:
    """Candidates for shrinking: one delta removed, two joined, one marker or character removed, or one character replaced
    by PLAIN."""
    made = [t.deltas[:i] + t.deltas[i + 1:] for i in range(len(t.deltas))]
    made += [t.deltas[:i] + [t.deltas[i] + t.deltas[i + 1]] + t.deltas[i + 2:] for i in range(len(t.deltas) - 1)]
    for i, delta in enumerate(t.deltas):
        for part in (*MARKERS[t.name], *sorted(set(delta))):
            if part in delta and part != delta:
                made.append([*t.deltas[:i], delta.replace(part, "", 1), *t.deltas[i + 1:]])
            if part in delta and len(part) == 1 and part != PLAIN:
                made.append([*t.deltas[:i], delta.replace(part, PLAIN, 1), *t.deltas[i + 1:]])
    return made


def shrunk(t: Trial, cause: str) -> Trial:
    while True:
        trials = (Trial(t.name, deltas) for deltas in smaller(t) if deltas)
        less = next((one for one in trials if cause_of(one) == cause), None)
        if less is None:
            return t
        t = less


def shown(fields: Fields) -> str:
    return " ".join(f"{letter} {json.dumps(field, ensure_ascii=False)}"
                    for letter, field in zip("RC", fields) if field) or "nothing"


def row(cause: str, t: Trial) -> Row:
    return [t.name, quoted(t.deltas), shown(t.stream), shown(t.by_token if cause == "cuts" else t.whole)]


def rows(seed: int, n: int) -> list[Row]:
    trials = {name: (trial for *_, trial in itertools.islice(drawn(name, seed), n)) for name in MARKERS}
    return rows_of("reasoning", trials, cause_of, lambda cause, those: row(cause, shrunk(min(those, key=lambda t: (len(t.text), len(t.deltas))), cause)))
