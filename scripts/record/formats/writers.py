"""Writes quantised checkpoints with the packages that publish the formats: each method quantises one matrix, and says what config.json
has of it (quantization_config)."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from . import gguf_writer
from .packed import Config

Tensors = dict[str, torch.Tensor]
LINEAR = r"(proj|experts\.\d+\.\w+)\.weight$"  # matrices that are quantised: neither embeddings, nor heads, nor routers
INPUT_MOST = 4.0  # static scales are made for inputs up to this magnitude


@dataclass(frozen=True)
class Method:
    """matrix: (weight float32 [N, K], or a stack [E, K, N] of gpt-oss's, settings) -> the tensors of X by their names after X. settings: quantization_config, and the
    documents beside config.json."""

    matrix: Callable[[torch.Tensor, Config], Tensors]
    settings: Callable[[Config], Config]
    documents: Callable[[Config], dict[str, Config]] = lambda how: {}
    linear: str = LINEAR  # names of the tensors that are quantised


def fp8_matrix(weight: torch.Tensor, how: Config) -> Tensors:
    """transformers' own operation on whole blocks; a ragged matrix is padded with zeros, as DeepSeek's kernel does."""
    from transformers.integrations.finegrained_fp8 import Fp8Quantize
    block = how.get("weight_block_size")
    n_out, n_in = weight.shape
    rows, columns = block or (n_out, n_in)
    padded = torch.nn.functional.pad(weight, (0, -n_in % columns, 0, -n_out % rows))
    said = SimpleNamespace(weight_block_size=block, scale_fmt=how.get("scale_fmt", "float"))
    made = Fp8Quantize(SimpleNamespace(quantization_config=said)).convert({"X.weight": padded})
    scale = made["X.weight_scale_inv"]
    found = {"weight": made["X.weight"][:n_out, :n_in].contiguous(),
             "weight_scale_inv": scale.to(getattr(torch, how["dtype"]) if "dtype" in how else scale.dtype) if block else scale.reshape(())}
    if how.get("activation_scheme") == "static":
        found["activation_scale"] = torch.tensor(INPUT_MOST / 448)
    return found


def fp8_settings(how: Config) -> Config:
    return {"quant_method": "fp8", "activation_scheme": how.get("activation_scheme", "dynamic"), "fmt": "e4m3",
            "weight_block_size": how.get("weight_block_size"), "modules_to_not_convert": ["lm_head", *how.get("skip", ())],
            **({"scale_fmt": how["scale_fmt"]} if "scale_fmt" in how else {})}


def compressed_scheme(how: Config) -> Any:
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme, preset_name_to_scheme
    if "preset" not in how:
        return QuantizationScheme(targets=how.get("targets", ["Linear"]), weights=QuantizationArgs(**how["weights"]))
    scheme = preset_name_to_scheme(how["preset"], how.get("targets", ["Linear"]))
    if scheme.weights.strategy == "group" and "group_size" in how:
        scheme.weights.group_size = how["group_size"]
    if "block_structure" in how:
        scheme.weights.block_structure = how["block_structure"]
    return scheme


def extremes(weight: torch.Tensor, args: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The smallest and the largest weight that each scale is for, in the scales' shape."""
    n_out, n_in = weight.shape
    if args.strategy == "channel":
        parts = weight.reshape(n_out, 1, n_in)
    elif args.strategy == "tensor":
        parts = weight.reshape(1, -1)
    elif args.strategy == "block":
        rows, columns = args.block_structure
        padded = torch.nn.functional.pad(weight, (0, -n_in % columns, 0, -n_out % rows))
        parts = padded.reshape(padded.shape[0] // rows, rows, -1, columns).transpose(1, 2).reshape(
            padded.shape[0] // rows, padded.shape[1] // columns, -1)
    else:
        parts = weight.reshape(n_out, -1, args.group_size)
    return parts.amin(-1), parts.amax(-1)


def compressed_matrix(weight: torch.Tensor, how: Config) -> Tensors:
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
    scheme = compressed_scheme(how)
    args = scheme.weights
    weight = weight.to(torch.bfloat16)
    state: Tensors = {"weight": weight}
    whole = None
    if args.strategy == "tensor_group":
        whole = generate_gparam(weight.min().float(), weight.max().float())
        state["weight_global_scale"] = whole
    wide = weight.float() if whole is not None else weight
    scale, zero = calculate_qparams(*extremes(wide, args), args, global_scale=whole)
    state["weight_scale"] = scale
    if not args.symmetric:
        state["weight_zero_point"] = zero
    made = BaseCompressor.get_value_from_registry(how["format"]).compress(state, scheme)
    inputs = scheme.input_activations
    if inputs is not None and inputs.strategy == "tensor_group":
        made["input_global_scale"] = generate_gparam(torch.tensor(-INPUT_MOST), torch.tensor(INPUT_MOST))
    elif inputs is not None and not inputs.dynamic:
        made["input_scale"] = torch.tensor([INPUT_MOST / 448], dtype=weight.dtype)
    return {name: tensor.contiguous() for name, tensor in made.items()}


def compressed_settings(how: Config) -> Config:
    """groups: settings of several schemes, each with its targets; there is one without."""
    from compressed_tensors.config import CompressionFormat
    from compressed_tensors.quantization import QuantizationConfig, QuantizationStatus
    schemes = {}
    for index, group in enumerate(how.get("groups", (how,))):
        schemes[f"group_{index}"] = compressed_scheme(group)
        schemes[f"group_{index}"].format = CompressionFormat(group["format"])
    made = QuantizationConfig(config_groups=schemes, format=how["format"], ignore=["lm_head", *how.get("skip", ())],
                              quantization_status=QuantizationStatus.COMPRESSED).to_dict()
    return json.loads(json.dumps(made, default=str))


def group_of(x: str, how: Config) -> Config:
    """The settings of the group of `how` that has the module x."""
    return next((group for group in how.get("groups", ()) if any(re.match(target[3:], x) for target in group["targets"])), how)


def modelopt_matrix(weight: torch.Tensor, how: Config) -> Tensors:
    """The scales as modelopt's quantisers make them of a weight, and the codes as its export packs them. Of the algorithms with AWQ in their
    names the inputs are multiplied by pre_quant_scale, and the weights are divided by it first."""
    from modelopt.torch.export.quant_utils import to_quantized_weight
    from modelopt.torch.quantization.qtensor import MXFP4QTensor, MXFP8QTensor, NVFP4QTensor
    algo, group = how["quant_algo"], how.get("group_size", 16)
    more: Tensors = {}
    if "AWQ" in algo or "_SQ_" in algo:
        more["pre_quant_scale"] = (0.5 + torch.rand(weight.shape[1], generator=torch.Generator().manual_seed(weight.numel()))).to(torch.bfloat16)
        weight = weight / more["pre_quant_scale"].float()
    largest = weight.abs().amax().float()
    if "NVFP4" in algo:
        made, scale, scale2 = NVFP4QTensor.quantize(weight, group)
        more |= {"weight_scale_2": scale2.reshape(()).float(), "input_scale": torch.tensor(INPUT_MOST / (6 * 448))}
        return {"weight": made._quantized_data, "weight_scale": scale.to(torch.float8_e4m3fn), **more}
    if "MXFP" in algo.upper():
        if algo == "MXFP8":
            made, scale = MXFP8QTensor.quantize(weight)
        else:
            made, scale = MXFP4QTensor.quantize(weight, block_size=32)
        return {"weight": made._quantized_data, "weight_scale": scale.reshape(weight.shape[0], -1), **more}
    if algo in ("W4A16_AWQ", "W4A8_AWQ"):
        scale = weight.reshape(weight.shape[0], -1, group).abs().amax(-1).float() / 7
        made = to_quantized_weight(weight, scale, algo.lower().replace("w4a16", "int4"), block_size=group)
        more |= {"weight_scale_2": largest / 448, "input_scale": torch.tensor(INPUT_MOST / 448)} if algo == "W4A8_AWQ" else {}
    elif algo == "FP8":
        scale, more = largest / 448, {"input_scale": torch.tensor(INPUT_MOST / 448)}
        made = to_quantized_weight(weight, scale, "fp8")
    elif algo == "fp8_pb_wo":
        padded = torch.nn.functional.pad(weight, (0, -weight.shape[1] % 128, 0, -weight.shape[0] % 128))
        blocks = padded.reshape(padded.shape[0] // 128, 128, -1, 128).abs().amax((1, 3), keepdim=True)
        scale = blocks.float() / 448
        wide = scale.expand(-1, 128, -1, 128).reshape(padded.shape)[:weight.shape[0], :weight.shape[1]]
        made = (weight / wide).to(torch.float8_e4m3fn)
    else:
        scale = weight.abs().amax(1).float() / (448 if "FP8" in algo else 127)
        made = to_quantized_weight(weight, scale, "fp8_pc_pt" if "FP8" in algo else "int8_sq")
    return {"weight": made, "weight_scale": scale, **more}


def modelopt_document(how: Config) -> Config:
    said: Config = {"quant_algo": how["quant_algo"], "kv_cache_quant_algo": None, "exclude_modules": ["lm_head", *how.get("skip", ())]}
    if "NVFP4" in how["quant_algo"]:
        said["group_size"] = how.get("group_size", 16)
    if "AWQ" in how["quant_algo"]:
        said |= {"group_size": how.get("group_size", 16), "has_zero_point": False, "pre_quant_scale": True}
    return {"producer": {"name": "modelopt", "version": "0.47.0"}, "quantization": said}


def modelopt_settings(how: Config) -> Config:
    from modelopt.torch.export.convert_hf_config import convert_hf_quant_config_format
    return {**convert_hf_quant_config_format(modelopt_document(how)), "quant_method": "modelopt"}


def integer_scales(weight: torch.Tensor, bits: int, group: int, symmetric: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """float16 scales and whole zero points [N, K/g], as pseudo_quantize_tensor of AutoAWQ and the quantiser of GPTQ make them."""
    parts = weight.reshape(weight.shape[0], -1, group)
    most = 2 ** bits - 1
    high, low = parts.amax(-1).clamp(min=0), parts.amin(-1).clamp(max=0)
    if symmetric:
        high = torch.maximum(high, -low)
        low = -high
    scale = ((high - low) / most).clamp(min=1e-5).to(torch.float16)
    zero = torch.full_like(scale, 2 ** (bits - 1), dtype=torch.float32) if symmetric else torch.round(-low / scale.float()).clamp(1, most)
    return scale, zero


def linear(weight: torch.Tensor) -> torch.nn.Linear:
    made = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    made.weight.data = weight
    return made


def awq_matrix(weight: torch.Tensor, how: Config) -> Tensors:
    from awq.modules.linear.gemm import WQLinear_GEMM
    scale, zero = integer_scales(weight, 4, how["group_size"], False)
    # beyond the codes' range from_linear would shift bits into its neighbours
    repeated = [part.float().repeat_interleave(how["group_size"], 1) for part in (scale, zero)]
    kept = weight.clamp(-repeated[1] * repeated[0], (15 - repeated[1]) * repeated[0])
    made = WQLinear_GEMM.from_linear(linear(kept), 4, how["group_size"], scales=scale.T.contiguous(), zeros=zero.T.contiguous())
    return {"qweight": made.qweight, "qzeros": made.qzeros, "scales": made.scales}


def awq_settings(how: Config) -> Config:
    return {"quant_method": "awq", "bits": 4, "group_size": how["group_size"], "version": "gemm", "zero_point": True,
            "modules_to_not_convert": list(how.get("skip", ())) or None}


def gptq_matrix(weight: torch.Tensor, how: Config) -> Tensors:
    from gptqmodel.nn_modules.qlinear import PackableQuantLinear
    from gptqmodel.utils.model_dequant import _revert_gptq_v1_qzeros_correction
    bits = how["bits"]
    group = how["group_size"] if how["group_size"] > 0 else weight.shape[1]
    order = torch.arange(weight.shape[1]) // group
    if how.get("desc_act"):
        order = order[torch.randperm(weight.shape[1], generator=torch.Generator().manual_seed(weight.shape[1]))]
    scale, zero = integer_scales(weight[:, torch.argsort(order, stable=True)], bits, group, how["sym"])
    layer = PackableQuantLinear.__new__(PackableQuantLinear)
    torch.nn.Module.__init__(layer)
    layer.bits, layer.planar, layer.maxq, layer.pack_dtype_bits, layer.pack_factor = bits, False, 2 ** bits - 1, 32, 32 // bits
    layer.pack_np_math_dtype, layer.pack_np_dtype, layer.pack_dtype = np.uint32, np.int32, torch.int32
    layer.pack_original(linear(weight), scale.float(), zero, order.to(torch.int32))
    zeros = layer.qzeros
    if how["checkpoint_format"] == "gptq":
        zeros = _revert_gptq_v1_qzeros_correction(zeros, bits)
    return {"qweight": layer.qweight, "qzeros": zeros, "scales": layer.scales, "g_idx": order.to(torch.int32)}


def gptq_settings(how: Config) -> Config:
    kept = {k: how[k] for k in ("bits", "group_size", "sym", "checkpoint_format")}
    return {"quant_method": "gptq", "desc_act": how.get("desc_act", False), "pack_dtype": "int32", "lm_head": False, **kept}


def mxfp4_stack(stack: torch.Tensor, _how: Config) -> Tensors:
    """gpt-oss's layout of what compressed-tensors packs, which has the same bytes for a row."""
    n, n_in, n_out = stack.shape
    made = compressed_matrix(stack.transpose(1, 2).reshape(n * n_out, n_in).contiguous(), {"preset": "MXFP4", "format": "mxfp4-pack-quantized"})
    return {"_blocks": made["weight_packed"].reshape(n, n_out, n_in // 32, 16), "_scales": made["weight_scale"].reshape(n, n_out, n_in // 32)}


def mxfp4_settings(_how: Config) -> Config:
    return {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}


METHODS = {"fp8": Method(fp8_matrix, fp8_settings), "compressed-tensors": Method(compressed_matrix, compressed_settings),
           "modelopt": Method(modelopt_matrix, modelopt_settings, lambda how: {"hf_quant_config.json": modelopt_document(how)}),
           "mxfp4": Method(mxfp4_stack, mxfp4_settings, linear=r"experts\.\w+_proj$"),
           "awq": Method(awq_matrix, awq_settings), "gptq": Method(gptq_matrix, gptq_settings)}


def write_bitsandbytes(plain: Path, directory: Path, how: Config) -> None:
    """As from_pretrained and save_pretrained write it."""
    import transformers
    config = transformers.BitsAndBytesConfig(**{k: getattr(torch, v) if k.endswith("dtype") else v for k, v in how["bits"].items()})
    model = transformers.AutoModelForCausalLM.from_pretrained(plain, quantization_config=config, dtype=torch.bfloat16, device_map="cpu")
    model.save_pretrained(directory)


def write_gguf(plain: Path, directory: Path, how: Config) -> None:
    """from: the settings of a format that the converter itself reads."""
    if "from" not in how:
        gguf_writer.write(plain, directory, how)
        return
    with tempfile.TemporaryDirectory() as scratch:
        write(plain, Path(scratch), how["from"])
        gguf_writer.write(Path(scratch), directory, how)


def write(plain: Path, directory: Path, how: Config) -> None:
    """Quantises a plain checkpoint in float32. how: `method`, and its settings."""
    if "gguf" in how:
        write_gguf(plain, directory, how)
        return
    if how["method"] == "bitsandbytes":
        write_bitsandbytes(plain, directory, how)
        finish(plain, directory, json.loads((directory / "config.json").read_text())["quantization_config"], {})
        return
    method = METHODS[how["method"]]
    made: Tensors = {}
    for name, tensor in load_file(plain / "model.safetensors").items():
        x = name.removesuffix(".weight")
        if re.search(method.linear, name) and x not in how.get("skip", ()):
            made |= {f"{x}{part}" if part.startswith("_") else f"{x}.{part}": value.contiguous().clone() for part, value in method.matrix(tensor.float(), group_of(x, how)).items()}
        else:
            made[name] = tensor.to(getattr(torch, how.get("rest", "bfloat16")))
    directory.mkdir(parents=True, exist_ok=True)
    save_file(made, directory / "model.safetensors", {"format": "pt"})
    finish(plain, directory, method.settings(how), method.documents(how))


def finish(plain: Path, directory: Path, settings: Config, documents: dict[str, Config]) -> None:
    """Writes the documents: those of the plain checkpoint, with quantization_config."""
    config = json.loads((plain / "config.json").read_text())
    config["torch_dtype" if "torch_dtype" in config else "dtype"] = "float16" if settings["quant_method"] in ("awq", "gptq") else "bfloat16"
    documents = {"config.json": {**config, "quantization_config": settings}, **documents}
    for kept in plain.glob("generation_config.json"):
        documents[kept.name] = json.loads(kept.read_text())
    for name, document in documents.items():
        (directory / name).write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    for file in directory.iterdir():
        file.chmod(0o644)
