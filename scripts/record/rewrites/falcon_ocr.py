"""Falcon-OCR, written from the equations of mlx-vlm (models/falcon_ocr), none of whose code it calls but get_rope_index, and in published_logits.

Notation: D hidden size, N heads, K key/value heads, d size of a head."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedConfig

from ..checkpoint import opening
from .config import ConfigOfParts
from .falcon_ocr_plain import logits as plain_logits  # noqa: F401: published.check compares it

SYSTEM = "mlx-vlm"  # the only implementation
INSIDE = ("image_token_id", "image_cls_token_id", *(f"image_reg_{i}_token_id" for i in (1, 2, 3, 4)))


class FalconOcrTextConfig(PreTrainedConfig):
    model_type = "falcon_ocr"
    rope_parameters: Any = None
    rope_theta: float = 10000.0


class FalconOcrVisionConfig(PreTrainedConfig):
    model_type = "falcon_ocr_vision"


class FalconOcrConfig(ConfigOfParts):
    """Published files are flat, and have other names: families/falcon_ocr.py writes them."""

    model_type = "falcon_ocr"
    sub_configs = {"text_config": FalconOcrTextConfig, "vision_config": FalconOcrVisionConfig}


class WeightlessNorm(nn.Module):
    """x / sqrt(mean(x²) + eps), in float32 or wider."""

    def __init__(self, eps: float):
        super().__init__()
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        return (wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + self.eps)).to(x.dtype)


class WeightedNorm(WeightlessNorm):
    def __init__(self, width: int, eps: float):
        super().__init__(eps)
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        unit = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (unit * self.weight.float()).to(x.dtype)


def turn(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    """Rotates the pairs 2i, 2i + 1 of the last axis by angle[..., i], in float32 or wider."""
    first, second = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    cosine, sine = angle.cos(), angle.sin()
    turned = torch.stack((first * cosine - second * sine, second * cosine + first * sine), -1)
    return turned.flatten(-2).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, config: Any):
        super().__init__()
        self.n_heads, self.n_kv, self.d = (config.num_attention_heads, config.num_key_value_heads, config.head_dim)
        self.wqkv = nn.Linear(config.hidden_size, (self.n_heads + 2 * self.n_kv) * self.d, bias=False)
        self.wo = nn.Linear(self.n_heads * self.d, config.hidden_size, bias=False)
        self.sinks = nn.Parameter(torch.zeros(self.n_heads))
        self.in_norm, self.q_norm, self.k_norm = (WeightlessNorm(config.rms_norm_eps) for _ in range(3))

    def forward(self, x: torch.Tensor, places: Places, cache: list | None) -> torch.Tensor:
        """x: [T, D]; cache: keys and values of the tokens before, which it is given those of these."""
        rows = self.wqkv(self.in_norm(x)).unflatten(-1, (-1, self.d))  # [T, N + 2K, d]
        q, k, v = rows.split((self.n_heads, self.n_kv, self.n_kv), dim=1)
        times = self.n_heads // self.n_kv
        q, k, v = self.q_norm(q), self.k_norm(k).repeat_interleave(times, 1), v.repeat_interleave(times, 1)
        q, k = places.rotate(q), places.rotate(k)
        if cache is not None:
            if cache:
                k, v = torch.cat((cache[0], k)), torch.cat((cache[1], v))
            cache[:] = [k, v]
        scores = torch.einsum("qnd,knd->nqk", q, k) / math.sqrt(self.d)
        scores = scores.float().masked_fill(~places.visible, -torch.inf)
        sinks = self.sinks.float()[:, None, None].expand(-1, len(x), 1)
        shares = torch.cat((scores, sinks), -1).softmax(-1)[..., :-1]  # the sink's share has no value
        return self.wo(torch.einsum("nqk,knd->qnd", shares.to(v.dtype), v).flatten(1))


class Mlp(nn.Module):
    """w2(relu(w1 x)² · w3 x); the rows of w1 and w3 take turns in w13."""

    def __init__(self, config: Any):
        super().__init__()
        self.w13 = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.w2 = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.in_norm = WeightlessNorm(config.rms_norm_eps)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = self.w13(self.in_norm(x)).unflatten(-1, (-1, 2)).unbind(-1)
        return self.w2(gate.relu().square() * up)


class Layer(nn.Module):
    def __init__(self, config: Any):
        super().__init__()
        self.self_attn, self.mlp = Attention(config), Mlp(config)

    def forward(self, x: torch.Tensor, places: Places, cache: list | None) -> torch.Tensor:
        x = x + self.self_attn(x, places, cache)
        return x + self.mlp(x)


class Places:
    """Where the ropes turn T tokens, and which of the tokens from the first of the sample on each attends to.

    positions: [T]. coordinates: [T, 2], (y, x) of patches, 0 of other tokens. visible: [T, all]."""

    def __init__(self, positions: torch.Tensor, coordinates: torch.Tensor, visible: torch.Tensor, config: Any,
                 frequencies: torch.Tensor):
        half = config.head_dim // 2
        wide = torch.float64 if frequencies.dtype is torch.float64 else torch.float32
        inverse = 1.0 / config.rope_theta ** (torch.arange(0, half, 2).to(wide) / half)
        self.half, self.visible = half, visible
        self.by_position = (positions.to(wide)[:, None] * inverse)[:, None]
        self.by_place = torch.einsum("tp,nip->tni", coordinates.to(wide), frequencies.float())

    def rotate(self, heads: torch.Tensor) -> torch.Tensor:
        """heads: [T, N, d]."""
        front, back = heads[..., :self.half], heads[..., self.half:]
        return torch.cat((turn(front, self.by_position.expand(-1, heads.shape[1], -1)), turn(back, self.by_place)), -1)


class Projector(nn.Module):
    """Rows of pixels become embeddings: there is no tower."""

    def __init__(self, config: Any):
        super().__init__()
        vision = config.vision_config
        self.patch_embed = nn.Linear(vision.num_channels * vision.patch_size ** 2, config.text_config.hidden_size,
                                     bias=False)
        self.blocks = nn.ModuleList()
        self.merger = nn.Identity()

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.merger(self.patch_embed(pixels))


def plane(grid: list[int]) -> np.ndarray:
    """[patches, 2]: (y, x) of each patch of a grid, float64."""
    _, rows, columns = grid
    ends = math.sqrt(rows / columns), math.sqrt(columns / rows)
    y, x = (end * (2 * np.arange(n) / max(n - 1, 1) - 1) for end, n in zip(ends, (rows, columns)))
    return np.stack(np.meshgrid(y, x, indexing="ij"), -1).reshape(-1, 2)


class Decoder(nn.Module):
    def __init__(self, config: FalconOcrConfig):
        super().__init__()
        self.outer, self.config = config, config.text_config
        text = config.text_config
        self.embed_tokens = nn.Embedding(text.vocab_size, text.hidden_size)
        self.visual = Projector(config)
        self.layers = nn.ModuleList(Layer(text) for _ in range(text.num_hidden_layers))
        self.norm = WeightedNorm(text.hidden_size, text.rms_norm_eps)
        self.freqs_cis_golden = nn.Parameter(torch.zeros(text.num_attention_heads, text.head_dim // 4, 2))

    def spans(self, tokens: list[int]) -> list[int]:
        """By token: the number of its image, counted from 1; 0: it is outside of images, as are their end tokens."""
        found, number, inside = [], 0, False
        for token in tokens:
            if token == self.outer.image_cls_token_id:
                inside, number = True, number + 1
            elif token == self.outer.image_end_token_id:
                inside = False
            found.append(number if inside else 0)
        return found

    def positions(self, tokens: list[int]) -> list[int]:
        """All tokens of an image have one position, and so has its end token."""
        found: list[int] = []
        for token, span in zip(tokens, spans := self.spans(tokens)):
            shares = bool(found) and spans[len(found) - 1] != 0
            found.append(found[-1] + (0 if shares else 1) if found else 0)
        return found

    def places(self, tokens: list[int], grids: list[list[int]], first: int) -> Places:
        """Of the tokens from `first` on."""
        spans = torch.tensor(self.spans(tokens))
        order = torch.arange(len(tokens))
        visible = (order[:, None] >= order) | ((spans[:, None] == spans) & (spans > 0))
        coordinates = np.zeros((len(tokens), 2))
        patches = [t for t, token in enumerate(tokens) if token == self.outer.image_token_id]
        if grids:
            coordinates[patches] = np.concatenate([plane(grid) for grid in grids])
        else:
            visible = order[:, None] >= order
        kind = self.norm.weight.dtype if self.norm.weight.dtype is torch.float64 else torch.float32
        return Places(torch.tensor(self.positions(tokens) if grids else list(range(len(tokens))))[first:],
                      torch.from_numpy(coordinates).to(kind)[first:], visible[first:], self.config, self.freqs_cis_golden)

    def forward(self, tokens: list[int], pixels: torch.Tensor | None, grids: list[list[int]], caches: list[list],
                first: int) -> torch.Tensor:
        ids = torch.tensor(tokens[first:])
        x = self.embed_tokens(ids)
        if pixels is not None:
            x = x.clone()
            x[ids == self.outer.image_token_id] = self.visual(pixels.to(x.dtype))
        places = self.places(tokens, grids, first)
        for layer, cache in zip(self.layers, caches):
            x = layer(x, places, cache)
        return self.norm(x)

    def get_rope_index(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, image_grid_thw: torch.Tensor,
                       **_kinds: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """(positions [3, B, T], deltas [B]) of mlx-vlm's own function, given each row alone, without its padding."""
        import mlx.core as mx
        from mlx_vlm.models.falcon_ocr.language import LanguageModel
        outer = SimpleNamespace(image_cls_token_id=self.outer.image_cls_token_id, img_id=self.outer.image_token_id,
                                img_end_id=self.outer.image_end_token_id)
        position, deltas = torch.zeros((3, *input_ids.shape), dtype=torch.int64), []
        for row, (ids, mask) in enumerate(zip(input_ids, attention_mask)):
            kept = ids[mask.bool()].tolist()
            found, _, delta, _ = LanguageModel.get_rope_index(SimpleNamespace(config=outer), mx.array(kept))
            position[:, row, mask.bool()] = torch.from_numpy(np.array(found).astype(np.int64))
            deltas.append(delta)
        return position, torch.tensor(deltas)


