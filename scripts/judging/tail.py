"""The tail of a distribution of errors, from counts in bins, and confidence intervals.

Excesses over a high threshold follow a generalised Pareto distribution (Pickands 1975; Coles, An Introduction to Statistical Modeling of Extreme Values, 2001,
chapter 4): of the errors above u, the share (1 + shape (x - u) / scale)^(-1 / shape) is above x.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

Bins = Mapping[int, int]  # how many errors are from 2^(b / 8) to below 2^((b + 1) / 8)

PER_OCTAVE = 8
LEAST = 1e-300


def edge(b: float) -> float:
    return 2.0 ** (b / PER_OCTAVE)


def bin_of(x: float) -> int:
    """The bin that begins at x, a power of 2^(1/8)."""
    return round(PER_OCTAVE * math.log2(x))


def above(bins: Bins, x: float) -> int:
    """How many are at least x, the lower edge of a bin."""
    return sum(n for b, n in bins.items() if b >= bin_of(x))


def survival(excess: float, scale: float, shape: float) -> float:
    if abs(shape) < 1e-9:
        return math.exp(-excess / scale)
    base = 1 + shape * excess / scale
    return base ** (-1 / shape) if base > 0 else 0.0


def likelihood(bins: Bins, u: float, scale: float, shape: float) -> float:
    return sum(n * math.log(max(survival(edge(b) - u, scale, shape) - survival(edge(b + 1) - u, scale, shape), LEAST)) for b, n in bins.items())


def fit(bins: Bins, u: float) -> tuple[float, float] | None:
    """The scale and the shape of the largest likelihood; None if nothing is above u. The search narrows a grid around its best point."""
    tail = {b: n for b, n in bins.items() if b >= bin_of(u)}
    if not tail:
        return None
    log_scale, shape, width = math.log(0.3), 0.25, 1.0
    for _ in range(7):
        points = [(log_scale + 2.5 * width * i / 5, max(-0.9, min(0.95, shape + 0.75 * width * j / 5))) for i in range(-5, 6) for j in range(-5, 6)]
        log_scale, shape = max(points, key=lambda p: likelihood(tail, u, math.exp(p[0]), p[1]))
        width *= 0.4
    return math.exp(log_scale), shape


def rate_above(bins: Bins, n: int, u: float, x: float) -> float:
    """The rate of errors above x > u that the fitted tail gives, of n errors."""
    fitted = fit(bins, u)
    return above(bins, u) / n * survival(x - u, *fitted) if fitted else 0.0


def merged(many: Sequence[Bins]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for bins in many:
        for b, n in bins.items():
            sums[b] = sums.get(b, 0) + n
    return sums


def bootstrap(clusters: Sequence[tuple[Bins, int]], statistic: Callable[[Bins, int], float], times: int, seed: int = 1) -> tuple[float, float]:
    """The 95 % interval of a statistic of (bins, n) over clusters, drawn again with replacement (Efron 1979). Errors of a cluster are not independent."""
    draw = random.Random(seed)
    found = []
    for _ in range(times):
        drawn = draw.choices(clusters, k=len(clusters))
        found.append(statistic(merged([bins for bins, _ in drawn]), sum(n for _, n in drawn)))
    found.sort()
    return found[int(0.025 * times)], found[min(times - 1, int(0.975 * times))]


def binomial_at_most(k: int, n: int, p: float) -> float:
    """The probability of at most k of n."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def interval(k: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a rate of which k of n were seen (Clopper & Pearson 1934)."""
    def solve(wanted: Callable[[float], bool]) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if wanted(middle) else (low, middle)
        return low
    lower = 0.0 if k == 0 else solve(lambda p: 1 - binomial_at_most(k - 1, n, p) < 0.025)
    upper = 1.0 if k == n else solve(lambda p: binomial_at_most(k, n, p) > 0.025)
    return lower, upper
