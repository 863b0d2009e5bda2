"""Writes the GGUF twin of a checkpoint of the bundle, for llama.cpp: the same numbers, tokenizer, template and stop ids.

    python -m observatory.servers.gguf_twin fixtures/bundle/qwen3 FILE [--type F16]

Needs the package gguf. Matrices have the type that --type names (default F32), vectors are F32, as llama.cpp requires.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gguf

from assay import checkpoint
from assay.adapters.gguf import write as gguf_write

ARCHITECTURES = {"qwen3": gguf.MODEL_ARCH.QWEN3, "gemma4_text": gguf.MODEL_ARCH.GEMMA4}
TYPES = tuple(gguf_write.FILE_TYPES)
# Special tokens that llama.cpp writes into the text, where its parsers of reasoning and calls look for them
VISIBLE = {"<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>'}


class Twin:
    """bundle: a directory of the bundle, whose `model` has the older spelling of config.json."""

    def __init__(self, bundle: Path, path: Path, kind: str):
        self.model = bundle / "model"
        self.config = json.loads((self.model / "config.json").read_text())
        self.architecture = ARCHITECTURES[self.config["model_type"]]
        self.kind = kind
        self.file = gguf_write.File(path, gguf.MODEL_ARCH_NAMES[self.architecture])
        self.file.value("general.file_type", gguf_write.FILE_TYPES[kind])
        self.file.value("general.name", f"assay-bundle-{bundle.name}")

    def write(self) -> None:
        self.describe()
        if self.architecture is gguf.MODEL_ARCH.GEMMA4:
            gguf_write.add_gemma4(self.file, self.config)
        self.describe_tokenizer()
        self.add_tensors()
        self.file.write()

    def describe(self) -> None:
        file, config = self.file, self.config
        gguf_write.add_shape(file, config)
        file.value("{arch}.attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
        if self.architecture is gguf.MODEL_ARCH.QWEN3:
            file.value("{arch}.rope.freq_base", float(config["rope_theta"]))
            gguf_write.add_head_size(file, config["head_dim"])

    def describe_tokenizer(self) -> None:
        document = json.loads((self.model / "tokenizer.json").read_text())
        settings = json.loads((self.model / "tokenizer_config.json").read_text())
        added = {token["id"]: token for token in document["added_tokens"]}
        tokens = {id_: text for text, id_ in document["model"]["vocab"].items()}
        tokens |= {id_: token["content"] for id_, token in added.items()}
        texts = [tokens[id_] for id_ in range(self.config["vocab_size"])]
        gemma = self.architecture is gguf.MODEL_ARCH.GEMMA4
        merges = document["model"]["merges"]
        ids = {text: id_ for id_, text in enumerate(texts)}
        said: dict[str, gguf_write.Value] = {"ggml.model": "gemma4" if gemma else "gpt2"}
        said |= {} if gemma else {"ggml.pre": "qwen2"}
        said |= {"ggml.tokens": texts}
        said |= {"ggml.scores": [0.0] * len(texts), "ggml.add_space_prefix": False} if gemma else {}
        said |= {"ggml.token_type": [int(token_type(text, added.get(id_))) for id_, text in enumerate(texts)],
                 "ggml.merges": [one if isinstance(one, str) else " ".join(one) for one in merges]}
        said |= {"ggml.bos_token_id": ids[settings["bos_token"]]} if settings["bos_token"] else {}
        said |= {"ggml.add_bos_token": bool(settings["bos_token"]), "ggml.eos_token_id": ids["<turn|>" if gemma else settings["eos_token"]],
                 "ggml.padding_token_id": ids[settings["pad_token"]], "chat_template": (self.model / "chat_template.jinja").read_text()}
        for key, value in said.items():
            self.file.value(f"tokenizer.{key}", value)

    def add_tensors(self) -> None:
        names = gguf.get_tensor_name_map(self.architecture, self.config["num_hidden_layers"])
        for name, stored in checkpoint.tensors(self.model / "model.safetensors"):
            if stored.dtype != "F32":
                raise RuntimeError(f"{self.model}: {name} is {stored.dtype}, expected F32")
            array = stored.values
            if name.endswith("layer_scalar"):
                name, array = name + ".weight", array.reshape(1)
            theirs = names.get_name(name, try_suffixes=(".weight",))
            if theirs is None:
                raise RuntimeError(f"{name}: gguf has no name for it")
            quantised = array.ndim > 1 and self.kind == "Q8_0"
            data = gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q8_0) if quantised else array
            self.file.tensor(theirs, data, self.kind, array.shape)


def token_type(text: str, added: dict[str, Any] | None) -> int:
    if added is not None:
        visible = text in VISIBLE or not added["special"]
        return gguf.TokenType.USER_DEFINED if visible else gguf.TokenType.CONTROL
    if len(text) == 6 and text.startswith("<0x"):
        return gguf.TokenType.BYTE
    return gguf.TokenType.NORMAL


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--type", choices=TYPES, default="F32")
    options = parser.parse_args()
    Twin(options.bundle, options.file, options.type).write()
