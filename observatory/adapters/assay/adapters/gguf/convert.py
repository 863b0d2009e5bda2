"""Writes the GGUF file of a checkpoint, for llama.cpp: its numbers unchanged, or, with compute BF16, matrices rounded to bfloat16."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assay import checkpoint
from assay.checkpoint import Stored
from assay.errors import FormatError, Unsupported

from . import families
from .families import LAYER, TOP, Config, Family
from .write import FILE_TYPES, File

PREFIXES = ("model.language_model.", "language_model.model.", "model.")
DERIVED = re.compile(r"rotary_emb\.inv_freq$")
EXPERT = re.compile(r"^(mlp\.experts)\.(\d+)\.(.+)$")
FUSED = {"mlp.experts.gate_up_proj": ("gate_proj", "up_proj"), "mlp.experts.down_proj": ("down_proj",)}
Tensors = dict[str, Stored]


def write(directory: Path, path: Path, kind: str) -> tuple[Family, Config, frozenset[str]]:
    """kind: the type of matrices, F32 or BF16. Returns also which of attn_output and ffn_down have a bias."""
    document = checkpoint.read_json(directory / "config.json")
    for name in ("quantization", "quantization_config"):
        if any(holder.get(name) for holder in (document, document.get("text_config") or {})):
            raise Unsupported(f"config.json: {name} is not supported: llama.cpp has other groups and scales")
    tensors = checkpoint.checkpoint(directory)
    text = families.text_config(document, any(name.endswith("lm_head.weight") for name in tensors))
    family = families.find(text)
    try:
        config = families.completed(family, text)
        file = File(path, family.architecture)
        file.value("general.file_type", FILE_TYPES[kind])
        families.describe(file, family, config)
    except KeyError as error:
        raise FormatError(f"config.json: {error.args[0]} is missing") from error
    for name, tensor in placed(family, config, decoder(tensors, text is not document)):
        file.tensor(name, tensor, kind)
    file.write()
    biases = [tensor.name.split(".")[2] for tensor in file.tensors if tensor.name.endswith(("attn_output.bias", "ffn_down.bias"))]
    return family, config, frozenset(biases)


def decoder(tensors: Tensors, has_towers: bool) -> Tensors:
    """The tensors of the decoder, without prefixes. Those of towers are left out: a step with an image is refused."""
    found: Tensors = {}
    for name, tensor in tensors.items():
        base = next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)
        if base.removeprefix("language_model.") == "lm_head.weight":
            base = "lm_head.weight"
        is_decoder = base == "lm_head.weight" or base.split(".")[0] in ("layers", *TOP, *families.GEMMA4_TOP)
        if is_decoder and base not in found:
            found[base] = tensor
        elif is_decoder or not has_towers:
            raise FormatError(f"{name}: " + ("another tensor has its place" if is_decoder else "no such tensor is known"))
    return found


def placed(family: Family, config: Config, tensors: Tensors) -> Iterator[tuple[str, Stored]]:
    """(name in GGUF, tensor): of what llama.cpp expects, and no more."""
    yield from head(family, config, tensors)
    for index in range(config["num_hidden_layers"]):
        prefix = f"layers.{index}."
        layer = {name.removeprefix(prefix): tensors.pop(name) for name in sorted(tensors) if name.startswith(prefix)}
        for name, tensor in stacked(config, layer).items():
            if not DERIVED.search(name):
                yield f"blk.{index}.{place(family, name)}", changed(family, config, name, tensor)
    for name, tensor in tensors.items():
        base, suffix = name.rsplit(".", 1)
        theirs = {**TOP, **family.top}.get(base)
        if theirs is None or suffix != "weight":
            raise FormatError(f"{name}: no such tensor is known of {family.architecture}")
        if base.startswith("embed_tokens") and tensor.shape[0] != config["vocab_size"]:
            raise Unsupported(f"{name}: {tensor.shape[0]} rows; llama.cpp needs as many as vocab_size, {config['vocab_size']}")
        yield f"{theirs}.weight", changed(family, config, base, tensor)


def head(family: Family, config: Config, tensors: Tensors) -> Iterator[tuple[str, Stored]]:
    """The head, if it is not tied. An architecture that has no tied heads gets a copy of the embedding."""
    stored = tensors.pop("lm_head.weight", None)
    if "embed_tokens.weight" not in tensors:
        raise FormatError("no tensor embed_tokens.weight")
    if config["tie_word_embeddings"]:
        if family.head == "untied":
            yield "output.weight", tensors["embed_tokens.weight"]
        return
    if family.head == "tied":
        raise Unsupported(f"tie_word_embeddings: false: llama.cpp's {family.architecture} has no head of its own")
    if stored is None:
        raise FormatError("no tensor lm_head.weight, but tie_word_embeddings is false")
    yield "output.weight", stored


def place(family: Family, name: str) -> str:
    """Where the tensor of a layer goes."""
    names = {**LAYER, **family.names}
    base, _, suffix = name.rpartition(".")
    if suffix == "bias" and base in names:
        if base not in family.biases:
            raise Unsupported(f"{name}: llama.cpp's {family.architecture} has no such bias")
        return f"{names[base]}.bias"
    theirs = names.get(base if suffix == "weight" else name)
    if theirs is None:
        raise FormatError(f"{name}: no such tensor is known of {family.architecture}")
    return theirs if theirs.endswith(".scale") else f"{theirs}.weight"


# ---- Values ----

def stacked(config: Config, layer: Tensors) -> Tensors:
    """Experts of Qwen3-MoE, each alone or fused, as the three stacks that llama.cpp reads. Some systems write fused ones transposed."""
    experts: dict[str, dict[int, Stored]] = {}
    found: Tensors = {}
    for name, tensor in layer.items():
        if (match := EXPERT.match(name)) is not None:
            experts.setdefault(f"{match[1]}.{match[3]}", {})[int(match[2])] = tensor
        elif name in FUSED:
            parts, n_in = FUSED[name], config["hidden_size" if name.endswith("gate_up_proj") else "moe_intermediate_size"]
            is_transposed = tensor.shape[1] == n_in and tensor.shape[2] != n_in
            values = tensor.values.swapaxes(1, 2) if is_transposed else tensor.values
            found |= {f"mlp.experts.{part}": Stored(tensor.dtype, share) for part, share in zip(parts, np.split(values, len(parts), 1))}
        else:
            found[name] = tensor
    for name, parts_of in experts.items():
        if sorted(parts_of) != list(range(len(parts_of))):
            raise FormatError(f"{name}: experts {sorted(parts_of)}")
        found[name] = Stored(parts_of[0].dtype, np.stack([parts_of[i].values for i in range(len(parts_of))]))
    return found


def changed(family: Family, config: Config, name: str, tensor: Stored) -> Stored:
    """A tensor as llama.cpp computes with it."""
    if name.endswith(("_proj.weight", "_proj.bias")) and name.startswith("self_attn."):
        for part, n_heads in (("q_proj", config["num_attention_heads"]), ("k_proj", config["num_key_value_heads"])):
            if part in name and family.interleaved:
                tensor = Stored(tensor.dtype, interleaved(tensor.values, n_heads))
        if "q_proj" in name and family.query_factor is not None:
            factor = family.query_factor(config)
            tensor = tensor if factor == 1 else Stored("F32", (tensor.float32().astype(np.float64) * factor).astype(np.float32))
    if family.norm_offset and (name.endswith("norm.weight") or name == "norm"):
        tensor = Stored("F32", tensor.float32() + np.float32(family.norm_offset))
    return Stored(tensor.dtype, tensor.values.reshape(1)) if math.prod(tensor.shape) == 1 and tensor.values.ndim == 0 else tensor


def interleaved(values: np.ndarray, n_heads: int) -> np.ndarray:
    """Rows of each head, of which i and i + half are a pair, so that pairs are neighbours."""
    return values.reshape(n_heads, 2, -1, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
