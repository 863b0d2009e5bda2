"""Weights with which scores, activations and the scores of routers are as large as in published models, while float32 noise stays
small: an engine that computes exponentials without their maximum, or sums in float16, is far from the truth."""

from __future__ import annotations

import math

import numpy as np

from .weights import Rule, around, fan_in

ACTIVATION = 6e4  # its square exceeds the largest float16, and so do sums of several
SCORE = 110.0  # its exponential is infinite in float32, that of its negative 0

Rules = tuple[tuple[str, Rule], ...]


def leading(rule: Rule, value: float, signs: bool = False) -> Rule:
    """The rule, with `value` in the first element of each row; signs: of drawn signs."""
    def draw(rng, shape):
        values = np.array(rule(rng, shape))
        values[..., 0] = value * rng.choice((-1.0, 1.0), shape[:-1]) if signs else value
        return values
    return draw


def scores(names: str = r"(q|k)_proj") -> Rules:
    """Queries and keys of unit inputs whose scores are about SCORE, of either sign."""
    return ((rf"{names}\.weight$", fan_in(math.sqrt(SCORE))),)


def normed_scores(head_dim: int, scale: float, offset: float = 0.0) -> Rules:
    """The same where queries and keys have norms. scale: of scores; offset: the norms multiply by offset + weight."""
    factor = math.sqrt(SCORE / (scale * math.sqrt(head_dim)))
    return ((r"(q|k)_norm\.weight$", lambda rng, shape: around(factor, factor / 8)(rng, shape) - offset),)


def massive_last(rule: Rule, share: float) -> Rule:
    """The rule; this share of the rows, the last ones, gives ACTIVATION of unit inputs."""
    def draw(rng, shape):
        values = np.array(rule(rng, shape))
        first = shape[0] - round(share * shape[0])
        values[first:] = fan_in(ACTIVATION)(rng, (shape[0] - first, *shape[1:]))
        return values
    return draw


def saturated(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """About SCORE, of either sign in turns."""
    return around(SCORE, SCORE / 20)(rng, shape) * np.resize((-1.0, 1.0), shape)


def massive_norm(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A norm that leaves little of the first element, and multiplies the others until they are about 1."""
    size = ACTIVATION / math.sqrt(shape[0])
    values = around(size, 0.3 * size)(rng, shape)
    values[0] = 0.2
    return values


def massive_up(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """gate_up_proj of experts, whose second half, up, gives ACTIVATION."""
    values = fan_in(1.0)(rng, shape)
    values[..., shape[-2] // 2:, :] *= ACTIVATION
    return values


# The first element of every hidden state is ACTIVATION; so are values, and the inputs of down_proj.
MASSIVE: Rules = (
    (r"embed_tokens\.weight$", leading(fan_in(2.0), ACTIVATION, signs=True)),
    (r"(layernorm|model\.norm)\.weight$", massive_norm),
    (r"(v|up)_proj\.weight$", fan_in(ACTIVATION)),
    (r"gate_up_proj$", massive_up),
    (r"(o|down)_proj(\.weight)?$", fan_in(1 / ACTIVATION)),
)


def router(gate: Rule, alike: bool) -> Rules:
    """Scores of a router far above 0 for some tokens and far below 0 for others, or, unless alike, for some experts and for others: the
    first element of hidden states leads."""
    return (
        (r"embed_tokens\.weight$", leading(fan_in(2.0), 6.0, signs=True)),
        (r"mlp\.gate\.weight$", leading(gate, SCORE / 4, signs=not alike)),
    )
