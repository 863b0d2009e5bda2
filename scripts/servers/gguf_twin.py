"""Writes the GGUF twin of a checkpoint of the bundle, for llama.cpp: the same numbers, tokenizer, template and stop ids.

    python -m scripts.servers.gguf_twin fixtures/bundle/qwen3 FILE [--type F16]

Needs the package gguf. Matrices have the type that --type names (default F32), vectors are F32, as llama.cpp requires.
"""

from __future__ import annotations

import argparse
import json
import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np

ARCHITECTURES = {"qwen3": gguf.MODEL_ARCH.QWEN3, "gemma4_text": gguf.MODEL_ARCH.GEMMA4}
TYPES = {name: (gguf.GGMLQuantizationType[name], gguf.LlamaFileType[kind]) for name, kind in (
    ("F32", "ALL_F32"), ("F16", "MOSTLY_F16"), ("BF16", "MOSTLY_BF16"), ("Q8_0", "MOSTLY_Q8_0"))}
# Special tokens that llama.cpp writes into the text, where its parsers of reasoning and calls look for them
VISIBLE = {"<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>'}
NOT_ROTATED = 1e30  # divides the frequency of a pair that proportional RoPE leaves as it is


class Twin:
    """bundle: a directory of the bundle, whose `model` has the older spelling of config.json."""

    def __init__(self, bundle: Path, path: Path, kind: str):
        self.model = bundle / "model"
        self.config = json.loads((self.model / "config.json").read_text())
        self.architecture = ARCHITECTURES[self.config["model_type"]]
        self.kind, file_type = TYPES[kind]
        self.writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[self.architecture])
        self.writer.add_file_type(file_type)
        self.writer.add_name(f"assay-bundle-{bundle.name}")

    def write(self) -> None:
        self.describe()
        if self.architecture is gguf.MODEL_ARCH.GEMMA4:
            self.describe_gemma4()
        self.describe_tokenizer()
        self.add_tensors()
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()

    def describe(self) -> None:
        writer, config = self.writer, self.config
        writer.add_context_length(config["max_position_embeddings"])
        writer.add_embedding_length(config["hidden_size"])
        writer.add_block_count(config["num_hidden_layers"])
        writer.add_feed_forward_length(config["intermediate_size"])
        writer.add_head_count(config["num_attention_heads"])
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        if self.architecture is gguf.MODEL_ARCH.QWEN3:
            writer.add_rope_freq_base(float(config["rope_theta"]))
            writer.add_key_length(config["head_dim"])
            writer.add_value_length(config["head_dim"])

    def describe_gemma4(self) -> None:
        """Sliding layers have head sizes and a RoPE of their own, whose members end with `_swa`."""
        writer, config = self.writer, self.config
        slides = [kind == "sliding_attention" for kind in config["layer_types"]]
        ropes = config["rope_parameters"]
        writer.add_sliding_window(config["sliding_window"])
        writer.add_sliding_window_pattern(slides)
        writer.add_shared_kv_layers(config["num_kv_shared_layers"])
        writer.add_final_logit_softcapping(config["final_logit_softcapping"] or 0.0)  # without it llama.cpp caps at 30
        writer.add_embedding_length_per_layer_input(config["hidden_size_per_layer_input"])
        wide, narrow = config["global_head_dim"], config["head_dim"]
        writer.add_key_length(wide)
        writer.add_value_length(wide)
        writer.add_key_length_swa(narrow)
        writer.add_value_length_swa(narrow)
        writer.add_rope_dimension_count(wide)
        writer.add_rope_dimension_count_swa(narrow)
        writer.add_rope_freq_base(ropes["full_attention"]["rope_theta"])
        writer.add_rope_freq_base_swa(ropes["sliding_attention"]["rope_theta"])
        rotated = int(wide * ropes["full_attention"]["partial_rotary_factor"]) // 2
        factors = [1.0] * rotated + [NOT_ROTATED] * (wide // 2 - rotated)
        writer.add_tensor("rope_freqs.weight", np.array(factors, np.float32))

    def describe_tokenizer(self) -> None:
        writer = self.writer
        document = json.loads((self.model / "tokenizer.json").read_text())
        settings = json.loads((self.model / "tokenizer_config.json").read_text())
        added = {token["id"]: token for token in document["added_tokens"]}
        tokens = {id_: text for text, id_ in document["model"]["vocab"].items()}
        tokens |= {id_: token["content"] for id_, token in added.items()}
        texts = [tokens[id_] for id_ in range(self.config["vocab_size"])]
        gemma = self.architecture is gguf.MODEL_ARCH.GEMMA4
        writer.add_tokenizer_model("gemma4" if gemma else "gpt2")
        if not gemma:
            writer.add_tokenizer_pre("qwen2")
        writer.add_token_list(texts)
        if gemma:
            writer.add_token_scores([0.0] * len(texts))
            writer.add_add_space_prefix(False)
        writer.add_token_types([token_type(text, added.get(id_)) for id_, text in enumerate(texts)])
        merges = document["model"]["merges"]
        writer.add_token_merges([one if isinstance(one, str) else " ".join(one) for one in merges])
        ids = {text: id_ for id_, text in enumerate(texts)}
        if settings["bos_token"]:
            writer.add_bos_token_id(ids[settings["bos_token"]])
        writer.add_add_bos_token(bool(settings["bos_token"]))
        writer.add_eos_token_id(ids["<turn|>" if gemma else settings["eos_token"]])
        writer.add_pad_token_id(ids[settings["pad_token"]])
        writer.add_chat_template((self.model / "chat_template.jinja").read_text())

    def add_tensors(self) -> None:
        names = gguf.get_tensor_name_map(self.architecture, self.config["num_hidden_layers"])
        for name, array in tensors(self.model / "model.safetensors"):
            if name.endswith("layer_scalar"):
                name, array = name + ".weight", array.reshape(1)
            theirs = names.get_name(name, try_suffixes=(".weight",))
            if theirs is None:
                raise RuntimeError(f"{name}: gguf has no name for it")
            kind = self.kind if array.ndim > 1 else gguf.GGMLQuantizationType.F32
            self.writer.add_tensor(theirs, gguf.quants.quantize(array, kind), raw_dtype=kind)


def token_type(text: str, added: dict[str, Any] | None) -> int:
    if added is not None:
        visible = text in VISIBLE or not added["special"]
        return gguf.TokenType.USER_DEFINED if visible else gguf.TokenType.CONTROL
    if len(text) == 6 and text.startswith("<0x"):
        return gguf.TokenType.BYTE
    return gguf.TokenType.NORMAL


def tensors(path: Path) -> Any:
    """(name, array) of each tensor of a safetensors file in float32."""
    data = path.read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    header.pop("__metadata__", None)
    for name, said in header.items():
        if said["dtype"] != "F32":
            raise RuntimeError(f"{path}: {name} is {said['dtype']}, expected F32")
        begin, end = said["data_offsets"]
        yield name, np.frombuffer(data[8 + n + begin:8 + n + end], np.float32).reshape(said["shape"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--type", choices=TYPES, default="F32")
    options = parser.parse_args()
    Twin(options.bundle, options.file, options.type).write()
