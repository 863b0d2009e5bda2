"""Writes GGUF files for llama.cpp: a Qwen3 checkpoint in float32 or bfloat16 unchanged, and the float32 one
quantised by llama.cpp's own quantiser. The files have no vocabulary: inputs are token ids."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

from assay import checkpoint
from assay.adapters.gguf import write as gguf_write

# Publisher's name -> GGUF's name, within a layer.
LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm"}
QUANTISED = {"q8_0.gguf": "LLAMA_FTYPE_MOSTLY_Q8_0", "q4_0.gguf": "LLAMA_FTYPE_MOSTLY_Q4_0",
             "q4_k_m.gguf": "LLAMA_FTYPE_MOSTLY_Q4_K_M"}


def write(models: Path, name: str, path: Path) -> None:
    if name in QUANTISED:
        quantise(models / "float32.gguf", QUANTISED[name], path)
    else:
        convert(models / name.removesuffix(".gguf"), path)


def their_name(name: str) -> str:
    base = name.removesuffix(".weight")
    if base in TOP:
        return TOP[base] + ".weight"
    index, rest = base.removeprefix("model.layers.").split(".", 1)
    return f"blk.{index}.{LAYER[rest]}.weight"


def describe(file: gguf_write.File, config: dict[str, Any]) -> None:
    file.value("general.name", "random weights")
    file.value("{arch}.vocab_size", config["vocab_size"])
    gguf_write.add_shape(file, config)
    gguf_write.add_head_size(file, config["head_dim"])
    file.value("{arch}.attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
    file.value("{arch}.rope.freq_base", float(config["rope_theta"]))
    file.value("tokenizer.ggml.model", "no_vocab")


def convert(directory: Path, path: Path) -> None:
    """Writes matrices in their stored type, and vectors in float32, which llama.cpp requires."""
    config = json.loads((directory / "config.json").read_text())
    file = gguf_write.File(path, "qwen3")
    describe(file, config)
    kind = {"float32": "F32", "bfloat16": "BF16"}[config["torch_dtype"]]
    file.value("general.file_type", gguf_write.FILE_TYPES[kind])
    for name, stored in checkpoint.tensors(directory / "model.safetensors"):
        file.tensor(their_name(name), stored, kind)
    file.write()


def quantise(source: Path, kind: str, path: Path) -> None:
    import llama_cpp
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = getattr(llama_cpp, kind)
    status = llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(),
                                            ctypes.byref(params))
    if status != 0:
        raise RuntimeError(f"llama_model_quantize answers {status} for {source}")
