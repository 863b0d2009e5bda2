"""What the published dequantisers make of a stored matrix. Each gives float32, float16 or bfloat16 numbers [n_out, n_in]; a
package that is not installed gives none."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import packed
from .ggml import Type
from .packed import Config, Stored, Tensors

TORCH = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F8_E4M3": torch.float8_e4m3fn,
         "F8_E8M0": torch.float8_e8m0fnu, "I8": torch.int8, "U8": torch.uint8, "I32": torch.int32, "I64": torch.int64}

Found = tuple[str, torch.Tensor, int]  # who, the numbers, and how often they were rounded


def tensor(stored: Stored) -> torch.Tensor:
    return torch.frombuffer(bytearray(stored.data.tobytes()), dtype=torch.uint8).view(TORCH[stored.dtype]).reshape(stored.shape)


def is_installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def module(package: str, path: str) -> Any:
    """A file of a package whose own import needs more than it needs."""
    place = Path(importlib.util.find_spec(package).origin).parent / path
    spec = importlib.util.spec_from_file_location(f"of_{package}", place)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def ggml(kind: Type, n_out: int, n_in: int, data: np.ndarray) -> Iterator[Found]:
    """ggml's C, of the library that ASSAY_GGML names, gguf-py's numpy and transformers' torch."""
    from transformers.integrations.gguf import dequant
    if "ASSAY_GGML" in os.environ and kind.name.lower() not in ("f32", "f16", "bf16"):
        library = ctypes.CDLL(os.environ["ASSAY_GGML"])
        name = kind.name if kind.name.endswith("_K") else kind.name.lower()
        function = library[f"dequantize_row_{name.replace('Q', 'q')}"]
        out = np.empty(n_out * n_in, np.float32)
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        function.restype = None
        copy = np.ascontiguousarray(data)
        function(copy.ctypes.data, out.ctypes.data, out.size)
        yield "ggml", torch.from_numpy(out.reshape(n_out, n_in)), 1
    if is_installed("gguf"):
        import gguf
        known = getattr(gguf.GGMLQuantizationType, kind.name, None)
        if known is not None:
            try:
                found = gguf.quants.dequantize(data.reshape(n_out, -1), known)
            except NotImplementedError:
                found = None
            if found is not None:
                yield "gguf", torch.from_numpy(np.array(found.reshape(n_out, n_in))), 1
    if kind.number in dequant.GGML_BLOCK:
        yield "transformers", dequant.dequantize(torch.from_numpy(data.copy()), kind.number).reshape(n_out, n_in), 1


