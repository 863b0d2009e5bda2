"""What llama.cpp's converter makes of published checkpoints, undone: names, order of rows, norms.

Names families: a row of ARCHITECTURES for each architecture that the converter writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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
OUTSIDE = (ROPE_FACTORS := "rope_freqs", "rope_factors_long", "rope_factors_short")
STACKS = {"ffn_gate_exps": "gate_proj", "ffn_up_exps": "up_proj", "ffn_down_exps": "down_proj"}


@dataclass(frozen=True)
class Architecture:
    """names: beyond the common ones; one with = is that of the tensor. pairs: rows of q and k are in pairs. one_more: norms are stored + 1."""

    names: dict[str, str] = field(default_factory=dict)
    pairs: bool = False
    one_more: bool = False
    joined: bool = False  # q, k and v are one published tensor
    one_rope: bool = True  # of all layers; Gemma 4's factors only leave the last inputs of full layers as they are


GEMMA2 = Architecture({"ffn_norm": "pre_feedforward_layernorm"}, one_more=True)
ARCHITECTURES = {
    "llama": Architecture(pairs=True), "granite": Architecture(pairs=True), "qwen2": Architecture(), "qwen3": Architecture(),
    "qwen3moe": Architecture(), "olmo2": Architecture(), "gemma": Architecture(one_more=True), "gemma2": GEMMA2, "gemma3": GEMMA2,
    "gemma4": Architecture({"ffn_norm": "pre_feedforward_layernorm", "layer_output_scale": "layer_scalar="}, one_rope=False),
    "ernie4_5": Architecture(), "hunyuan-dense": Architecture({"attn_q_norm": "self_attn.query_layernorm", "attn_k_norm": "self_attn.key_layernorm"}),
    "phi3": Architecture({"ffn_up": "mlp.gate_up_proj"}, joined=True),
    "command-r": Architecture(), "cohere2": Architecture(), "starcoder2": Architecture({"ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"}),
    "phi2": Architecture({"attn_output": "self_attn.dense", "ffn_up": "mlp.fc1", "ffn_down": "mlp.fc2", "output_norm": "model.final_layernorm"}),
    "stablelm": Architecture()}


@dataclass(frozen=True)
class Part:
    """A published tensor, which is read and decoded when its rows are asked for. offset: of its first row in the file; scale: all numbers are multiplied
    with it; heads: of rows that are in pairs, or 0; minus: what the converter has added."""

    name: str
    kind: ggml.Type
    shape: tuple[int, ...]
    file: Path
    offset: int
    scale: float | None = None
    heads: int = 0
    minus: float = 0.0

    def inputs(self) -> Inputs:
        return Inputs(self.kind.name, minimums=self.minimums())

    def size(self) -> tuple[int, int]:
        """(rows, numbers of each) as they are stored; a vector has rows of a number."""
        return self.shape[0], int(np.prod(self.shape[1:]))

    def stored(self, begin: int, end: int) -> np.ndarray:
        """The bytes of rows."""
        _, n_in = self.size()
        row = n_in // self.kind.size * self.kind.length
        data = np.fromfile(self.file, np.uint8, (end - begin) * row, offset=self.offset + begin * row)
        if data.size != (end - begin) * row:
            raise RuntimeError(f"{self.file}: {self.name}: found {data.size} bytes of {(end - begin) * row}")
        return data

    def order(self, begin: int, end: int) -> np.ndarray:
        """Where rows are stored."""
        order = np.arange(begin, end)
        if self.heads:  # of each head (2, d/2) -> (d/2, 2)
            d = self.shape[0] // self.heads
            order = order // d * d + order % (d // 2) * 2 + order % d // (d // 2)
        return order

    def minimums(self) -> torch.Tensor | None:
        """float32 [rows, blocks], of types with minimums that are multiplied by the sum of a block of inputs, as Q8_1 stores it."""
        if self.kind.name not in WITH_SUMS:
            return None
        n_out, n_in = self.size()
        low = ggml.matrix(self.kind, n_out, n_in, self.stored(0, n_out)).minimum
        found = low.numbers(self.order(0, n_out), np.arange(0, n_in, self.kind.size), n_in)
        return torch.from_numpy(-found.astype(np.float32))

    def rows(self, begin: int, end: int) -> np.ndarray:
        """float64 [end - begin, …], exact."""
        order = self.order(begin, end)
        first, last = (int(order.min()), int(order.max()) + 1) if order.size else (0, 0)
        _, n_in = self.size()
        scale = None if self.scale is None else array(Stored("F32", (), np.array([self.scale], "<f4").view(np.uint8)))
        found = decode(ggml.matrix(self.kind, last - first, n_in, self.stored(first, last), scale))
        found = found[order - first] if self.heads else found
        return (found - self.minus if self.minus else found).reshape(end - begin, *self.shape[1:])

    def check(self, seed: int) -> None:
        """The published dequantisers that are installed must give the same numbers in a sample of the stored rows (published.sample)."""
        for begin, end in published.sample(*self.size(), seed):
            n, (_, n_in), data = end - begin, self.size(), self.stored(begin, end)
            exact = decode(ggml.matrix(self.kind, n, n_in, data))
            for found in published.ggml(self.kind, n, n_in, data):
                if why := published.differences(exact, found):
                    raise RuntimeError(f"{self.file}: {self.name}, from row {begin} on: {why}")


WITH_SUMS = ("Q4_1", "Q5_1")

def read(directory: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """(tensors in float64, inputs of products) of the GGUF files of a directory, by published names, experts one by one. ROPE_FACTORS: what
    the frequencies of rope are divided by, where the file has them."""
    state: dict[str, torch.Tensor] = {}
    inputs: dict[str, Inputs] = {}
    for part in parts(sorted(directory.glob("*.gguf"))):
        state[part.name] = torch.from_numpy(part.rows(0, part.shape[0]))
        if len(part.shape) == 2:
            inputs[part.name] = part.inputs()
    return state, inputs


def parts(files: list[Path]) -> Iterator[Part]:
    """The tensors of a checkpoint in one or several files, checked."""
    for seed, part in enumerate(named(files)):
        part.check(seed)
        yield part


def named(files: list[Path]) -> Iterator[Part]:
    import gguf
    readers = [gguf.GGUFReader(path) for path in files]
    said = readers[0].fields
    name = said["general.architecture"].contents()
    if not (row := ARCHITECTURES.get(name)):
        raise RuntimeError(f"{files[0]}: general.architecture: found {name}, expected one of {', '.join(sorted(ARCHITECTURES))}")
    heads = {"attn_q": said[f"{name}.attention.head_count"].contents(), "attn_k": said[f"{name}.attention.head_count_kv"].contents()}
    found = {tensor.name: (path, tensor) for path, reader in zip(files, readers) for tensor in reader.tensors}
    for full, (path, tensor) in found.items():
        if full.endswith((".scale", ".input_scale")):
            continue
        kind = ggml.BY_NUMBER[int(tensor.tensor_type)]
        shape = tuple(int(n) for n in reversed(tensor.shape))
        _, scale = found.get(full.removesuffix(".weight") + ".scale", (None, None))
        scales = None if scale is None else np.array(scale.data, np.float32).reshape(-1).tolist()
        whole = Part(full, kind, shape, path, int(tensor.data_offset), scales[0] if scales else None)
        if hit := re.fullmatch(r"blk\.(\d+)\.(\w+)\.(weight|bias)", full):
            layer, part, last = f"model.layers.{hit[1]}.", hit[2], hit[3]
            if part in STACKS:
                step = int(np.prod(shape[1:])) // kind.size * kind.length
                for i in range(shape[0]):
                    yield replace(whole, name=f"{layer}mlp.experts.{i}.{STACKS[part]}.weight", shape=shape[1:], offset=whole.offset + i * step,
                                  scale=scales[i % len(scales)] if scales else None)
                continue
            if part == "attn_qkv" and not row.joined:
                counts = [heads["attn_q"], heads["attn_k"], heads["attn_k"]]
                each, step = shape[0] // sum(counts), int(np.prod(shape[1:])) // kind.size * kind.length
                for i, n in enumerate(counts):
                    yield replace(whole, name=f"{layer}self_attn.{'qkv'[i]}_proj.{last}", shape=(n * each, *shape[1:]),
                                  offset=whole.offset + sum(counts[:i]) * each * step, heads=n if row.pairs and i < 2 else 0)
                continue
            to = (COMMON | row.names)[part]
            yield replace(whole, name=layer + (to[:-1] if to.endswith("=") else f"{to}.{last}"), heads=heads[part] if row.pairs and part in heads else 0,
                          minus=float(row.one_more and part.endswith("norm")))
        else:
            stem, _, last = full.rpartition(".")
            if stem == ROPE_FACTORS and row.one_rope:
                yield replace(whole, name=stem)
            if stem not in OUTSIDE:
                yield replace(whole, name=f"{(OUTER | row.names)[stem]}.{last}", minus=float(row.one_more and stem == "output_norm"))
