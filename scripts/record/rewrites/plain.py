"""Functions of the rewrites in numpy, which share none with those in torch. All arrays are float64."""

from __future__ import annotations

import math

import numpy as np

Weights = dict[str, np.ndarray]


def linear(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """x: [..., in]; the weight `name`.weight is [out, in], and there may be a bias."""
    y = x @ w[f"{name}.weight"].T
    return y + w[f"{name}.bias"] if f"{name}.bias" in w else y


def layer_norm(w: Weights, name: str, x: np.ndarray, eps: float) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + eps) * w[f"{name}.weight"] + w[f"{name}.bias"]


def rms_norm(x: np.ndarray, eps: float) -> np.ndarray:
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + eps)


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2))) / 2


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))) / 2


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def turn(a: np.ndarray, b: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points (a, b) turned by an angle."""
    turned = (a + 1j * b) * np.exp(1j * angle)
    return turned.real, turned.imag
