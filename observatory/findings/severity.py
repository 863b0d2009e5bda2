"""How severe a finding is: the words and the order that README.md defines under "severity". A failure of a run has the same measures in
conformance/judge/severity.h.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from .records import EFFECTS, Finding

WORDS = {None: "not known", "none": "no published checkpoint sets this"}  # for values of the field `published` that name none


def published(one: Finding) -> str:
    """A checkpoint that reaches the fault, or that none does, or that this is not known."""
    given = one.fields.get("published")
    return WORDS.get(given, str(given))


def share(counts: str) -> float:
    """Of "3 of 27"; of "", 0."""
    n, _, n_rows = counts.partition(" of ")
    return int(n) / int(n_rows) if counts else 0.0


def tokens(one: Finding) -> str:
    """The largest share of rows whose best token is another one, of all observations: "3 of 27"; empty if none has rows."""
    return max((seen.other for seen in one.observations), key=share, default="")


def order(one: Finding) -> tuple[int, bool, float, float, str]:
    """The most severe first."""
    return EFFECTS.index(one.effect), published(one) == WORDS["none"], -(-1.0 if one.times is None else one.times), -share(tokens(one)), one.name


def words(one: Finding) -> str:
    """All of it in one line."""
    times = "" if one.times is None else f"{one.times:.3g} times the bound"
    rows = f"another best token in {tokens(one)} rows" if tokens(one) else ""
    return ", ".join(filter(None, (one.effect, times, rows, f"published: {published(one)}")))
