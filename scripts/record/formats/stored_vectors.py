"""Writes lib/model/numerics/tests/vectors/stored.json: random matrices in every format of stored weights.

`python -m scripts.record.formats.stored_vectors [FILE [SEED [TIMES]]]`. A vector has `settings` (quantization_config) or `type` (ggml's
number), `matrix` (the name X of the matrix), `tensors` (name: dtype, shape, bytes as hexadecimal digits) and `values`, a tensor too: the exact
numbers, rounded once to F64, or F32 where that holds all of them. The published dequantisers that are installed (ASSAY_GGML names libggml-base) must
give them rounded as they do; with TIMES, the check is repeated with other seeds, and nothing is written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from . import ggml, packed, published
from .layout import Matrix, rounded
from .packed import Config, Stored

GGUF_X = "blk.0.ffn_up.weight"
X = "model.layers.0.mlp.up_proj"
PLACE = Path("lib/model/numerics/tests/vectors/stored.json")


@dataclass(frozen=True)
class Vector:
    name: str
    tensors: dict[str, Stored]
    settings: Config = field(default_factory=dict)
    kind: ggml.Type | None = None
    matrix: str = X

    def stored(self) -> Matrix:
        if self.kind is None:
            return packed.matrix(self.matrix, self.tensors, self.settings)
        stored = self.tensors[self.matrix]
        scale = self.tensors.get(self.matrix.replace(".weight", ".scale"))
        return ggml.matrix(self.kind, *stored.shape, stored.data, None if scale is None else packed.array(scale))

    def published(self) -> Iterator[published.Found]:
        if self.kind is None:
            return published.METHODS[self.settings["quant_method"]](self.matrix, self.tensors, self.settings)
        if len(self.tensors) > 1:
            return iter(())  # the numbers of blocks alone
        stored = self.tensors[self.matrix]
        return published.ggml(self.kind, *stored.shape, stored.data)


def raw(dtype: str, numbers: np.ndarray) -> Stored:
    return Stored(dtype, numbers.shape, np.ascontiguousarray(numbers).reshape(-1).view(np.uint8))


def words(rng: np.random.Generator, *shape: int) -> Stored:
    return raw("I32", rng.integers(-2 ** 31, 2 ** 31, shape).astype("<i4"))


def octets(rng: np.random.Generator, *shape: int, high: int = 256, dtype: str = "U8") -> Stored:
    return raw(dtype, rng.integers(0, high, shape).astype(np.uint8))


def e4m3(rng: np.random.Generator, *shape: int) -> Stored:
    """Every pattern but the two of NaN."""
    found = rng.integers(0, 254, shape)
    return raw("F8_E4M3", (found + (found >= 127)).astype(np.uint8))


def halves(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """f16 scales: usual ones of both signs, subnormal, the largest, zeros."""
    found = (rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 3, shape)).astype("<f2")
    odd = np.array([1, 0x3ff, 0x8155, 0x400, 0x7bff, 0xfbff, 0, 0x8000], "<u2").view("<f2")
    return np.where(rng.integers(0, 3, shape) == 0, rng.choice(odd, shape), found)


def singles(rng: np.random.Generator, dtype: str, *shape: int) -> Stored:
    """F32 or BF16 scales."""
    found = (rng.standard_normal(shape) * 2.0 ** rng.integers(-20, 6, shape)).astype("<f4")
    odd = np.array([1, 0x7fffff, 0x80012345, 0x00800000, 0x71234567, 0], "<u4").view("<f4")
    found = np.where(rng.integers(0, 4, shape) == 0, rng.choice(odd, shape), found).astype("<f4")
    return raw("F32", found) if dtype == "F32" else raw("BF16", (found.view("<u4") >> 16).astype("<u2"))


def of_ggml(rng: np.random.Generator) -> Iterator[Vector]:
    for kind in ggml.ROWS:
        n_out, n_in = (2, 512) if kind.size == 256 else (3, 2 * kind.size) if kind.size > 1 else (3, 5)
        blocks = rng.integers(0, 256, (n_out * n_in // kind.size, kind.length)).astype(np.uint8)
        for part in kind.parts.values():
            for width, base, _ in part.planes:
                if part.kind in ("f16", "bf16", "f32"):
                    drawn = halves(rng, len(blocks)) if part.kind == "f16" else singles(rng, part.kind.upper(), len(blocks)).data
                    blocks[:, base // 8:(base + width) // 8] = drawn.view(np.uint8).reshape(len(blocks), -1)
        if kind.name == "MXFP4":
            blocks[:, 0] = rng.choice([0, 1, 2, 100, 126, 127, 128, 140, 251], len(blocks))
        yield Vector(f"gguf/{kind.name}", {GGUF_X: Stored(kind.name, (n_out, n_in), blocks.reshape(-1))}, kind=kind, matrix=GGUF_X)
    scaled = {GGUF_X: octets(rng, 36), GGUF_X.replace(".weight", ".scale"): raw("F32", np.array([.00137], "<f4"))}
    scaled[GGUF_X] = replace(scaled[GGUF_X], dtype="NVFP4", shape=(1, 64))
    yield Vector("gguf/NVFP4-scale", scaled, kind=ggml.BY_NAME["NVFP4"], matrix=GGUF_X)


def of_fp8(rng: np.random.Generator) -> Iterator[Vector]:
    for name, shape, block, scale in (
            ("tensor", (4, 7), None, singles(rng, "F32")), ("block", (9, 14), [4, 6], singles(rng, "F32", 3, 3)),
            ("block-bf16", (130, 3), [128, 128], singles(rng, "BF16", 2, 1)),
            ("block-wide", (3, 130), [128, 128], singles(rng, "F32", 1, 2)),
            ("block-ue8m0", (5, 9), [2, 4], octets(rng, 3, 3, high=200, dtype="F8_E8M0"))):
        settings = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": block}
        yield Vector(f"fp8/{name}", {f"{X}.weight": e4m3(rng, *shape), f"{X}.weight_scale_inv": scale}, settings)
    every = raw("F8_E4M3", np.arange(256, dtype=np.uint8).reshape(16, 16))
    one = raw("F32", np.array(1, "<f4"))
    yield Vector("fp8/patterns", {f"{X}.weight": every, f"{X}.weight_scale_inv": one},
                 {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": None})


def scheme(form: str, inputs: Config | None = None, **weights: object) -> Config:
    return {"quant_method": "compressed-tensors", "format": form, "quantization_status": "compressed", "ignore": ["lm_head"],
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": inputs,
                                          "output_activations": None}}}


def of_compressed(rng: np.random.Generator) -> Iterator[Vector]:
    for bits in (3, 4, 8):
        for n_in, group in ((40 if bits != 3 else 48, 8), (21, None)):
            for symmetric in (True, False):
                n_out, groups = 11, n_in // group if group else 1
                more = {"group_size": group, "strategy": "group"} if group else {"strategy": "channel"}
                tensors = {
                    "weight_packed": words(rng, n_out, -(-n_in * bits // 32)), "weight_shape": raw("I64", np.array([n_out, n_in])),
                    "weight_scale": singles(rng, "BF16", n_out, groups) if symmetric else raw("F16", halves(rng, n_out, groups))}
                if not symmetric:
                    tensors["weight_zero_point"] = words(rng, -(-n_out * bits // 32), groups)
                name = f"pack-{bits}-{'group' if group else 'channel'}{'' if symmetric else '-asymmetric'}"
                yield Vector(f"compressed/{name}", {f"{X}.{k}": v for k, v in tensors.items()},
                             scheme("pack-quantized", num_bits=bits, type="int", symmetric=symmetric, **more))
    order = rng.permutation(np.repeat(np.arange(5), 8)).astype("<i4")
    yield Vector("compressed/pack-4-g_idx", {
        f"{X}.weight_packed": words(rng, 6, 5), f"{X}.weight_shape": raw("I64", np.array([6, 40])),
        f"{X}.weight_scale": singles(rng, "BF16", 6, 5), f"{X}.weight_zero_point": words(rng, 1, 5), f"{X}.weight_g_idx": raw("I32", order)},
        scheme("pack-quantized", num_bits=4, type="int", symmetric=False, strategy="group", group_size=8, actorder="group"))
    yield Vector("compressed/int-channel", {f"{X}.weight": octets(rng, 5, 13, dtype="I8"), f"{X}.weight_scale": singles(rng, "BF16", 5, 1)},
                 scheme("int-quantized", num_bits=8, type="int", symmetric=True, strategy="channel"))
    for name, scale, more in (("channel", (9, 1), {"strategy": "channel"}), ("tensor", (1,), {"strategy": "tensor"}),
                              ("block", (3, 4), {"strategy": "block", "block_structure": [4, 4]})):
        yield Vector(f"compressed/float-{name}", {f"{X}.weight": e4m3(rng, 9, 14), f"{X}.weight_scale": singles(rng, "F32", *scale)},
                     scheme("float-quantized", num_bits=8, type="float", symmetric=True, **more))
    yield Vector("compressed/nvfp4", {
        f"{X}.weight_packed": octets(rng, 5, 24), f"{X}.weight_scale": raw("F8_E4M3", rng.integers(1, 127, (5, 3)).astype(np.uint8)),
        f"{X}.weight_global_scale": raw("F32", np.array([731.4142], "<f4"))},
        scheme("nvfp4-pack-quantized", num_bits=4, type="float", symmetric=True, strategy="tensor_group", group_size=16))
    yield Vector("compressed/mxfp4", {f"{X}.weight_packed": octets(rng, 3, 48), f"{X}.weight_scale": octets(rng, 3, 3, high=251)},
                 scheme("mxfp4-pack-quantized", num_bits=4, type="float", symmetric=True, strategy="group", group_size=32))


def of_nvidia(rng: np.random.Generator) -> Iterator[Vector]:
    yield Vector("modelopt/nvfp4", {
        f"{X}.weight": octets(rng, 5, 24), f"{X}.weight_scale": raw("F8_E4M3", rng.integers(1, 127, (5, 3)).astype(np.uint8)),
        f"{X}.weight_scale_2": raw("F32", np.array(.00137, "<f4"))}, {"quant_method": "modelopt", "quant_algo": "NVFP4"})
    yield Vector("modelopt/fp8", {f"{X}.weight": e4m3(rng, 5, 9), f"{X}.weight_scale": singles(rng, "F32")},
                 {"quant_method": "modelopt", "quant_algo": "FP8"})
    yield Vector("modelopt/fp8-channel", {f"{X}.weight": e4m3(rng, 5, 9), f"{X}.weight_scale": singles(rng, "F32", 5)},
                 {"quant_method": "modelopt", "quant_algo": "FP8_PER_CHANNEL_PER_TOKEN"})
    yield Vector("modelopt/mxfp8", {f"{X}.weight": e4m3(rng, 3, 64), f"{X}.weight_scale": octets(rng, 3, 2, high=200)},
                 {"quant_method": "modelopt", "quant_algo": "MXFP8"})
    for part, rows in (("gate_up_proj", 4), ("down_proj", 3)):
        stack = "model.layers.0.mlp.experts." + part
        yield Vector(f"mxfp4/{part}", {f"{stack}_blocks": octets(rng, 2, rows, 2, 16), f"{stack}_scales": octets(rng, 2, rows, 2, high=251)},
                     {"quant_method": "mxfp4"}, matrix=stack)


def zeros(rng: np.random.Generator, bits: int, *shape: int) -> Stored:
    """Stored zero points of which none has every bit set, which version 1 cannot add 1 to."""
    codes = rng.integers(0, 2 ** bits - 1, (shape[0], shape[1] * 32 // bits))
    stream = (codes[..., None] >> np.arange(bits) & 1).astype(np.uint8).reshape(shape[0], -1)
    return raw("I32", np.packbits(stream, axis=-1, bitorder="little").view("<i4"))


def of_gptq(rng: np.random.Generator) -> Iterator[Vector]:
    yield Vector("awq/gemm", {f"{X}.qweight": words(rng, 24, 2), f"{X}.qzeros": words(rng, 3, 2), f"{X}.scales": raw("F16", halves(rng, 3, 16))},
                 {"quant_method": "awq", "bits": 4, "group_size": 8, "version": "gemm", "zero_point": True})
    for bits, form, act in ((2, "gptq", False), (3, "gptq", True), (3, "gptq_v2", False), (4, "gptq", True), (4, "gptq_v2", True),
                            (8, "gptq", False), (8, "gptq_v2", True)):
        n_in, n_out, group = (32, 32, 8) if bits == 3 else (32, 16, 8) if bits == 2 else (24, 8, 8)
        order = np.repeat(np.arange(n_in // group), group).astype("<i4")
        order = rng.permutation(order) if act else order
        yield Vector(f"gptq/{bits}-{form}{'-act' if act else ''}", {
            f"{X}.qweight": words(rng, n_in * bits // 32, n_out), f"{X}.qzeros": zeros(rng, bits, n_in // group, n_out * bits // 32),
            f"{X}.scales": raw("F16", halves(rng, n_in // group, n_out)), f"{X}.g_idx": raw("I32", order)},
            {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": act, "sym": False, "checkpoint_format": form})


def of_bitsandbytes(rng: np.random.Generator) -> Iterator[Vector]:
    yield Vector("bitsandbytes/int8", {f"{X}.weight": octets(rng, 5, 13, dtype="I8"), f"{X}.SCB": raw("F32", rng.uniform(.01, 3, 5).astype("<f4")),
                                       f"{X}.weight_format": octets(rng, high=1)}, {"quant_method": "bitsandbytes", "load_in_8bit": True})
    nf4 = np.array([-1, -.6961928, -.52507305, -.39491749, -.28444138, -.18477343, -.09105004, 0, .0795803, .1609302, .2461123, .33791524,
                    .44070983, .562617, .72295684, 1], "<f4")
    fp4 = np.array([0, 1 / 192, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4], "<f4")
    for kind, table, nested in (("nf4", nf4, False), ("fp4", np.concatenate([fp4, -fp4]), False), ("nf4", nf4, True)):
        state = {"quant_type": kind, "blocksize": 64, "dtype": "bfloat16", "shape": [5, 50]}
        tensors = {"weight": octets(rng, 125, 1), "weight.quant_map": raw("F32", table)}
        tensors["weight.absmax"] = octets(rng, 4) if nested else raw("F32", rng.uniform(0, 3, 4).astype("<f4"))
        if nested:
            state |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": float(np.float32(.7302))}
            tensors |= {"weight.nested_absmax": raw("F32", np.array([.2113], "<f4")),
                        "weight.nested_quant_map": raw("F32", np.sort(rng.uniform(-1, 1, 256)).astype("<f4"))}
        tensors[f"weight.quant_state.bitsandbytes__{kind}"] = raw("U8", np.frombuffer(json.dumps(state).encode(), np.uint8))
        yield Vector(f"bitsandbytes/{kind}{'-double' if nested else ''}", {f"{X}.{k}": v for k, v in tensors.items()},
                     {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": kind, "bnb_4bit_use_double_quant": nested})


def of_others(rng: np.random.Generator) -> Iterator[Vector]:
    """Spellings and algorithms that fewer checkpoints have."""
    fp8: Config = {"quant_method": "fp8", "activation_scheme": "dynamic"}
    yield Vector("fp8/weight_scale", {f"{X}.weight": e4m3(rng, 4, 7), f"{X}.weight_scale": singles(rng, "F32"), f"{X}.input_scale": singles(rng, "F32")},
                 {**fp8, "activation_scheme": "static"})
    expert = X.replace("mlp.", "mlp.experts.3.")
    yield Vector("fp8/fours", {f"{expert}.weight": octets(rng, 5, 48, dtype="I8"), f"{expert}.weight_scale_inv": octets(rng, 5, 3, high=200, dtype="F8_E8M0")},
                 {**fp8, "weight_block_size": [128, 128], "expert_dtype": "fp4"}, matrix=expert)
    smooth = raw("F32", rng.uniform(.3, 3, 48).astype("<f4"))
    yield Vector("modelopt/nvfp4-awq", {
        f"{X}.weight": octets(rng, 5, 24), f"{X}.weight_scale": raw("F8_E4M3", rng.integers(1, 127, (5, 3)).astype(np.uint8)),
        f"{X}.weight_scale_2": raw("F32", np.array(.00137, "<f4")), f"{X}.pre_quant_scale": smooth}, {"quant_method": "modelopt", "quant_algo": "NVFP4_AWQ"})
    yield Vector("modelopt/w4a8-awq", {
        f"{X}.weight": octets(rng, 3, 48), f"{X}.weight_scale": singles(rng, "F32", 6, 3), f"{X}.weight_scale_2": singles(rng, "F32"),
        f"{X}.pre_quant_scale": smooth}, {"quant_method": "modelopt", "quant_algo": "W4A8_AWQ", "group_size": 16})
    yield Vector("modelopt/mxfp4", {f"{X}.weight": octets(rng, 3, 48), f"{X}.weight_scale": octets(rng, 3, 3, high=251)},
                 {"quant_method": "modelopt", "quant_algo": "W4A8_MXFP4_FP8"})
    yield Vector("modelopt/fp8-block", {f"{X}.weight": e4m3(rng, 3, 130), f"{X}.weight_scale": singles(rng, "F32", 1, 1, 2, 1)},
                 {"quant_method": "modelopt", "quant_algo": "fp8_pb_wo"})


KINDS = (of_ggml, of_fp8, of_compressed, of_nvidia, of_gptq, of_bitsandbytes, of_others)


def written(stored: Stored) -> dict:
    return {"dtype": stored.dtype, "shape": list(stored.shape), "data": stored.data.tobytes().hex()}


def narrowest(numbers: np.ndarray) -> Stored:
    with np.errstate(over="ignore"):
        single = numbers.astype("<f4")
    return raw("F32", single) if np.array_equal(single.astype(float), numbers, equal_nan=True) else raw("F64", numbers.astype("<f8"))


def checked(seed: int, seen: dict[str, int]) -> Iterator[dict]:
    """The vectors as objects; seen counts the comparisons of each published system."""
    for vector in (vector for kind in KINDS for vector in kind(np.random.default_rng([seed, KINDS.index(kind)]))):
        matrix = vector.stored()
        exact = rounded(matrix)
        for found in vector.published():
            if why := published.differences(exact, found):
                raise RuntimeError(f"{vector.name}: {why}")
            seen[found[0]] = seen.get(found[0], 0) + exact.size
        tensors = {name: written(stored) for name, stored in vector.tensors.items()}
        how = {"type": vector.kind.number} if vector.kind else {"settings": vector.settings}
        yield {"name": vector.name, "matrix": vector.matrix, **how, "tensors": tensors, "values": written(narrowest(exact))}


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else PLACE
    seed, times = (int(n) for n in (*arguments[1:], *("0", "0")[len(arguments[1:]):]))
    seen: dict[str, int] = {}
    made = list(checked(seed, seen))
    for more in range(1, times):
        list(checked(seed + more, seen))
    if not times:
        lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in made)
        path.write_text('{"vectors":[\n' + lines + "\n]}\n")
    print(f"{len(made)} vectors; compared:", ", ".join(f"{who} {n}" for who, n in sorted(seen.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