def fp8(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    from transformers.integrations import finegrained_fp8
    if f"{x}.weight_scale_inv" not in tensors:  # vLLM's name
        return
    weight, scale = tensor(tensors[f"{x}.weight"]), tensor(tensors[f"{x}.weight_scale_inv"])
    if weight.dtype == torch.int8:
        yield "transformers", finegrained_fp8.Fp8Dequantize(None)._dequantize_one(weight, scale, torch.float32), 1
        return
    block = settings.get("weight_block_size")
    yield "transformers", finegrained_fp8._dequantize_fp8_weight(weight, scale, block, torch.float32), 1


def compressed(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    if not is_installed("compressed_tensors") or f"{x}.weight_g_idx" in tensors:  # no version that reads it is left
        return
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationScheme
    group = packed.scheme(x, settings)
    scheme = QuantizationScheme.model_validate({k: v for k, v in group.items() if k != "format"})
    state = {name.removeprefix(f"{x}."): tensor(stored) for name, stored in tensors.items()}
    found = BaseCompressor.get_value_from_registry(group["format"]).decompress(state, scheme)["weight"]
    yield "compressed-tensors", found, 1


def modelopt(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    weight, scale = tensor(tensors[f"{x}.weight"]), tensor(tensors[f"{x}.weight_scale"])
    scale2 = tensors.get(f"{x}.weight_scale_2")
    if not is_installed("modelopt") or scale2 is None or scale.dtype != torch.float8_e4m3fn or f"{x}.pre_quant_scale" in tensors:
        return
    from modelopt.torch.quantization.qtensor import NVFP4QTensor
    shape = torch.Size((weight.shape[0], 2 * weight.shape[1]))
    made = NVFP4QTensor(shape, torch.float32, weight)
    yield "modelopt", made.dequantize(torch.float32, scale=scale, double_scale=tensor(scale2),
                                        block_sizes={-1: shape[1] // scale.shape[1]}), 2


def mxfp4(x: str, tensors: Tensors, _settings: Config) -> Iterator[Found]:
    from transformers.integrations import mxfp4 as theirs
    blocks, scales = tensor(tensors[f"{x}_blocks"]), tensor(tensors[f"{x}_scales"])
    found = theirs.convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
    yield "transformers", found.transpose(1, 2).reshape(-1, found.shape[1]), 1


def awq(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    if not is_installed("awq"):
        return
    parts = [tensor(tensors[f"{x}.{name}"]) for name in ("qweight", "qzeros", "scales")]
    found = module("awq", "utils/packing_utils.py").dequantize_gemm(*parts, 4, settings["group_size"])
    yield "autoawq", found.T, 1


def gptq(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    if not is_installed("gptqmodel"):
        return
    from gptqmodel.nn_modules.qlinear import PackableQuantLinear
    layer = PackableQuantLinear.__new__(PackableQuantLinear)
    torch.nn.Module.__init__(layer)
    bits = settings["bits"]
    for name in ("qweight", "qzeros", "scales", "g_idx"):
        layer.register_buffer(name, tensor(tensors[f"{x}.{name}"]))
    layer.bits, layer.planar, layer.maxq, layer.pack_dtype_bits, layer.pack_factor = bits, False, 2 ** bits - 1, 32, 32 // bits
    layer.dequant_dtype, layer.enable_wf_unsqueeze = torch.int16 if bits == 8 else torch.int8, True
    if settings["checkpoint_format"] == "gptq":
        from gptqmodel.utils.model_dequant import _correct_gptq_v1_qzeros
        layer.qzeros = _correct_gptq_v1_qzeros(layer.qzeros, bits)
    yield "gptqmodel", layer.dequantize_weight().T, 1


def bitsandbytes(x: str, tensors: Tensors, _settings: Config) -> Iterator[Found]:
    if not is_installed("bitsandbytes"):
        return
    from bitsandbytes.backends.default import ops
    weight = tensor(tensors[f"{x}.weight"])
    if f"{x}.SCB" in tensors:
        yield "bitsandbytes", torch.ops.bitsandbytes.int8_vectorwise_dequant(weight, tensor(tensors[f"{x}.SCB"])), 3
        return
    state = json.loads(next(stored for name, stored in tensors.items() if "quant_state" in name).data.tobytes())
    absmax, rounded = tensor(tensors[f"{x}.weight.absmax"]), 1
    if "nested_blocksize" in state:
        maps = [tensor(tensors[f"{x}.weight.{name}"]) for name in ("nested_absmax", "nested_quant_map")]
        absmax = ops._dequantize_blockwise_compute(absmax, *maps, state["nested_blocksize"], torch.float32)
        absmax, rounded = absmax + state["nested_offset"], 3
    yield "bitsandbytes", ops._dequantize_4bit_compute(weight.reshape(-1), absmax, tensor(tensors[f"{x}.weight.quant_map"]),
                                                       state["blocksize"], state["shape"], torch.float32), rounded


def mlx(x: str, tensors: Tensors, settings: Config) -> Iterator[Found]:
    """In float32, in which the product of a code with a scale of 16 bits is exact."""
    codes, scales, biases = (tensors[f"{x}.{name}"] for name in ("weight", "scales", "biases"))
    if not is_installed("mlx") or "F32" in (scales.dtype, biases.dtype):
        return
    import mlx.core as mx
    groups, words = scales.shape[-1], codes.shape[-1]
    group = packed.group_of_mlx(x, settings)
    parts = [mx.array(tensor(stored).float().numpy()) for stored in (scales, biases)]
    found = mx.dequantize(mx.array(codes.data.view("<u4").reshape(codes.shape)), *parts, group_size=group, bits=32 * words // (groups * group), stream=mx.cpu)
    yield "mlx", torch.from_numpy(np.array(found)), 1


METHODS = {"fp8": fp8, "compressed-tensors": compressed, "modelopt": modelopt, "mxfp4": mxfp4, "awq": awq, "gptq": gptq,
           "bitsandbytes": bitsandbytes, "mlx": mlx}


WHOLE, SAMPLED, DRAWN = 1 << 18, 1 << 14, 2  # numbers of a matrix that is compared wholly, numbers of a block of another, blocks that are drawn


def sample(n_out: int, n_in: int, seed: int) -> list[tuple[int, int]]:
    """Blocks of rows in which a matrix is compared: the first rows, the last ones, and DRAWN others that numpy's default_rng draws with this seed; of a
    small matrix all rows."""
    n = max(1, SAMPLED // max(1, n_in))
    if n_out * n_in <= WHOLE or n_out <= n:
        return [(0, n_out)]
    drawn = np.random.default_rng(seed).integers(0, n_out - n + 1, DRAWN)
    return [(int(begin), int(begin) + n) for begin in (0, n_out - n, *drawn)]


def once(exact: np.ndarray, dtype: torch.dtype) -> np.ndarray:
    """float64 numbers rounded once to a type, as float64."""
    if dtype is not torch.bfloat16:
        with np.errstate(over="ignore"):
            return exact.astype({torch.float32: np.float32, torch.float16: np.float16}[dtype]).astype(np.float64)
    near = exact.astype(np.float32)  # made odd where it is not exact, so that the second rounding sees it
    bits = near.view(np.uint32)
    below = np.where(np.abs(near.astype(np.float64)) > np.abs(exact), bits - 1, bits)
    odd = np.where(near.astype(np.float64) != exact, below | 1, bits).astype(np.uint32)
    return torch.from_numpy(odd.view(np.float32)).to(torch.bfloat16).to(torch.float64).numpy()


def differences(exact: np.ndarray, found: Found) -> str:
    """Why a published result is not the exact one as often rounded as it says; empty: it is."""
    who, numbers, rounded = found
    theirs = numbers.to(torch.float64).numpy()
    ours = once(exact, numbers.dtype)
    same = (theirs == ours) | (np.isnan(theirs) & np.isnan(ours))
    same |= theirs == once(once(exact, torch.float32), numbers.dtype)  # a division in float32 may end on a tie of the narrower type
    if rounded > 1:
        step = torch.finfo(numbers.dtype).eps
        tiny = float(torch.finfo(numbers.dtype).tiny) * step
        with np.errstate(invalid="ignore"):
            same |= np.abs(theirs - exact) <= rounded / 2 * step * np.maximum(np.abs(exact), np.abs(ours)) + rounded * tiny
    if same.all():
        return ""
    at = tuple(np.argwhere(~same)[0])
    return f"{who} makes {(~same).sum()} of {same.size} other numbers: at {at} {theirs[at]!r}, here {ours[at]!r}"
