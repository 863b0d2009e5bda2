"""Writes GGUF files (version 3), with numpy alone; the format is that of docs/gguf.md of the ggml repository.

    file = File(path, "qwen3")
    file.value("qwen3.block_count", 28)
    file.tensor("token_embd.weight", array, "BF16")
    file.write()

The order of values and tensors is the order of the calls.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Union

import numpy as np

from assay.checkpoint import Stored

ALIGNMENT = 32
NOT_ROTATED = 1e30  # divides the frequency of a pair that proportional RoPE leaves as it is
TENSOR_TYPES = {"F32": 0, "F16": 1, "Q8_0": 8, "BF16": 30}
FILE_TYPES = {"F32": 0, "F16": 1, "Q8_0": 7, "BF16": 32}  # general.file_type, by the type of most matrices
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
FORMATS = {UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}

Value = Union[bool, int, float, str, list[bool], list[int], list[float], list[str]]


def rounded(array: np.ndarray) -> np.ndarray:
    """float32 rounded to bfloat16, to nearest and ties to even, as uint16. NaN stays NaN."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    up = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)
    return np.where(np.isnan(array), (bits >> np.uint32(16)) | np.uint32(64), up).astype(np.uint16)


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def scalar(kind: int, value: Any) -> bytes:
    return text(value) if kind == STRING else struct.pack(FORMATS[kind], value)


def kind_of(value: Any, whole: int = UINT32) -> int:
    return BOOL if isinstance(value, bool) else whole if isinstance(value, int) else STRING if isinstance(value, str) else FLOAT32


def encoded(value: Value) -> bytes:
    """Integers are uint32, in arrays int32; numbers with a point are float32."""
    if not isinstance(value, list):
        return struct.pack("<I", kind_of(value)) + scalar(kind_of(value), value)
    kind = kind_of(value[0], INT32)
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(scalar(kind, one) for one in value)


@dataclass(frozen=True)
class Tensor:
    """data: of the type `kind`, or what converts to it when it is written."""

    name: str
    shape: tuple[int, ...]
    kind: str
    data: Any

    def encoded(self) -> np.ndarray:
        """Its bytes, as an array that is written as it is."""
        if self.kind not in ("F32", "F16", "BF16"):
            return self.data
        stored = self.data if isinstance(self.data, Stored) else Stored("F32", self.data)
        if self.kind == stored.dtype:
            return np.ascontiguousarray(stored.values)
        values = stored.float32()
        return {"F32": lambda: np.ascontiguousarray(values, "<f4"), "F16": lambda: values.astype("<f2"), "BF16": lambda: rounded(values)}[self.kind]()

    def n_bytes(self) -> int:
        if self.kind not in ("F32", "F16", "BF16"):
            return self.data.nbytes
        return int(np.prod(self.shape, dtype=np.int64)) * (4 if self.kind == "F32" else 2)


@dataclass
class File:
    path: Path
    architecture: str
    values: dict[str, Value] = field(default_factory=dict)
    tensors: list[Tensor] = field(default_factory=list)

    def value(self, key: str, value: Value) -> None:
        """A value; {arch} in the key is the architecture."""
        self.values[key.replace("{arch}", self.architecture)] = value

    def tensor(self, name: str, data: Any, kind: str = "F32", shape: tuple[int, ...] | None = None) -> None:
        """data: an array of float32, or a Stored, which are converted to `kind`; or for a quantised kind its bytes, with the shape in
        elements. Vectors are F32, as llama.cpp requires, whatever the kind of matrices."""
        shape = tuple(data.shape) if shape is None else shape
        self.tensors.append(Tensor(name, shape, kind if len(shape) > 1 else "F32", data))

    def write(self) -> None:
        with open(self.path, "wb") as file:
            values = {"general.architecture": self.architecture, **self.values}
            file.write(b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(values)))
            for key, value in values.items():
                file.write(text(key) + encoded(value))
            offset = 0
            for tensor in self.tensors:
                dims = tensor.shape[::-1]
                file.write(text(tensor.name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, TENSOR_TYPES[tensor.kind], offset))
                offset += tensor.n_bytes() + -tensor.n_bytes() % ALIGNMENT
            pad(file)
            for tensor in self.tensors:
                file.write(tensor.encoded().tobytes())
                pad(file)


def pad(file: BinaryIO) -> None:
    file.write(bytes(-file.tell() % ALIGNMENT))


def add_shape(file: File, config: dict[str, Any]) -> None:
    """What each decoder has, from config.json in the older spelling or one that is complete."""
    for key, member in (("context_length", "max_position_embeddings"), ("embedding_length", "hidden_size"), ("block_count", "num_hidden_layers"),
                        ("feed_forward_length", "intermediate_size"), ("attention.head_count", "num_attention_heads"),
                        ("attention.head_count_kv", "num_key_value_heads")):
        file.value(f"{{arch}}.{key}", config[member])


def add_head_size(file: File, head_dim: int, suffix: str = "") -> None:
    """suffix: "_swa" for sliding layers, if they differ."""
    file.value(f"{{arch}}.attention.key_length{suffix}", head_dim)
    file.value(f"{{arch}}.attention.value_length{suffix}", head_dim)


def add_gemma4(file: File, config: dict[str, Any]) -> None:
    """What Gemma 4 has besides. Sliding layers have head sizes and a RoPE of their own, whose members end with `_swa`."""
    ropes = config["rope_parameters"]
    wide, narrow = config["global_head_dim"], config["head_dim"]
    file.value("{arch}.attention.sliding_window", config["sliding_window"])
    file.value("{arch}.attention.sliding_window_pattern", [kind == "sliding_attention" for kind in config["layer_types"]])
    file.value("{arch}.attention.shared_kv_layers", config["num_kv_shared_layers"])
    file.value("{arch}.final_logit_softcapping", config["final_logit_softcapping"] or 0.0)  # without it llama.cpp caps at 30
    file.value("{arch}.embedding_length_per_layer_input", config["hidden_size_per_layer_input"])
    add_head_size(file, wide)
    add_head_size(file, narrow, "_swa")
    file.value("{arch}.rope.dimension_count", wide)
    file.value("{arch}.rope.dimension_count_swa", narrow)
    file.value("{arch}.rope.freq_base", float(ropes["full_attention"]["rope_theta"]))
    file.value("{arch}.rope.freq_base_swa", float(ropes["sliding_attention"]["rope_theta"]))
    rotated = int(wide * ropes["full_attention"].get("partial_rotary_factor", 1.0)) // 2
    file.tensor("rope_freqs.weight", np.array([1.0] * rotated + [NOT_ROTATED] * (wide // 2 - rotated), np.float32))
