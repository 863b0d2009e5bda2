"""What llama.cpp's converter makes of published checkpoints, undone: names, order of rows, norms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import ggml, published
from .exact import Inputs
from .layout import decode
from .packed import Stored, array

COMMON = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "attn_qkv": "self_attn.qkv_proj",
    "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    "ffn_gate_inp": "mlp.gate", "post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm"}
OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
STACKS = {"ffn_gate_exps": "gate_proj", "ffn_up_exps": "up_proj", "ffn_down_exps": "down_proj"}


@dataclass(frozen=True)
class Architecture:
    """names: beyond the common ones; one with = is that of the tensor. pairs: rows of q and k are in pairs. one_more: norms are stored + 1."""

    names: dict[str, str] = field(default_factory=dict)
    pairs: bool = False
    one_more: bool = False
    one_rope: bool = True  # of all layers; Gemma 4's factors only leave the last inputs of full layers as they are


GEMMA2 = Architecture({"ffn_norm": "pre_feedforward_layernorm"}, one_more=True)
ARCHITECTURES = {
    "llama": Architecture(pairs=True), "granite": Architecture(pairs=True), "qwen2": Architecture(), "qwen3": Architecture(),
    "qwen3moe": Architecture(), "olmo2": Architecture(), "gemma": Architecture(one_more=True), "gemma2": GEMMA2,
    "gemma4": Architecture({"ffn_norm": "pre_feedforward_layernorm", "layer_output_scale": "layer_scalar="}, one_rope=False),
    "phi3": Architecture({"ffn_up": "mlp.gate_up_proj"})}


def unpaired(rows: np.ndarray, heads: int) -> np.ndarray:
    """The published order of the rows of q or k: of each head (d/2, 2) -> (2, d/2)."""
    return rows.reshape(heads, rows.shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


MOST = 1 << 23  # numbers that are decoded at once


def numbers(kind: ggml.Type, shape: tuple[int, ...], data: np.ndarray, scale: Stored | None) -> np.ndarray:
    """Exact; the published dequantisers that are installed must give the same."""
    n_out, n_in = int(np.prod(shape[:-1])), shape[-1]
    step = MOST // n_in
    if scale is None and 0 < step < n_out:
        blocks = [data.reshape(n_out, -1)[at:at + step] for at in range(0, n_out, step)]
        return np.concatenate([numbers(kind, (len(rows), n_in), rows.reshape(-1), None) for rows in blocks]).reshape(shape)
    exact = decode(ggml.matrix(kind, n_out, n_in, data))
    for found in published.ggml(kind, n_out, n_in, data):
        if why := published.differences(exact, found):
            raise RuntimeError(why)
    if scale is not None:  # one, or one for each matrix of a stack
        field_ = array(scale, ("o", 1, n_out // max(1, int(np.prod(scale.shape)))))
        exact = decode(ggml.matrix(kind, n_out, n_in, data, field_))
    return exact.reshape(shape)


ROPE_FACTORS = "rope_freqs"


def read(directory: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """(tensors in float64, inputs of products) of the GGUF files of a directory, by published names, experts one by one. ROPE_FACTORS: what
    the frequencies of rope are divided by, where the file has them."""
    state: dict[str, torch.Tensor] = {}
    inputs: dict[str, Inputs] = {}
    for to, values, kind in read_each(sorted(directory.glob("*.gguf"))):
        state[to] = torch.from_numpy(np.array(values, np.float64))
        if values.ndim == 2:
            inputs[to] = Inputs(kind)
    return state, inputs


def read_each(files: list[Path]) -> Iterator[tuple[str, np.ndarray, str]]:
    """(name, values, ggml's type) of each tensor, one by one."""
    import gguf
    readers = [gguf.GGUFReader(path) for path in files]
    said = readers[0].fields
    name = said["general.architecture"].contents()
    row = ARCHITECTURES[name]
    heads = {"attn_q": said[f"{name}.attention.head_count"].contents(), "attn_k": said[f"{name}.attention.head_count_kv"].contents()}
    found = {tensor.name: tensor for reader in readers for tensor in reader.tensors}
    for full, tensor in found.items():
        if full.endswith((".scale", ".input_scale")):
            continue
        kind = ggml.BY_NUMBER[int(tensor.tensor_type)]
        shape = tuple(int(n) for n in reversed(tensor.shape))
        scale = found.get(full.removesuffix(".weight") + ".scale")
        of_scale = None if scale is None else Stored("F32", tuple(scale.shape), np.ascontiguousarray(scale.data).view(np.uint8).reshape(-1))
        values = numbers(kind, shape, np.frombuffer(tensor.data.tobytes(), np.uint8), of_scale)
        if hit := re.fullmatch(r"blk\.(\d+)\.(\w+)\.(weight|bias)", full):
            layer, part, last = f"model.layers.{hit[1]}.", hit[2], hit[3]
            if part in STACKS:
                for expert, one in enumerate(values):
                    yield f"{layer}mlp.experts.{expert}.{STACKS[part]}.weight", one, kind.name
                continue
            if row.pairs and part in heads:
                values = unpaired(values, heads[part])
            if row.one_more and part.endswith("norm"):
                values = values - 1
            to = (COMMON | row.names)[part]
            yield layer + (to[:-1] if to.endswith("=") else f"{to}.{last}"), values, kind.name
        else:
            stem, _, last = full.rpartition(".")
            if stem == ROPE_FACTORS and row.one_rope:
                yield stem, values, kind.name
            if stem == ROPE_FACTORS:
                continue
            if row.one_more and stem == "output_norm":
                values = values - 1
            yield f"{OUTER[stem]}.{last}", values, kind.name