class Cache:
    """What a decode keeps of the tokens before: keys and values of each layer, tokens and grids."""

    def __init__(self, n_layers: int):
        self.layers: list[list] = [[] for _ in range(n_layers)]
        self.tokens: list[int] = []
        self.grids: list[list[int]] = []


class FalconOcrForConditionalGeneration(nn.Module):
    def __init__(self, config: FalconOcrConfig):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        self.lm_head = nn.Linear(config.text_config.hidden_size, config.text_config.vocab_size, bias=False)

    @property
    def dtype(self) -> torch.dtype:
        return self.lm_head.weight.dtype

    def forward(self, input_ids: torch.Tensor, pixel_values: torch.Tensor | None = None,
                image_grid_thw: torch.Tensor | None = None, past_key_values: Cache | None = None, use_cache: bool = False,
                **_others: Any) -> SimpleNamespace:
        """One sample alone."""
        cache = past_key_values or Cache(len(self.model.layers))
        first = len(cache.tokens)
        cache.tokens += input_ids[0].tolist()
        cache.grids += [] if image_grid_thw is None else image_grid_thw.tolist()
        hidden = self.model(cache.tokens, pixel_values, cache.grids, cache.layers, first)
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


def published_logits(directory: Path, tokens: list[int], media: dict[str, np.ndarray]) -> np.ndarray:
    """Logits [T, V] of mlx-vlm's model, called as a whole."""
    import mlx.core as mx
    model, inputs = opening.load(directory), {}
    if media:
        (_, height, width), = media["image_grid_thw"].tolist()
        side = model.config.vision_config.spatial_patch_size
        pixels = media["pixel_values"].reshape(height, width, side, side, -1).swapaxes(1, 2)
        inputs = {"pixel_values": mx.array(pixels.reshape(1, height * side, width * side, -1)), "image_grid_hw": mx.array([[height, width]])}
    return np.array(model(mx.array([tokens]), **inputs).logits[0])
