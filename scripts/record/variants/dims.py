"""Tiny dimensions that all differ, so that a transposed or swapped matrix has a wrong shape."""

from __future__ import annotations

import numpy as np

from .variant import Config


def pick(rng: np.random.Generator, choices):
    """One of the choices, as a plain Python value."""
    return choices[int(rng.integers(len(choices)))]


def attention_dims(rng: np.random.Generator, explicit_head_dim: bool = True) -> Config:
    """Draws heads, widths, vocabulary size and depth; all widths differ as far as the architecture allows.

    explicit_head_dim: the head size is a member of the config, not hidden / heads.
    """
    while True:
        heads = pick(rng, (2, 3, 4, 6))
        kv = pick(rng, [n for n in range(1, heads + 1) if heads % n == 0])
        head_dim = pick(rng, (6, 8, 10, 12, 14, 16))
        hidden = heads * (int(rng.integers(5, 13)) if explicit_head_dim else head_dim)
        inter, vocab = int(rng.integers(26, 68)), int(rng.integers(96, 150))
        widths = [hidden, inter, 2 * inter, vocab, kv * head_dim, 2 * kv * head_dim]
        if explicit_head_dim:
            widths.append(heads * head_dim)
        kept = [w for w in widths if w != heads * head_dim] if kv == heads else widths
        if not 24 <= hidden <= 56 or len(set(kept)) < len(kept):
            continue
        dims = {"vocab_size": vocab, "hidden_size": hidden, "intermediate_size": inter,
                "num_hidden_layers": int(rng.integers(2, 5)), "num_attention_heads": heads,
                "num_key_value_heads": kv}
        return {**dims, "head_dim": head_dim} if explicit_head_dim else dims


def grouped(base: Config, hidden: int, intermediate: int, heads: int, kv: int, head_dim: int,
            **more) -> Config:
    """base with widths that MLX can quantise: multiples of a group size."""
    return {**base, "hidden_size": hidden, "intermediate_size": intermediate,
            "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": head_dim, **more}


def grouped_dims(rng: np.random.Generator, base: Config, size: int) -> Config:
    """Drawn widths, most of them multiples of the group `size`, some not. The hidden size is always a multiple of
    64, which mlx-lm requires for routers."""
    hidden = pick(rng, (128,) if size == 128 else (64, 128))
    wide = pick(rng, [n * size for n in (1, 2, 3) if n * size not in (hidden, hidden // 2)])
    heads = pick(rng, (2, 4))
    dims = {"hidden_size": hidden, "intermediate_size": pick(rng, (wide, wide, wide, wide - 6)),
            "num_attention_heads": heads, "num_key_value_heads": pick(rng, (1, 2))}
    if "head_dim" in base:
        dims["head_dim"] = pick(rng, [n for n in (8, 16, 32, 12) if n * heads != hidden])
    if "global_head_dim" in base:
        dims["global_head_dim"] = 2 * dims["head_dim"]
    if "moe_intermediate_size" in base:
        dims["moe_intermediate_size"] = pick(rng, (size, base["moe_intermediate_size"]))
    return dims


def flat_old_rope(config: Config) -> Config:
    """The older spelling of rope_parameters: members rope_theta and rope_scaling.

    llama3 was published with `rope_type`, the others mostly with `type`.
    """
    config = dict(config)
    rope = dict(config.pop("rope_parameters"))
    config["rope_theta"] = rope.pop("rope_theta")
    kind = rope.pop("rope_type")
    if "partial_rotary_factor" in rope:
        partial = rope.pop("partial_rotary_factor")
        if partial != 1.0:
            config["partial_rotary_factor"] = partial
    config["rope_scaling"] = None
    if kind != "default":
        config["rope_scaling"] = {"rope_type" if kind == "llama3" else "type": kind, **rope}
    return config
