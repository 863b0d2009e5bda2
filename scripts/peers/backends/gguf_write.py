"""Writes GGUF files for llama.cpp: a Qwen3 checkpoint in float32 or bfloat16 unchanged, and the float32 one
quantised by llama.cpp's own quantiser. The files have no vocabulary: inputs are token ids."""

from __future__ import annotations

import ctypes
import json
import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np

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


def tensors(path: Path) -> Any:
    """(name, type, array) of each tensor; the array is a memory map of the file, bfloat16 as uint16."""
    with open(path, "rb") as file:
        n = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(n))
    header.pop("__metadata__", None)
    for name, said in header.items():
        kind = {"F32": np.float32, "BF16": np.uint16}[said["dtype"]]
        yield name, said["dtype"], np.memmap(path, kind, "r", 8 + n + said["data_offsets"][0],
                                             tuple(said["shape"]))


def describe(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_name("random weights")
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(float(config["rope_theta"]))
    writer.add_tokenizer_model("no_vocab")


def convert(directory: Path, path: Path) -> None:
    """Writes matrices in their stored type, and vectors in float32, which llama.cpp requires."""
    config = json.loads((directory / "config.json").read_text())
    writer = gguf.GGUFWriter(path, "qwen3")
    describe(writer, config)
    wide = config["torch_dtype"] == "float32"
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if wide else gguf.LlamaFileType.MOSTLY_BF16)
    for name, kind, array in tensors(directory / "model.safetensors"):
        if kind == "F32":
            writer.add_tensor(their_name(name), array)
        elif array.ndim == 1:
            writer.add_tensor(their_name(name), (array.astype(np.uint32) << 16).view(np.float32))
        else:
            writer.add_tensor(their_name(name), array.view(np.uint8),
                              raw_dtype=gguf.GGMLQuantizationType.BF16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantise(source: Path, kind: str, path: Path) -> None:
    import llama_cpp
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = getattr(llama_cpp, kind)
    status = llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(),
                                            ctypes.byref(params))
    if status != 0:
        raise RuntimeError(f"llama_model_quantize answers {status} for {source}")
