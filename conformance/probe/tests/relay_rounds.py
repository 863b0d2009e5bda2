"""Divides bugs into rounds of the relay, in which each is named by itself.

Two bugs of one round act on other requests (Bug.reach), so that none can change what a check about the other one sees. Bugs of
single fields are the exception: the check of a field sees no other field, so that many share a round. Each of them is planted in
several rounds, and the rounds of no bug are among those of another one: a check that another bug trips is seen in a round without
its own.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from conformance.probe.tests.relay import Bug

# Of a name of a check with * for what is asked: requests that show every field.
SITUATIONS = ("natural", "reasoning", "no-reasoning", "call", "other-call", "no-limit", "limit-in-call", "limit", "stop", "prompt",
              "cached-tokens")
FIELDS = ("natural", "reasoning", "call", "other-call", "limit")


def asked(bug: Bug) -> Iterator[str]:
    """The checks to ask for, as option --only takes them."""
    parts = bug.check.split("/")
    if bug.asks:
        yield bug.asks
    elif parts[0] == "fields":
        way = bug.endpoint if bug.form == "whole" else f"{bug.endpoint}-stream"
        yield from [f"numerics/{way}"] if bug.reach[2] else [f"protocol/{bug.endpoint}/{bug.form}/{one}" for one in FIELDS]
    elif parts[-1] == "form":
        yield "/".join([*parts[:-2], "natural"])
    elif "*" in parts:
        start = "/".join(parts[:parts.index("*")])
        yield from (f"{start}/{one}" for one in SITUATIONS)
    else:
        yield "/".join(parts[:2]) if parts[0] == "numerics" else bug.check


def is_single(bug: Bug) -> bool:
    """Whether a bug changes one field, and the check that names it judges nothing but this field."""
    return bug.check.startswith("fields/") and not bug.moves


def apart(bugs: Iterable[Bug]) -> list[list[Bug]]:
    """Rounds in which no two bugs reach the same requests."""
    rounds: list[dict[object, Bug]] = []
    for bug in bugs:
        at = next((one for one in rounds if bug.reach not in one), None)
        if at is None:
            rounds.append(at := {})
        at[bug.reach] = bug
    return [list(one.values()) for one in rounds]


def coded(bugs: list[Bug]) -> list[list[Bug]]:
    """Rounds with about half of the bugs that reach the same requests. Sets of one size do not contain each other."""
    by_reach: dict[object, list[Bug]] = {}
    for bug in bugs:
        by_reach.setdefault(bug.reach, []).append(bug)
    most = max(map(len, by_reach.values()), default=0)
    n = next(n for n in itertools.count(2) if math.comb(n, n // 2) >= most)
    rounds: list[list[Bug]] = [[] for _ in range(n)]
    for some in by_reach.values():
        for bug, members in zip(some, itertools.combinations(range(n), n // 2)):
            for i in members:
                rounds[i].append(bug)
    return rounds


def divided(bugs: list[Bug]) -> list[list[Bug]]:
    """All rounds; first those of single fields."""
    alone = [bug for bug in bugs if bug.everywhere]
    rest = [bug for bug in bugs if not bug.everywhere]
    return [*coded([bug for bug in rest if is_single(bug)]), *apart(bug for bug in rest if not is_single(bug)),
            *([bug] for bug in alone)]
