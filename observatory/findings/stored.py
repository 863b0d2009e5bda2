"""For findings: loaders of quantised checkpoints, where no case shows the fault.

Names families: a finding is about the models that show it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..observe.mlx_lm import prompts
from .ask import FIXTURES, ask, golden, off, shows


@shows
def transformers_fp8_type() -> float:
    """transformers: fp8, widened at loading, in float32."""
    import torch
    import transformers

    from scripts.record.checkpoint.checkpoint import quiet
    quiet()
    torch.set_grad_enabled(False)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        FIXTURES / "qwen3/fp8-block/model", dtype=torch.float32, quantization_config=transformers.FineGrainedFP8Config(dequantize=True))
    types = {str(one.dtype).removeprefix("torch.") for one in model.parameters()}
    try:
        ask(model, prompts(golden("qwen3/fp8-block/single"))[0])
    except RuntimeError as error:
        print(f"  parameters of {' and '.join(sorted(types))}: {error}")
        return np.inf
    return 0.0


def stored_4bit(case: str) -> list[tuple[str, Any, Any, np.ndarray]]:
    """(name, codes, quant_state, the exact values in float64) of the matrices of nf4 of a case."""
    import torch
    from bitsandbytes.functional import QuantState
    from safetensors.torch import load_file
    tensors = load_file(FIXTURES / f"{case}/model/model.safetensors")
    found = []
    for name in sorted(one for one in tensors if one.endswith(".weight.absmax")):
        name = name.removesuffix(".absmax")
        codes = tensors[name]
        state = QuantState.from_dict({key: value for key, value in tensors.items() if key.startswith(name + ".")}, device=torch.device("cpu"))
        nibbles = codes.reshape(-1).numpy()
        values = state.code.double().numpy()[np.stack([nibbles >> 4, nibbles & 15], -1).reshape(-1)]
        scales = np.repeat(state.absmax.double().numpy(), state.blocksize)[:values.size]
        found.append((name, codes, state, (values * scales).reshape(tuple(state.shape))))
    return found


@shows
def bitsandbytes_blocks() -> float:
    """bitsandbytes: dequantize_4bit of matrices of several widths."""
    import torch
    from bitsandbytes.functional import dequantize_4bit, quantize_4bit
    worst = 0.0
    for width in (48, 64, 80, 96, 128, 160, 256):
        weight = torch.randn(32, width, generator=torch.Generator().manual_seed(0)) * torch.arange(1, 33)[:, None]
        codes, state = quantize_4bit(weight, blocksize=64, quant_type="nf4")
        nibbles = codes.reshape(-1).numpy()
        values = state.code.numpy()[np.stack([nibbles >> 4, nibbles & 15], -1).reshape(-1)]
        exact = (values * np.repeat(state.absmax.numpy(), 64)[:values.size]).reshape(32, width)
        found = dequantize_4bit(codes, state).numpy()
        allowed = 2.0 ** -23 * np.abs(exact).max()  # two roundings to float32
        worst = max(worst, off(f"{width} columns, of two roundings to float32", found, exact, allowed))
    return worst


@shows
def bitsandbytes_bfloat16() -> float:
    """bitsandbytes: the matrices of an nf4 checkpoint in the type that it gives them."""
    from bitsandbytes.functional import dequantize_4bit
    worst = 0.0
    for name, codes, state, exact in stored_4bit("llama/bnb-nf4"):
        rounded = dequantize_4bit(codes, state)
        alike = bool((rounded == rounded.bfloat16().to(rounded.dtype)).all())
        print(f"  {name}: {str(rounded.dtype).removeprefix('torch.')}{', numbers of bfloat16' if alike else ''}")
        if alike:
            worst = max(worst, off(name, rounded.float().numpy(), exact, 2.0 ** -23 * np.abs(exact).max()))
    return worst


@shows
def mlx_gguf_float16() -> float:
    """mlx: values that mx.load gives of GGUF files of several types."""
    import mlx.core as mx
    from gguf import GGUFReader, dequantize
    worst = 0.0
    for variant in ("gguf-q4_0", "gguf-q4_1", "gguf-q8_0", "gguf-f16", "gguf-q6_k", "gguf-q5_0"):
        path = str(FIXTURES / f"llama/{variant}/model/model.gguf")
        try:
            loaded = mx.load(path)
        except RuntimeError as error:
            print(f"  {variant}: {error}")
            continue
        for tensor in GGUFReader(path).tensors:
            exact = dequantize(tensor.data, tensor.tensor_type)
            found, name = loaded[tensor.name], tensor.name.removesuffix(".weight")
            if f"{name}.scales" in loaded:
                scales, minima = (loaded[f"{name}.{part}"].astype(mx.float32) for part in ("scales", "biases"))
                found = mx.dequantize(found, scales, minima, 32, found.shape[-1] * 32 // exact.shape[-1])
            if tensor.name == "blk.0.ffn_up.weight":
                allowed = 2.0 ** -23 * np.abs(exact).max()  # two roundings to float32
                worst = max(worst, off(f"{variant} {tensor.name}, of two roundings to float32", np.array(found.astype(mx.float32)), exact, allowed))
    return worst
