"""The published layouts of experts."""

from __future__ import annotations

import re

import torch


def turn_experts(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Fused experts with their last two axes swapped."""
    return {name: tensor.transpose(-1, -2).contiguous() if ".experts." in name else tensor
            for name, tensor in state.items()}


def mixtral_experts(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """One matrix per expert, under the names of Mixtral's published files."""
    names = {"gate_proj": "w1", "up_proj": "w3", "down_proj": "w2"}
    return {re.sub(r"(gate|up|down)_proj(?=\.weight$)", lambda m: names[m[0]], name.replace(".mlp.", ".block_sparse_moe.")): tensor
            for name, tensor in split_experts(state).items()}


def split_experts(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """experts.gate_up_proj [E, 2I, H] and experts.down_proj [E, H, I] as one matrix per expert."""
    out: dict[str, torch.Tensor] = {}
    for name, tensor in state.items():
        stem, _, last = name.rpartition(".")
        if last == "gate_up_proj" and tensor.dim() == 3:
            for index, both in enumerate(tensor):
                gate, up = both.chunk(2, dim=0)
                out[f"{stem}.{index}.gate_proj.weight"] = gate
                out[f"{stem}.{index}.up_proj.weight"] = up
        elif last == "down_proj" and tensor.dim() == 3:
            out |= {f"{stem}.{i}.down_proj.weight": one for i, one in enumerate(tensor)}
        else:
            out[name] = tensor
    return out
