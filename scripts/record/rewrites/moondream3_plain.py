"""Moondream 3 in numpy, one sample alone: a second reading of the equations of mlx-vlm (models/moondream3).

Notation: T tokens, N heads, d size of a head, G side of a crop in patches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain import Weights, gelu, gelu_tanh, layer_norm, linear, softmax, turn


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """q, k, v: [T, N, d]; returns [T, N d]."""
    heads = [softmax(np.where(visible, q[:, h] @ k[:, h].T / np.sqrt(q.shape[-1]), -np.inf)) @ v[:, h] for h in range(q.shape[1])]
    return np.stack(heads, 1).reshape(len(q), -1)


def mlp(w: Weights, name: str, x: np.ndarray) -> np.ndarray:
    return linear(w, f"{name}.fc2", gelu_tanh(linear(w, f"{name}.fc1", x)))


def crop_rows(w: Weights, pixels: np.ndarray, vision: Any) -> np.ndarray:
    """[G², D]: the tower over one crop; pixels: [G², C p p]."""
    name, eps = "model.visual", vision.layer_norm_eps
    x = linear(w, f"{name}.patch_embed", pixels) + w[f"{name}.pos_embed"][0]
    everything = np.ones((len(x), len(x)), bool)
    for i in range(vision.num_hidden_layers):
        block = f"{name}.blocks.{i}"
        rows = linear(w, f"{block}.qkv", layer_norm(w, f"{block}.norm1", x, eps)).reshape(len(x), 3, vision.num_attention_heads, -1)
        x = x + linear(w, f"{block}.proj", attend(rows[:, 0], rows[:, 1], rows[:, 2], everything))
        x = x + mlp(w, f"{block}.mlp", layer_norm(w, f"{block}.norm2", x, eps))
    return layer_norm(w, f"{name}.post_norm", x, eps)


def pooled(image: np.ndarray, side: int) -> np.ndarray:
    """[G², D]: means over side x side regions of an image [rows, columns, D]; a border is at the nearest whole number, halves
    at the even one, and a region is not empty."""
    borders = [np.rint(np.arange(side + 1) * (n / side)).astype(int) for n in image.shape[:2]]
    out = np.empty((side, side, image.shape[2]))
    for r, c in np.ndindex(side, side):
        top, left = borders[0][r], borders[1][c]
        out[r, c] = image[top:max(borders[0][r + 1], top + 1), left:max(borders[1][c + 1], left + 1)].mean((0, 1))
    return out.reshape(side * side, -1)


def stitched(crops: np.ndarray, n_rows: int, n_columns: int, margin: int) -> np.ndarray:
    """One image of crops [crops, G, G, D], without the margins that their neighbours show too."""
    side = crops.shape[1]

    def kept(i: int, n: int) -> slice:
        return slice(margin if i > 0 else 0, side - margin if i < n - 1 else side)
    return np.vstack([np.hstack([crops[r * n_columns + c, kept(r, n_rows), kept(c, n_columns)] for c in range(n_columns)])
                      for r in range(n_rows)])


def features(w: Weights, vision: Any, media: dict[str, np.ndarray]) -> np.ndarray:
    side = vision.crop_size // vision.patch_size
    pixels = media["pixel_values"].astype(np.float64).reshape(-1, side * side, vision.in_channels * vision.patch_size ** 2)
    whole, *crops = (crop_rows(w, crop, vision) for crop in pixels)
    local = whole
    if crops:
        parts = np.stack(crops).reshape(len(crops), side, side, -1)
        local = pooled(stitched(parts, *media["crop_layouts"][0], vision.overlap_margin), side)
    return mlp(w, "model.visual.merger", np.hstack((whole, local)))


def turned(heads: np.ndarray, dim: int, theta: float) -> np.ndarray:
    """heads: [T, N, d]; elements i and i + dim/2 turned by position · theta^(-2i/dim)."""
    half = dim // 2
    angle = (np.arange(len(heads))[:, None] * theta ** (-np.arange(half) / half))[:, None]
    return np.concatenate((*turn(heads[..., :half], heads[..., half:dim], angle), heads[..., dim:]), -1)


def attention(w: Weights, name: str, x: np.ndarray, text: Any, visible: np.ndarray) -> np.ndarray:
    row, n = linear(w, f"{name}.qkv", x), text.num_attention_heads
    alpha = w[f"{name}.tau.alpha"] * np.log(np.arange(len(x))[:, None] + 1)
    query, key, value = row.reshape(len(x), 3, n, -1).transpose(1, 0, 2, 3)
    scale_q, scale_v = (np.tanh(gelu(row) @ w[f"{name}.tau.{of}"].T) + 0.5 + 1 / (1 + np.exp(-alpha)) for of in ("wq", "wv"))
    query, key = (turned(part, text.rope_dim, text.rope_theta) for part in (query * scale_q[..., None], key))
    return linear(w, f"{name}.proj", attend(query, key, value * scale_v[..., None], visible))


def experts(w: Weights, name: str, x: np.ndarray, text: Any) -> np.ndarray:
    scores, out = linear(w, f"{name}.gate", x), np.zeros_like(x)
    for t, row in enumerate(x):
        best = np.argsort(-scores[t], kind="stable")[:text.num_experts_per_tok]
        for share, e in zip(softmax(scores[t, best]), best):
            h, g = np.split(w[f"{name}.fc1"][e] @ row, 2)
            out[t] += share * (w[f"{name}.fc2"][e] @ (gelu(h) * (g + 1)))
    return out


def logits(w: Weights, config: Any, tokens: list[int], media: dict[str, np.ndarray]) -> np.ndarray:
    """[T, V]."""
    text, ids = config.text_config, np.array(tokens)
    x, order, prefix = w["model.embed_tokens.weight"][ids], np.arange(len(ids)), 0
    if media:
        rows = features(w, config.vision_config, media)
        prefix = 1 + len(rows)
        x[1:prefix] = rows
    visible = (order <= order[:, None]) | ((order < prefix) & (order[:, None] < prefix))
    for i in range(text.num_hidden_layers):
        name = f"model.layers.{i}"
        h = layer_norm(w, f"{name}.input_norm", x, text.rms_norm_eps)
        dense = i < text.moe_start_layer
        x = x + attention(w, f"{name}.self_attn", h, text, visible) + (mlp(w, f"{name}.mlp", h) if dense else experts(w, f"{name}.mlp", h, text))
    return linear(w, "lm_head", layer_norm(w, "model.norm", x, text.rms_norm_eps))
