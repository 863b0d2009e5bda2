"""Llama in numpy: what engine.py calls. Replace it by your engine.

SPDX-License-Identifier: Apache-2.0"""
import json
import pathlib
import struct

import numpy as np

SUPPORTED = dict(model_type="llama", hidden_act="silu", attention_bias=False, mlp_bias=False, tie_word_embeddings=False)


def model_open(directory):
    """(config, weights); weights in float32."""
    config = json.loads((pathlib.Path(directory) / "config.json").read_text())
    wrong = [f"{name} {config.get(name)!r}" for name, value in SUPPORTED.items() if config.get(name) != value]
    if wrong or (config.get("rope_parameters") or {}).get("rope_type") != "default":
        raise NotImplementedError("config.json: " + (", ".join(wrong) or "rope_type") + " is not supported")
    data = (pathlib.Path(directory) / "model.safetensors").read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, tensor in json.loads(data[8:begin]).items():
        if name != "__metadata__" and tensor["dtype"] not in ("F32", "BF16"):
            raise NotImplementedError(f"{name}: only F32 and BF16 are supported")
        if name != "__metadata__":
            part = data[begin + tensor["data_offsets"][0]:begin + tensor["data_offsets"][1]]
            wide = np.frombuffer(part, "<f4") if tensor["dtype"] == "F32" else (np.frombuffer(part, "<u2").astype("<u4") << 16).view("<f4")
            weights[name] = wide.reshape(tensor["shape"])
    return config, weights


def logits(config, weights, tokens, limit=0, sink_tokens=0):
    """[len(tokens), vocab], of the whole sample: it has no cache that could be wrong. limit, sink_tokens: as in assay/engine.h."""
    def normed(x, name): return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(config["rms_norm_eps"])) * weights[name]
    n, heads, dim = len(tokens), config["num_attention_heads"], config["head_dim"]
    angle = np.outer(np.arange(n), config["rope_parameters"]["rope_theta"] ** (-np.arange(0, dim, 2) / dim))
    cos, sin = (np.tile(f(angle), 2).astype(np.float32) for f in (np.cos, np.sin))
    def rotated(x): return x * cos + np.concatenate([-x[..., dim // 2:], x[..., :dim // 2]], -1) * sin  # [heads, n, dim]
    row, key = np.arange(n)[:, None], np.arange(n)
    seen = (key <= row) & ((limit == 0) | (key < sink_tokens) | (row - key < limit - sink_tokens))
    x = weights["model.embed_tokens.weight"][tokens]
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        def product(x, name): return x @ weights[f"{at}{name}_proj.weight"].T
        h = normed(x, at + "input_layernorm.weight")
        q, k, v = (product(h, f"self_attn.{name}").reshape(n, -1, dim).swapaxes(0, 1) for name in "qkv")
        k, v = (np.repeat(one, heads // len(one), 0) for one in (rotated(k), v))
        scores = np.where(seen, rotated(q) @ k.swapaxes(1, 2) / np.float32(dim ** 0.5), np.float32(-np.inf))
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        x = x + product((shares / shares.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(n, -1), "self_attn.o")
        h = normed(x, at + "post_attention_layernorm.weight")
        gate = product(h, "mlp.gate")
        x = x + product(gate / (1 + np.exp(-gate)) * product(h, "mlp.up"), "mlp.down")
    return normed(x, "model.norm.weight") @ weights["lm_head.weight"].T
