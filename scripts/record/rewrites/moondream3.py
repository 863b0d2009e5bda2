"""Moondream 3, written from the equations of mlx-vlm (models/moondream3), none of whose code it calls but in published_logits.

Notation: D hidden size, N heads, d size of a head, G side of a crop in patches."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedConfig
from transformers.activations import ACT2FN

from ..checkpoint import opening
from .config import ConfigOfParts
from .moondream3_plain import logits as plain_logits  # noqa: F401: published.check compares it

SYSTEM = "mlx-vlm"  # the only implementation


class Moondream3TextConfig(PreTrainedConfig):
    model_type = "moondream3"
    rope_parameters: Any = None
    rope_theta: float = 1500000.0


class Moondream3VisionConfig(PreTrainedConfig):
    model_type = "moondream3_vision"


class Moondream3Config(ConfigOfParts):
    model_type = "moondream3"
    sub_configs = {"text_config": Moondream3TextConfig, "vision_config": Moondream3VisionConfig}


class Tau(nn.Module):
    """The factors of queries and values: tanh(W gelu(row)) + 1 + (sigmoid(alpha log(position + 1)) - 1/2)."""

    def __init__(self, n_heads: int, width: int):
        super().__init__()
        self.wq, self.wv = (nn.Parameter(torch.zeros(n_heads, width)) for _ in range(2))
        self.alpha = nn.Parameter(torch.zeros(n_heads))
        self.act = ACT2FN["gelu"]

    def forward(self, row: torch.Tensor, first: int) -> tuple[torch.Tensor, torch.Tensor]:
        """row: [T, 3 N d], of the tokens from position `first` on. Returns two factors [T, N, 1]."""
        alpha = self.alpha.float()
        position = torch.arange(first, first + len(row)).to(alpha.dtype)
        by_position = 1 + (torch.sigmoid(alpha * torch.log(position + 1)[:, None]) - 0.5)
        h = self.act(row)
        of_q, of_v = (torch.tanh(functional.linear(h, w)) + by_position.to(row.dtype) for w in (self.wq, self.wv))
        return of_q[..., None], of_v[..., None]


def rotate(heads: torch.Tensor, first: int, dim: int, theta: float) -> torch.Tensor:
    """The first `dim` elements of each head [T, N, d] turned: elements i and i + dim/2 by position · theta^(-2i/dim)."""
    wide = torch.float64 if heads.dtype is torch.float64 else torch.float32
    inverse = 1.0 / theta ** (torch.arange(0, dim, 2).to(wide) / dim)
    angle = (torch.arange(first, first + len(heads)).to(wide)[:, None] * inverse)[:, None]
    a, b, rest = heads.split((dim // 2, dim // 2, heads.shape[-1] - dim), -1)
    a, b = a.to(wide), b.to(wide)
    turned = torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)
    return torch.cat((turned.to(heads.dtype), rest), -1)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, visible: torch.Tensor | None) -> torch.Tensor:
    """q: [T, N, d], k and v: [S, N, d], visible: [T, S]; returns [T, N d]."""
    scores = (torch.einsum("qnd,knd->nqk", q, k) / math.sqrt(q.shape[-1])).float()
    if visible is not None:
        scores = scores.masked_fill(~visible, -torch.inf)
    return torch.einsum("nqk,knd->qnd", scores.softmax(-1).to(v.dtype), v).flatten(1)


class Attention(nn.Module):
    def __init__(self, config: Any):
        super().__init__()
        self.n_heads, self.d = config.num_attention_heads, config.head_dim
        self.dim, self.theta = config.rope_dim, config.rope_theta
        width = self.n_heads * self.d
        self.qkv = nn.Linear(config.hidden_size, 3 * width, bias=config.attention_bias)
        self.proj = nn.Linear(width, config.hidden_size, bias=config.attention_bias)
        self.tau = Tau(self.n_heads, 3 * width)

    def forward(self, x: torch.Tensor, first: int, visible: torch.Tensor, cache: list) -> torch.Tensor:
        """x: [T, D], of the tokens from position `first` on; cache: keys and values of those before, and then of all."""
        row = self.qkv(x)
        of_q, of_v = self.tau(row, first)
        q, k, v = (part.unflatten(-1, (self.n_heads, self.d)) for part in row.chunk(3, -1))
        q, v = q * of_q, v * of_v
        q, k = (rotate(part, first, self.dim, self.theta) for part in (q, k))
        if cache:
            k, v = torch.cat((cache[0], k)), torch.cat((cache[1], v))
        cache[:] = [k, v]
        return self.proj(attend(q, k, v, visible))


class Mlp(nn.Module):
    def __init__(self, width: int, inner: int, out: int | None = None):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, inner), nn.Linear(inner, out or width)
        self.act = ACT2FN["gelu_pytorch_tanh"]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc2(self.act(self.fc1(x)))


class Experts(nn.Module):
    """The best experts of each token: fc2(gelu(h) (g + 1)), h and g the halves of fc1 x."""

    def __init__(self, config: Any):
        super().__init__()
        n, d, inner = config.num_experts, config.hidden_size, config.moe_intermediate_size
        self.top_k = config.num_experts_per_tok
        self.gate = nn.Linear(d, n)
        self.fc1, self.fc2 = nn.Parameter(torch.zeros(n, 2 * inner, d)), nn.Parameter(torch.zeros(n, d, inner))
        self.act = ACT2FN["gelu"]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores, chosen = self.gate(x).topk(self.top_k, -1)
        shares = scores.float().softmax(-1).to(x.dtype)
        out = torch.zeros_like(x)
        for e, (first, second) in enumerate(zip(self.fc1, self.fc2)):
            rows, k = (chosen == e).nonzero(as_tuple=True)
            h, g = functional.linear(x[rows], first).chunk(2, -1)
            out = out.index_add(0, rows, functional.linear(self.act(h) * (g + 1), second) * shares[rows, k][:, None])
        return out


class Layer(nn.Module):
    def __init__(self, config: Any, index: int):
        super().__init__()
        self.input_norm = nn.LayerNorm(config.hidden_size, eps=config.rms_norm_eps)
        self.self_attn = Attention(config)
        dense = index < config.moe_start_layer
        self.mlp = Mlp(config.hidden_size, config.intermediate_size) if dense else Experts(config)

    def forward(self, x: torch.Tensor, first: int, visible: torch.Tensor, cache: list) -> torch.Tensor:
        h = self.input_norm(x)
        return x + self.self_attn(h, first, visible, cache) + self.mlp(h)


class Block(nn.Module):
    def __init__(self, config: Any):
        super().__init__()
        d = config.hidden_size
        self.norm1, self.norm2 = (nn.LayerNorm(d, eps=config.layer_norm_eps) for _ in range(2))
        self.qkv = nn.Linear(d, 3 * d, bias=config.attention_bias)
        self.proj = nn.Linear(d, d, bias=config.attention_bias)
        self.mlp, self.n_heads = Mlp(d, config.intermediate_size), config.num_attention_heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [crops, G², D]."""
        q, k, v = (part.unflatten(-1, (self.n_heads, -1)) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.proj(torch.stack([attend(*one, None) for one in zip(q, k, v)]))
        return x + self.mlp(self.norm2(x))


def joined(crops: torch.Tensor, layout: list[int], side: int, margin: int) -> torch.Tensor:
    """[G², D]: crops [R C, G, G, D] without the margins between them, averaged to the grid of one crop."""
    rows, columns = layout
    lines = []
    for r in range(rows):
        parts = [crops[r * columns + c][margin * (r > 0):side - margin * (r < rows - 1),
                                        margin * (c > 0):side - margin * (c < columns - 1)] for c in range(columns)]
        lines.append(torch.cat(parts, 1))
    whole = torch.cat(lines, 0)

    def borders(n: int) -> list[tuple[int, int]]:
        ends = [round(i * (n / side)) for i in range(side + 1)]  # halves to even
        return [(a, max(b, a + 1)) for a, b in zip(ends, ends[1:])]
    return torch.stack([whole[a:b, c:d].mean((0, 1)) for a, b in borders(whole.shape[0]) for c, d in borders(whole.shape[1])])


class Tower(nn.Module):
    def __init__(self, config: Any, width: int):
        super().__init__()
        self.side, self.margin = config.crop_size // config.patch_size, config.overlap_margin
        self.patch_embed = nn.Linear(config.in_channels * config.patch_size ** 2, config.hidden_size)
        self.pos_embed = nn.Parameter(torch.zeros(1, self.side ** 2, config.hidden_size))
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.num_hidden_layers))
        self.post_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.merger = Mlp(2 * config.hidden_size, config.proj_inner_dim, width)

    def forward(self, pixels: torch.Tensor, layout: list[int]) -> torch.Tensor:
        """pixels: [crops G², C p p], the whole image, then its crops row by row; returns [G², width of the text]."""
        x = self.patch_embed(pixels).unflatten(0, (-1, self.side ** 2)) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        x = self.post_norm(x)
        crops = x[1:].unflatten(1, (self.side, self.side))
        local = joined(crops, layout, self.side, self.margin) if len(crops) else x[0]
        return self.merger(torch.cat((x[0], local), -1))


