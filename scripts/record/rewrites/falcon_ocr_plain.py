"""Falcon-OCR in numpy, one sample alone: a second reading of the equations of mlx-vlm (models/falcon_ocr).

Notation: T tokens, N heads, K key/value heads, d size of a head."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain import Weights, linear, rms_norm, softmax, turn


def heads_turned(heads: np.ndarray, by_position: np.ndarray, by_place: np.ndarray) -> np.ndarray:
    """heads: [T, N, d]; the pairs 2i, 2i + 1 of the first half turned by position, those of the second half by place; angles
    [T, 1 or N, d/4]."""
    out = np.empty_like(heads)
    half = heads.shape[-1] // 2
    for first, angle in ((0, by_position), (half, by_place)):
        evens, odds = slice(first, first + half, 2), slice(first + 1, first + half, 2)
        out[..., evens], out[..., odds] = turn(heads[..., evens], heads[..., odds], angle)
    return out


def marks(ids: np.ndarray, config: Any) -> tuple[np.ndarray, np.ndarray]:
    """Per token: the image that it is in, -1 outside, and its position: one for the tokens of an image with its marks."""
    image, position = np.full(len(ids), -1), np.zeros(len(ids), int)
    current, count = -1, 0
    for t, token in enumerate(ids):
        if token == config.image_cls_token_id:
            current, count = count, count + 1
        elif token == config.image_end_token_id:
            current = -1
        image[t] = current
        follows_image = t > 0 and image[t - 1] >= 0
        position[t] = 0 if t == 0 else position[t - 1] + (not follows_image)
    return image, position


def places(ids: np.ndarray, grids: np.ndarray, image_token: int) -> np.ndarray:
    """[T, 2]: (y, x) of patches, in a plane of which each image has the area 4; 0 of other tokens."""
    found = []
    for _, rows, columns in grids:
        for y in np.linspace(-1, 1, rows) if rows > 1 else [-1.0]:
            for x in np.linspace(-1, 1, columns) if columns > 1 else [-1.0]:
                found.append((y * np.sqrt(rows / columns), x * np.sqrt(columns / rows)))
    out = np.zeros((len(ids), 2))
    out[ids == image_token] = np.reshape(found, (-1, 2))
    return out


def attention(w: Weights, name: str, x: np.ndarray, text: Any, angles: tuple[np.ndarray, np.ndarray], visible: np.ndarray) -> np.ndarray:
    n, k, d = text.num_attention_heads, text.num_key_value_heads, text.head_dim
    rows = linear(w, f"{name}.wqkv", rms_norm(x, text.rms_norm_eps)).reshape(len(x), n + 2 * k, d)
    queries, keys = (heads_turned(np.repeat(rms_norm(part, text.rms_norm_eps), times, 1), *angles)
                     for part, times in ((rows[:, :n], 1), (rows[:, n:n + k], n // k)))
    out = np.empty((len(x), n, d))
    for head in range(n):
        scores = np.where(visible, queries[:, head] @ keys[:, head].T / np.sqrt(d), -np.inf)
        sink = np.full((len(x), 1), w[f"{name}.sinks"][head])
        out[:, head] = softmax(np.hstack((scores, sink)))[:, :-1] @ rows[:, n + k + head // (n // k)]
    return linear(w, f"{name}.wo", out.reshape(len(x), -1))


def logits(w: Weights, config: Any, tokens: list[int], media: dict[str, np.ndarray]) -> np.ndarray:
    """[T, V]."""
    text, ids = config.text_config, np.array(tokens)
    x, order = w["model.embed_tokens.weight"][ids], np.arange(len(ids))
    grids = media.get("image_grid_thw", np.zeros((0, 3), int))
    image, position = marks(ids, config) if len(grids) else (np.full(len(ids), -1), order)
    if len(grids):
        x[ids == config.image_token_id] = linear(w, "model.visual.patch_embed", media["pixel_values"].astype(np.float64))
    half = text.head_dim // 2
    frequencies = text.rope_theta ** (-np.arange(0, half, 2) / half)
    by_place = np.einsum("tp,nip->tni", places(ids, grids, config.image_token_id), w["model.freqs_cis_golden"])
    angles = (position[:, None] * frequencies)[:, None], by_place
    visible = (order <= order[:, None]) | ((image == image[:, None]) & (image >= 0))
    for i in range(text.num_hidden_layers):
        name = f"model.layers.{i}"
        x = x + attention(w, f"{name}.self_attn", x, text, angles, visible)
        rows = linear(w, f"{name}.mlp.w13", rms_norm(x, text.rms_norm_eps))
        x = x + linear(w, f"{name}.mlp.w2", np.maximum(rows[:, 0::2], 0) ** 2 * rows[:, 1::2])
    return linear(w, "lm_head", rms_norm(x, text.rms_norm_eps) * w["model.norm.weight"])
