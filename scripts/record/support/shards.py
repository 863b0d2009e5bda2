"""Dividing recordings into shards of about the same cost, as `assay run --shard` divides cases (conformance/case/shard.h)."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass

MOST = 1_000_000  # CONF_SHARDS_MAX


@dataclass(frozen=True)
class Shard:
    """index: from 1 to total."""

    index: int
    total: int

    def __str__(self) -> str:
        return f"{self.index}-of-{self.total}"

    def kept(self, costs: list[int]) -> list[int]:
        """The items of this shard, in their order. Items go to shards in order of falling cost, those of equal cost in their order,
        each to the shard that has the least so far, the first of several."""
        sums, kept = [0] * min(self.total, max(1, len(costs))), []
        for item in sorted(range(len(costs)), key=lambda i: -costs[i]):
            least = sums.index(min(sums))
            sums[least] += costs[item]
            if least == self.index - 1:
                kept.append(item)
        return sorted(kept)


def parse(text: str) -> Shard:
    """For argparse."""
    match = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
    index, total = map(int, match.groups()) if match else (0, 0)
    if not 1 <= index <= total <= MOST:
        raise argparse.ArgumentTypeError(f"found {text}, expected I/N with 1 <= I <= N <= {MOST}")
    return Shard(index, total)