class Decoder(nn.Module):
    def __init__(self, config: Moondream3Config):
        super().__init__()
        self.config = text = config.text_config
        self.embed_tokens = nn.Embedding(text.vocab_size, text.hidden_size)
        self.visual = Tower(config.vision_config, text.hidden_size)
        self.layers = nn.ModuleList(Layer(text, i) for i in range(text.num_hidden_layers))
        self.norm = nn.LayerNorm(text.hidden_size, eps=text.rms_norm_eps)

    def forward(self, tokens: list[int], pixels: torch.Tensor | None, layout: list[int] | None, prefix: int,
                caches: list[list], first: int) -> torch.Tensor:
        """Of the tokens from `first` on. prefix: tokens that attend to each other, the first one and those of the image."""
        x = self.embed_tokens(torch.tensor(tokens[first:]))
        if pixels is not None:
            x = torch.cat((x[:1], self.visual(pixels.to(x.dtype), layout), x[prefix:]))
        order = torch.arange(len(tokens))
        visible = (order[:, None] >= order) | ((order[:, None] < prefix) & (order < prefix))
        for layer, cache in zip(self.layers, caches):
            x = layer(x, first, visible[first:], cache)
        return self.norm(x)


class Cache:
    """What a decode keeps of the tokens before: keys and values of each layer, tokens, and the length of the prefix."""

    def __init__(self, n_layers: int):
        self.layers: list[list] = [[] for _ in range(n_layers)]
        self.tokens: list[int] = []
        self.prefix = 0


