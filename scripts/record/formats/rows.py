"""The variants in the formats of quantised checkpoints, one row each: beside those of a family (variants of families/).

Names families: those that a format is recorded with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..variants.dims import grouped
from ..variants.variant import Config, Family, Stored, Variant
from ..variants.weights import fan_in

FP8_RUNS = ("bfloat16", "fp8-group128", "bfloat16+fp8_e4m3", "bfloat16+int8")
WEIGHTS_ALONE = ("bfloat16", "float16")
FP8_BLOCK = {"method": "fp8", "weight_block_size": [128, 128]}


def compressed(preset: str, form: str, **more: Any) -> Config:
    return {"method": "compressed-tensors", "preset": preset, "format": form, **more}


def bits(n: int, symmetric: bool = True, group: int | None = 32, **more: Any) -> Config:
    """pack-quantized codes of a width that no preset has."""
    own = {"strategy": "group", "group_size": group} if group else {"strategy": "channel"}
    return {"method": "compressed-tensors", "format": "pack-quantized", "weights": {"num_bits": n, "type": "int", "symmetric": symmetric, **own}, **more}


def gptq(n: int, form: str = "gptq", sym: bool = True, act: bool = False, group: int = 32) -> Config:
    return {"method": "gptq", "bits": n, "group_size": group, "sym": sym, "desc_act": act, "checkpoint_format": form, "rest": "float16"}


def bitsandbytes(**said: Any) -> Config:
    return {"method": "bitsandbytes", "bits": said}


# name: (dims (hidden, intermediate, heads, KV heads, head size), settings, runs, what it would catch)
Row = tuple[tuple[int, int, int, int, int], Config, tuple[str, ...], str]
SMALL = (64, 96, 4, 2, 16)
SMALL_64 = (64, 128, 4, 2, 16)
WIDE = (128, 192, 4, 2, 32)
RAGGED = (136, 144, 4, 1, 34)
LLAMA: dict[str, Row] = {
    "fp8-block": (RAGGED, FP8_BLOCK, FP8_RUNS, "Blocks of 128 by 128 counted from the number of scales, where the last ones are ragged"),
    "fp8-block-bf16": (SMALL, {**FP8_BLOCK, "weight_block_size": [32, 16], "dtype": "bfloat16"}, ("bfloat16",),
                       "A scale of a block in bfloat16 misread, or a block's sides swapped"),
    "fp8-ue8m0": (WIDE, {**FP8_BLOCK, "weight_block_size": [64, 64], "scale_fmt": "ue8m0"}, ("bfloat16", "fp8-group128"),
                  "A scale that is an exponent taken for a number"),
    "fp8-static": (SMALL, {"method": "fp8", "weight_block_size": None, "activation_scheme": "static"}, ("bfloat16", "fp8-static"),
                   "The scale of activations taken for that of weights, or one scale of a matrix taken for blocks"),
    "ct-w4a16": (WIDE, compressed("W4A16", "pack-quantized", group_size=64), (*WEIGHTS_ALONE, "bfloat16+fp8_e4m3"),
                 "Codes without the offset that makes them unsigned, or scales of other groups"),
    "ct-w4a16-asymmetric": (SMALL, compressed("W4A16_ASYM", "pack-quantized", group_size=32), WEIGHTS_ALONE,
                            "Zero points unpacked along the wrong axis, or their offset forgotten"),
    "ct-w3a16-asymmetric": ((96, 128, 4, 2, 24), bits(3, False), ("bfloat16",), "A code of three bits that begins in one word and ends in the next misread"),
    "ct-w8a16": ((64, 88, 4, 2, 16), bits(8, group=None), ("bfloat16", "tf32"), "The padding of a row's last word taken for codes, or a scale of a channel for groups"),
    "ct-int8": (SMALL, compressed("W8A8", "int-quantized"), ("bfloat16", "int8-token", "bfloat16+int8"), "Signed codes of eight bits read as unsigned"),
    "ct-fp8": (SMALL, compressed("FP8_DYNAMIC", "float-quantized"), ("bfloat16", "fp8-token", "bfloat16+fp8_e5m2"), "A scale of a channel read as that of a matrix"),
    "ct-fp8-static": (SMALL, compressed("FP8", "float-quantized"), ("bfloat16", "fp8-static"), "One scale of a matrix read as that of a channel"),
    "ct-fp8-block": (RAGGED, compressed("FP8_BLOCK", "float-quantized"), ("bfloat16", "fp8-group128"), "block_structure ignored, or ragged blocks misplaced"),
    "ct-nvfp4a16": (SMALL, compressed("NVFP4A16", "nvfp4-pack-quantized"), ("bfloat16",), "input_global_scale required, which formats of weights alone do not have"),
    "ct-mixed": (SMALL, {"method": "compressed-tensors", "format": "mixed-precision", "groups": [
        bits(4, False, targets=["re:.*mlp.*"]), compressed("FP8_DYNAMIC", "float-quantized", targets=["re:.*self_attn.*"])]}, ("bfloat16",),
                 "A module's group of settings taken from the first, or format read from the document alone"),
    "awq": (WIDE, {"method": "awq", "group_size": 64, "rest": "float16"}, WEIGHTS_ALONE, "The order of outputs in a word ignored, or a matrix read [out, in]"),
    "gptq-2bit": (SMALL, gptq(2), ("float16",), "Zero points of version 1 without their 1"),
    "gptq-3bit-act": ((96, 128, 4, 2, 32), gptq(3, sym=False, act=True), ("float16",), "g_idx ignored, or a code of three bits across words misread"),
    "gptq-4bit-act": (WIDE, gptq(4, sym=False, act=True, group=64), WEIGHTS_ALONE, "g_idx ignored for scales or for zero points"),
    "gptq-8bit-v2": (SMALL, gptq(8, "gptq_v2", sym=False, group=-1), ("float16",), "1 added to zero points of version 2, or group_size -1 misread"),
    "bnb-nf4": (SMALL, bitsandbytes(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype="bfloat16"), WEIGHTS_ALONE,
                "The high nibble taken for the second element"),
    "bnb-nf4-double": ((80, 112, 4, 2, 20), bitsandbytes(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True), ("bfloat16",),
                       "Blocks that end with rows, or the offset of doubly quantised scales forgotten"),
    "bnb-fp4": (SMALL, bitsandbytes(load_in_4bit=True, bnb_4bit_quant_type="fp4"), ("bfloat16",), "e2m1 taken for bitsandbytes' fp4"),
    "bnb-int8": (SMALL, bitsandbytes(load_in_8bit=True), ("bfloat16", "int8-token"), "A scale of 128 instead of 127"),
}
QWEN3: dict[str, Row] = {
    "fp8-block": ((128, 256, 4, 2, 32), {**FP8_BLOCK, "dtype": "bfloat16"}, ("bfloat16", "fp8-group128"), "A tied head taken for a quantised matrix"),
    "ct-nvfp4": (SMALL, compressed("NVFP4", "nvfp4-pack-quantized"), ("bfloat16", "nvfp4", "bfloat16+fp8_e4m3"), "The global scale multiplied with, by which it has to be divided"),
    "ct-mxfp4": (SMALL, compressed("MXFP4", "mxfp4-pack-quantized"), ("bfloat16", "mxfp4"), "An exponent read as a number, or nibbles swapped"),
    "modelopt-nvfp4": (SMALL, {"method": "modelopt", "quant_algo": "NVFP4"}, ("bfloat16", "nvfp4"), "weight_scale_2 divided by, with which it has to be multiplied"),
    "modelopt-fp8": (SMALL, {"method": "modelopt", "quant_algo": "FP8"}, ("bfloat16", "fp8-static"), "weight_scale ignored"),
    "modelopt-int4-awq": (SMALL_64, {"method": "modelopt", "quant_algo": "W4A8_AWQ", "group_size": 32}, ("bfloat16",),
                          "pre_quant_scale ignored, or group_size, which hf_quant_config.json alone has, taken for another"),
    "modelopt-nvfp4-awq": ((48, 80, 3, 1, 16), {"method": "modelopt", "quant_algo": "NVFP4_AWQ"}, ("bfloat16",), "pre_quant_scale or weight_scale_2 ignored"),
    "modelopt-fp8-block": (RAGGED, {"method": "modelopt", "quant_algo": "fp8_pb_wo"}, ("bfloat16",), "Scales [n, 1, k, 1] taken for a row's, or ragged blocks misplaced"),
}
EXPERTS = {"vocab_size": 61, "num_hidden_layers": 1, "num_experts": 4, "num_experts_per_tok": 2}
QWEN3_MOE: dict[str, Row] = {
    "fp8-block": (RAGGED, {**FP8_BLOCK, "dtype": "bfloat16"}, ("bfloat16", "fp8-group128"), "The scales of another expert"),
    "ct-w4a16-asymmetric": (SMALL_64, compressed("W4A16_ASYM", "pack-quantized", group_size=32), ("bfloat16",), "The zero points of another expert, or a router taken for quantised"),
    "ct-nvfp4": (SMALL, compressed("NVFP4", "nvfp4-pack-quantized"), ("bfloat16", "nvfp4"), "The global scale of another expert"),
    "modelopt-nvfp4": (SMALL, {"method": "modelopt", "quant_algo": "NVFP4"}, ("bfloat16",), "weight_scale_2 of another expert"),
    "awq": (SMALL_64, {"method": "awq", "group_size": 32, "rest": "float16"}, ("float16",), "Gate and up of an expert confused, or a router taken for quantised"),
    "gptq-4bit": (SMALL_64, gptq(4), ("float16",), "The codes of another expert"),
    "ct-int8": (SMALL, compressed("W8A8", "int-quantized"), ("bfloat16", "int8-token"), "The scales of another expert"),
    "bnb-nf4": ((40, 48, 4, 2, 10), bitsandbytes(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True), ("bfloat16",),
                "Experts, which are no linear layers and stay as they are, taken for quantised"),
    "bnb-int8": (SMALL, bitsandbytes(load_in_8bit=True), ("bfloat16",), "Experts, which are no linear layers and stay as they are, taken for quantised"),
}
# A format matters to single prompts as to others: these have more cases
BATCHES = ("fp8-block", "ct-w4a16", "ct-int8", "ct-fp8", "ct-nvfp4", "ct-mxfp4", "awq", "gptq-4bit-act", "bnb-nf4", "bnb-int8", "modelopt-fp8", "modelopt-nvfp4",
           "gguf-q4_k_m", "gguf-q4_0", "gguf-q8_0", "gguf-q6_k", "gguf-iq4_nl", "gguf-nvfp4", "gguf-mxfp4")
GENERATES = ("fp8-block", "ct-w4a16", "ct-fp8", "awq", "gptq-4bit-act", "bnb-nf4", "modelopt-fp8", "gguf-q4_k_m", "gguf-q4_0", "gguf-q8_0", "gguf-nvfp4")
FAMILIES = {"llama": LLAMA, "qwen3": QWEN3, "qwen3_moe": QWEN3_MOE}


def gguf(kind: str, **more: Any) -> Config:
    return {"gguf": kind, **more}


# Widths that blocks of 256 divide, but for that of attention's output
BLOCKS = (256, 256, 4, 1, 16)
CACHED = tuple(f"float32+{name}" for name in ("f16", "bf16", "fp8_e4m3", "fp8_e5m2", "int8"))
K_RUNS = ("q8_K", "q8_K+f16", "q8_K+q8_0", "q8_K+q4_0")
GGUF: dict[str, dict[str, Row]] = {
    "llama": {
        "gguf-f16": (SMALL, gguf("", outtype="f16"), ("q8_0", "float16"), "Rows of q and k left in the pairs of the converter"),
        "gguf-bf16": (SMALL, gguf("", outtype="bf16"), ("q8_0", "bfloat16"), "bfloat16 read as float16"),
        "gguf-q4_0": (SMALL, gguf("Q4_0"), ("q8_0", "q8_0+f16"), "The nibbles of a block taken for neighbours"),
        "gguf-caches": ((64, 96, 8, 4, 8), gguf("Q8_0"), CACHED, "The scales of another page of a cache"),  # scales of short heads differ most
        "gguf-caches-blocks": ((128, 128, 2, 1, 32), gguf("Q8_0"), ("float32+q8_0", "float32+q4_0"), "The blocks of another head"),
        "gguf-q4_1": (SMALL, gguf("Q4_1"), ("q8_1",), "The minimum of a block forgotten"),
        "gguf-q5_0": (SMALL, gguf("Q5_0"), ("q8_0",), "The fifth bits of a block misplaced"),
        "gguf-q5_1": (SMALL, gguf("Q5_1"), ("q8_1",), "The fifth bits of a block misplaced, or its minimum forgotten"),
        "gguf-q8_0": (SMALL, gguf("Q8_0"), ("q8_0", "bfloat16"), "Codes read as unsigned"),
        "gguf-iq4_nl": (SMALL, gguf("IQ4_NL"), ("q8_0",), "The table of IQ4_NL taken for whole numbers"),
        "gguf-q2_k": (BLOCKS, gguf("Q2_K"), ("q8_K",), "The minima of Q2_K forgotten, or its groups misplaced"),
        "gguf-q3_k_m": (BLOCKS, gguf("Q3_K_M"), ("q8_K",), "The scales of Q3_K, whose bits are in two places, misread"),
        "gguf-q4_k_m": ((256, 256, 4, 1, 32), gguf("Q4_K_M"), K_RUNS, "A file of several types read in one of them, or the scales of Q4_K misread"),
        "gguf-q5_k_m": (BLOCKS, gguf("Q5_K_M"), ("q8_K",), "The fifth bits of Q5_K misplaced"),
        "gguf-q6_k": (BLOCKS, gguf("Q6_K"), ("q8_K",), "The upper bits of Q6_K misplaced"),
        "gguf-iq4_xs": (BLOCKS, gguf("IQ4_XS"), ("q8_K",), "The scales of IQ4_XS, whose bits are in two places, misread"),
        "gguf-tq2_0": (BLOCKS, gguf("TQ2_0"), ("q8_K",), "The codes of TQ2_0 read without their offset"),
        "gguf-q4_k_m-fallback": ((96, 160, 4, 2, 24), gguf("Q4_K_M"), ("q8_K",), "A matrix whose width is no multiple of 256 read in the type of the others"),
        "gguf-q1_0": ((128, 128, 4, 2, 32), gguf("Q1_0"), ("q8_0",), "A bit read as 0 and 1"),
        "gguf-q2_0": (SMALL_64, gguf("Q2_0"), ("q8_0",), "A code of two bits read without its offset"),
        "gguf-llama3": (SMALL, gguf("Q8_0"), ("q8_0",), "The factors of llama3's rope, a tensor of the file, ignored or multiplied with"),
        "gguf-joined": (SMALL, gguf("Q5_0", convert=("--fuse-qkv",)), ("q8_0",),
                        "Rows of q and k left in the pairs of the converter where v is joined to them, or biases, which the metadata do not name, forgotten"),
        "gguf-pieces": (SMALL, gguf("Q8_0", tokenizer="pieces"), ("q8_0",), "The number of ids taken from another member than the list of sentence pieces"),
        "gguf-parts": (SMALL, gguf("", outtype="q8_0", parts=9, files=3), ("q8_0",), "The second part of a file ignored"),
    },
    "qwen3": {
        "gguf-q4_k_m": (BLOCKS, gguf("Q4_K_M", pre="qwen2"), ("q8_K",), "Norms of q and k forgotten, or a tied head missed"),
        "gguf-nvfp4": (SMALL_64, gguf("", outtype="auto", pre="qwen2", **{"from": {"method": "modelopt", "quant_algo": "NVFP4"}}), ("q8_0",),
                       "The scale of an NVFP4 matrix, a tensor of its own, forgotten"),
    },
    "qwen3_moe": {
        "gguf-q4_k_m": (BLOCKS, gguf("Q4_K_M", pre="qwen2"), ("q8_K",), "The blocks of another expert"),
        "gguf-mxfp4": (SMALL_64, gguf("MXFP4_MOE", pre="qwen2"), ("q8_0",), "An exponent of MXFP4 misread, or experts in the type of the others"),
    },
    "qwen2": {"gguf-q8_0": (SMALL, gguf("Q8_0", pre="qwen2"), ("q8_0",), "A bias of attention forgotten")},
    "gemma": {"gguf-q8_0": (SMALL, gguf("Q8_0", tokenizer="pieces"), ("q8_0",), "1 added to norms that already have it")},
    "gemma2": {"gguf-q8_0": (SMALL, gguf("Q8_0", tokenizer="pieces"), ("q8_0",), "1 added to norms that already have it, or a norm under another's name")},
    "gemma4": {"gguf-q8_0": (SMALL, gguf("Q8_0", tokenizer="fallback"), ("q8_0",), "The settings of sliding and of full layers confused, which are members of their own")},
    "phi3": {"gguf-q8_0": (SMALL, gguf("Q8_0", tokenizer="pieces"), ("q8_0",), "The fused q, k and v, or gate and up, divided at other rows")},
    "granite": {"gguf-q8_0": (SMALL, gguf("Q8_0"), ("q8_0",), "A multiplier that GGUF spells otherwise")},
    "olmo2": {"gguf-q8_0": (SMALL, gguf("Q8_0"), ("q8_0",), "A norm under another's name")},
}
SINGLE = ("rms_norm_eps", "embedding_multiplier", "attention_multiplier", "residual_multiplier", "logits_scaling")  # float32 in GGUF


def gguf_variant(family: Family, name: str, row: Row, base: Config) -> Variant:
    """The converter gives Gemma's files an end of a turn of 107."""
    made = variant(family, name, row, base)
    config = {k: float(np.float32(v)) if k in SINGLE else v for k, v in made.config.items()}
    config |= {"vocab_size": 128 if family.name == "gemma" else 64, "num_hidden_layers": 1 if row[0][0] > 100 and name != "gguf-q4_k_m" or "num_experts" in base else 2}
    if name == "gguf-llama3":
        config["rope_parameters"] = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                     "original_max_position_embeddings": 64, "rope_theta": 500000.0}
    if name == "gguf-joined":
        config |= {"attention_bias": True, "mlp_bias": True}
    if "layer_types" in config:
        config["layer_types"] = config["layer_types"][-config["num_hidden_layers"]:]
    if "vocab_size_per_layer_input" in config:
        config |= {"vocab_size_per_layer_input": 64, "global_head_dim": 32, "final_logit_softcapping": 30.0}  # llama.cpp caps without it, too
    if "query_pre_attn_scalar" in config:
        config["query_pre_attn_scalar"] = config["head_dim"]  # it is not in the file
    cases = made.cases if family.name in FAMILIES else ("single", "batch")  # heads that are tied repeat their tokens
    return replace(made, config=config, cases=cases, spelling="new")


def variant(family: Family, name: str, row: Row, base: Config) -> Variant:
    dims, how, runs, catches = row
    experts = {"moe_intermediate_size": dims[1] // 2, **EXPERTS} if "num_experts" in base else {}
    fours = bool({"nvfp4", "mxfp4"} & set(runs))  # the noise of inputs in 4 bits soon hides logits of zero
    layers = 1 if fours or dims[0] > 100 else 2
    config = grouped(base, *dims, **{"vocab_size": 61, "num_hidden_layers": layers, **experts})
    cases = ("single", *(("batch",) if name in BATCHES else ()), *(("pages",) if runs[0].startswith("float32+") else ()), *(("narrow",) if experts else ("generate",) if name in GENERATES else ()))
    return Variant(name, config, catches, cases, spelling="old", experts="split", stored=Stored(how, runs),
                   weight_rules=((r"(o|down)_proj", fan_in(0.4)),) if fours else ())


def variants(family: Family, base: Config) -> list[Variant]:
    return [*(variant(family, name, row, base) for name, row in FAMILIES.get(family.name, {}).items()),
            *(gguf_variant(family, name, row, base) for name, row in GGUF.get(family.name, {}).items())]
