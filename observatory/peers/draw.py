"""Token ids as `assay bench` draws them (conformance/support/draw.h, SplitMix64), without numpy."""

from __future__ import annotations

from collections.abc import Iterator

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def words(seed: int) -> Iterator[int]:
    state = seed & MASK
    while True:
        state = (state + GAMMA) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def seed_of(seed: int, point: int, repeat: int) -> int:
    """The seed from which assay bench draws the ids of a measurement: conf_bench_seed."""
    state = (seed + GAMMA) & MASK
    state ^= (next(words(seed)) + point) & MASK
    drawn, state = next(words(state)), (state + GAMMA) & MASK
    state ^= (drawn + repeat) & MASK
    return next(words(state))


def tokens(seed: int, n: int, n_ids: int) -> list[int]:
    stream = words(seed)
    return [next(stream) % n_ids for _ in range(n)]