class Moondream3ForConditionalGeneration(nn.Module):
    def __init__(self, config: Moondream3Config):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config.text_config.hidden_size, config.text_config.vocab_size)

    @property
    def dtype(self) -> torch.dtype:
        return self.lm_head.weight.dtype

    def forward(self, input_ids: torch.Tensor, pixel_values: torch.Tensor | None = None,
                crop_layouts: torch.Tensor | None = None, past_key_values: Cache | None = None,
                **_others: Any) -> SimpleNamespace:
        """One sample alone."""
        cache = past_key_values or Cache(len(self.model.layers))
        first = len(cache.tokens)
        cache.tokens += input_ids[0].tolist()
        layout = None if crop_layouts is None else crop_layouts[0].tolist()
        if pixel_values is not None:
            cache.prefix = 1 + self.model.visual.side ** 2
        hidden = self.model(cache.tokens, pixel_values, layout, cache.prefix, cache.layers, first)
        return SimpleNamespace(logits=self.lm_head(hidden)[None], past_key_values=cache)

    def generate(self, input_ids: torch.Tensor, max_new_tokens: int, eos_token_id: list[int], **others: Any) -> torch.Tensor:
        """Greedy tokens after the prompt, the stop id included, from the cache."""
        out = self(input_ids, **others)
        tokens = input_ids[0].tolist()
        for _ in range(max_new_tokens):
            tokens.append(int(out.logits[0, -1].argmax()))
            if tokens[-1] in eos_token_id:
                break
            out = self(torch.tensor([tokens[-1:]]), past_key_values=out.past_key_values)
        return torch.tensor([tokens])


def crops(rows: np.ndarray, grids: list[list[int]], side: int) -> list[np.ndarray]:
    """Rows of patches as the crops [n, H, W, C] of each image."""
    found = []
    for n, height, width in grids:
        patches, rows = rows[:n * height * width], rows[n * height * width:]
        pixels = np.einsum("nhwcyx->nhywxc", patches.reshape(n, height, width, -1, side, side))
        found.append(pixels.reshape(n, height * side, width * side, -1))
    return found


def published_logits(directory: Path, tokens: list[int], media: dict[str, np.ndarray]) -> np.ndarray:
    """Logits [T, V] of mlx-vlm's model, called as a whole: its generate_step drops the mask of the prefix."""
    import mlx.core as mx
    model, grids = opening.load(directory), media["image_grid_thw"].tolist()
    pixels = mx.array(np.concatenate(crops(media["pixel_values"], grids, model.config.vision_config.patch_size)))
    layouts = [tuple(layout) if n > 1 else None for layout, (n, _, _) in zip(media["crop_layouts"].tolist(), grids)]
    return np.array(model(mx.array([tokens]), pixel_values=pixels, num_crops=[n for n, _, _ in grids], crop_layouts=layouts).logits[0])
