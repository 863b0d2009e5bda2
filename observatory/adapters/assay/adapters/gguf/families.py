"""What llama.cpp has of each family: the architecture of GGUF, where each tensor goes, and what is particular. A member of config.json that
GGUF or llama.cpp's graph of the family has no word for is refused by name.

Names families: the architectures of GGUF files.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assay.errors import FormatError, Unsupported

from . import write
from .rope import THETA, add_rope, parameters
from .write import File

SILU = ("silu", "swish")
GELU_TANH = ("gelu_pytorch_tanh", "gelu_python_tanh", "gelu_new")
QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
ALL_LINEAR = (*QKV, "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
SCALED = ("default", "linear", "yarn")  # ropes whose scaling is given by numbers alone

TOP = {"embed_tokens": "token_embd", "norm": "output_norm"}
LAYER = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.o_proj": "attn_output",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
SANDWICH = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
            "post_feedforward_layernorm": "post_ffw_norm"}
GEMMA4 = {**SANDWICH, "layer_scalar": "layer_output_scale", "per_layer_input_gate": "inp_gate", "per_layer_projection": "proj",
          "post_per_layer_input_norm": "post_norm", "post_feedforward_layernorm_1": "post_ffw_norm_1",
          "pre_feedforward_layernorm_2": "pre_ffw_norm_2", "post_feedforward_layernorm_2": "post_ffw_norm_2",
          "router.proj": "ffn_gate_inp", "router.scale": "ffn_gate_inp.scale", "router.per_expert_scale": "ffn_down_exps.scale",
          "experts.gate_up_proj": "ffn_gate_up_exps", "experts.down_proj": "ffn_down_exps"}
GEMMA4_TOP = {"embed_tokens_per_layer": "per_layer_token_embd", "per_layer_model_projection": "per_layer_model_proj",
              "per_layer_projection_norm": "per_layer_proj_norm"}

Config = dict[str, Any]


@dataclass(frozen=True)
class Family:
    """add: what the family has besides. names, top: of tensors, where they differ from LAYER and TOP. interleaved: heads rotate pairs of
    neighbouring elements, so rows of q and k are reordered. norm_offset: is added to the weights of norms. whole: the heads together must
    be as wide as the model. biases: the modules that may have one. head: whether the head must be "tied" or stored ("untied").
    embed: the name of llama.cpp's tensor that is our `embed`, or "" for the rows of the embedding."""

    architecture: str
    add: Callable[[File, Config], None] | None = None
    names: dict[str, str] = field(default_factory=dict)
    top: dict[str, str] = field(default_factory=dict)
    interleaved: bool = False
    norm_offset: int = 0
    whole: bool = False
    biases: tuple[str, ...] = ()
    head: str = ""
    tied: bool = False
    epsilon: float = 1e-6
    activation: tuple[str, str] = ("hidden_act", "silu")
    activations: tuple[str, ...] = SILU
    ropes: tuple[str, ...] = SCALED
    long_names: tuple[str, ...] = ()
    partial: bool = False
    query_factor: Callable[[Config], float] | None = None
    embed: str = ""


# ---- What is particular ----

def refuse_windows(file: File, config: Config) -> None:
    """Of the Qwen families: llama.cpp's graphs have no windows."""
    if not config.get("use_sliding_window") or config.get("sliding_window", 4096) is None:
        return
    n_layers, types = config["num_hidden_layers"], config.get("layer_types")
    slides = "sliding_attention" in types if types else config["model_type"] == "qwen3_moe" or config.get("max_window_layers", 28) < n_layers
    if slides:
        raise Unsupported(f"sliding_window: llama.cpp's {file.architecture} has no windows")


def add_experts(file: File, count: int, used: int, width: int) -> None:
    for key, value in (("count", count), ("used_count", used), ("feed_forward_length", width)):
        file.value(f"{{arch}}.expert_{key}", value)


def add_qwen3_moe(file: File, config: Config) -> None:
    refuse_windows(file, config)
    if not config.get("norm_topk_prob", False):
        raise Unsupported(f"norm_topk_prob: false: llama.cpp's {file.architecture} always divides by the sum")
    if config.get("mlp_only_layers") or config.get("decoder_sparse_step", 1) != 1:
        raise Unsupported(f"mlp_only_layers, decoder_sparse_step: llama.cpp's {file.architecture} has experts in each layer")
    count = config.get("num_local_experts", config.get("num_experts"))
    add_experts(file, count, config["num_experts_per_tok"], config["moe_intermediate_size"])


def add_sections(file: File, config: Config) -> None:
    """Of the Qwen families with vision: how many pairs of a head each axis of a position rotates. Tokens of text have one position on all."""
    refuse_windows(file, config)
    rope = parameters(config)
    sections = rope.get("mrope_section")
    if not isinstance(sections, list) or len(sections) != 3 or bool(rope.get("mrope_interleaved")) != file.architecture.startswith("qwen3"):
        raise Unsupported(f"mrope_section {sections}, mrope_interleaved {rope.get('mrope_interleaved')}: llama.cpp's {file.architecture} has others")
    file.value("{arch}.rope.dimension_sections", [*sections, 0])


def add_qwen3_vl_moe(file: File, config: Config) -> None:
    """Its class always divides by the sum, as llama.cpp does."""
    add_sections(file, config)
    add_qwen3_moe(file, {**config, "norm_topk_prob": config.get("norm_topk_prob", True)})


def add_phi3(file: File, config: Config) -> None:
    if config.get("sliding_window"):  # llama.cpp reads it, says in its log that it ignores it, and attends to everything
        file.value("{arch}.attention.sliding_window", config["sliding_window"])


def add_granite(file: File, config: Config) -> None:
    for key, member in (("logit_scale", "logits_scaling"), ("residual_scale", "residual_multiplier"),
                        ("embedding_scale", "embedding_multiplier"), ("attention.scale", "attention_multiplier")):
        file.value(f"{{arch}}.{key}", float(config.get(member, 1.0)))


def refuse_bidirectional(config: Config, *allowed: str) -> None:
    if (given := config.get("use_bidirectional_attention")) and given not in allowed:
        raise Unsupported(f"use_bidirectional_attention: {given!r:.20} is not supported")


def add_gemma(file: File, config: Config) -> None:
    refuse_bidirectional(config)


def add_gemma2(file: File, config: Config) -> None:
    refuse_bidirectional(config)
    for member, default in (("attn_logit_softcapping", 50.0), ("final_logit_softcapping", 30.0)):
        if config.get(member, default) is None:
            raise Unsupported(f"{member}: null: llama.cpp's gemma2 always has one")
        file.value(f"{{arch}}.{member}", float(config.get(member, default)))
    window, n_layers = config.get("sliding_window", 4096), config["num_hidden_layers"]
    types = config.get("layer_types") or ["full_attention" if i % 2 else "sliding_attention" for i in range(n_layers)]
    file.value("{arch}.attention.sliding_window_pattern", [kind == "sliding_attention" and window is not None for kind in types])
    file.value("{arch}.attention.sliding_window", window or 4096)


def gemma2_query_factor(config: Config) -> float:
    """GGUF has no word for query_pre_attn_scalar: llama.cpp divides scores by the root of the head size, so q is scaled by the rest."""
    return math.sqrt(config["head_dim"] / config.get("query_pre_attn_scalar", 256))


# ---- Gemma 4 ----

def gemma4_full(config: Config, types: list[str], member: str, older: str | None, default: int) -> int:
    """A member of the full layers: those of per_layer_config must agree."""
    overrides = config.get("per_layer_config")
    if overrides is None:
        return (config.get(older) if older else None) or default
    found = {overrides.get(str(i), {}).get(member, config[member]) for i, kind in enumerate(types) if kind == "full_attention"}
    others = {overrides.get(str(i), {}).get(member, config[member]) for i, kind in enumerate(types) if kind != "full_attention"}
    if len(found) != 1 or others - {config[member]}:
        raise Unsupported(f"per_layer_config: {member} {sorted(found | others)}: llama.cpp has one for the full and one for the sliding layers")
    return found.pop()


def gemma4_ropes(config: Config) -> dict[str, dict[str, Any]]:
    if not config.get("rope_parameters"):
        return {"full_attention": {"rope_theta": 1000000.0, "partial_rotary_factor": 0.25}, "sliding_attention": {"rope_theta": THETA}}
    ropes = {kind: parameters(config, kind) for kind in ("full_attention", "sliding_attention")}
    full, sliding = ropes.values()
    share = full.get("partial_rotary_factor", 1.0), sliding.get("partial_rotary_factor", 1.0)
    if full["rope_type"] != "proportional" and share[0] != 1 or full["rope_type"] not in ("proportional", "default") or full.get("factor", 1) != 1:
        raise Unsupported(f"rope_parameters.full_attention: {full['rope_type']} with factor {full.get('factor', 1)} is not supported")
    if sliding["rope_type"] != "default" or share[1] != 1:
        raise Unsupported(f"rope_parameters.sliding_attention: {sliding['rope_type']} with partial_rotary_factor {share[1]} is not supported")
    return ropes


def add_gemma4(file: File, config: Config) -> None:
    refuse_bidirectional(config, "vision")  # of the tokens of images, which are refused
    n_layers = config["num_hidden_layers"]
    types = list(config.get("layer_types") or ["sliding_attention" if (i + 1) % 6 else "full_attention" for i in range(n_layers)])
    types[-1] = "full_attention"  # as published
    kv = config["num_key_value_heads"]
    k_eq_v = config.get("attention_k_eq_v", False)
    full_kv = gemma4_full(config, types, "num_key_value_heads", "num_global_key_value_heads" if k_eq_v else None, kv)
    n_shared = config.get("num_kv_shared_layers", 0) or 0
    write.add_gemma4(file, {
        "layer_types": types, "num_kv_shared_layers": n_shared, "sliding_window": config["sliding_window"], "head_dim": config["head_dim"],
        "global_head_dim": gemma4_full(config, types, "head_dim", "global_head_dim", 512), "rope_parameters": gemma4_ropes(config),
        "final_logit_softcapping": config.get("final_logit_softcapping"),
        "hidden_size_per_layer_input": config.get("hidden_size_per_layer_input", 256)})
    file.value("{arch}.attention.head_count_kv", [full_kv if kind == "full_attention" else kv for kind in types])
    wide = 2 if config.get("use_double_wide_mlp") else 1
    file.value("{arch}.feed_forward_length", [config["intermediate_size"] * (wide if i >= n_layers - n_shared else 1) for i in range(n_layers)])
    if config.get("enable_moe_block"):
        add_experts(file, config["num_experts"], config["top_k_experts"], config["moe_intermediate_size"])


EXPERTS = {"mlp.gate": "ffn_gate_inp", "mlp.experts.gate_proj": "ffn_gate_exps", "mlp.experts.up_proj": "ffn_up_exps",
           "mlp.experts.down_proj": "ffn_down_exps"}
MROPE = ("default", "mrope")
GEMMA = {"norm_offset": 1, "head": "tied", "tied": True, "activations": GELU_TANH, "biases": QKV, "embed": "inp_scaled"}
FAMILIES: dict[str, Family] = {
    "llama": Family("llama", interleaved=True, biases=ALL_LINEAR, ropes=(*SCALED, "llama3")),
    "granite": Family("granite", add_granite, interleaved=True, biases=ALL_LINEAR, ropes=(*SCALED, "llama3"), embed="scaled rows"),
    "qwen2": Family("qwen2", refuse_windows, whole=True, biases=QKV),
    "qwen3": Family("qwen3", refuse_windows, biases=QKV),
    "qwen3_moe": Family("qwen3moe", add_qwen3_moe, EXPERTS, biases=QKV),
    "qwen2_vl": Family("qwen2vl", add_sections, whole=True, biases=QKV, ropes=MROPE),
    "qwen2_5_vl": Family("qwen2vl", add_sections, whole=True, biases=QKV, ropes=MROPE),
    "qwen3_vl_text": Family("qwen3vl", add_sections, biases=QKV, ropes=MROPE),
    "qwen3_vl_moe_text": Family("qwen3vlmoe", add_qwen3_vl_moe, EXPERTS, biases=QKV, ropes=MROPE),
    "phi3": Family("phi3", add_phi3, {"self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"}, whole=True, epsilon=1e-5,
                   ropes=("default", "longrope"), long_names=("su", "yarn"), partial=True),
    "olmo2": Family("olmo2", None, SANDWICH, whole=True, biases=QKV, head="untied", epsilon=1e-5),
    "gemma": Family("gemma", add_gemma, activation=("hidden_act", "gelu_pytorch_tanh"), **GEMMA),  # type: ignore[arg-type]
    "gemma2": Family("gemma2", add_gemma2, SANDWICH, activation=("hidden_activation", "gelu_pytorch_tanh"), query_factor=gemma2_query_factor,
                     **GEMMA),  # type: ignore[arg-type]
    "gemma4_text": Family("gemma4", add_gemma4, GEMMA4, GEMMA4_TOP, tied=True, activations=GELU_TANH, ropes=(),
                          activation=("hidden_activation", "gelu_pytorch_tanh"), embed="inp_scaled"),
}
# Families that llama.cpp has, but not as they are published, or that this adapter does not write.
REFUSED = {
    "gemma3n": "llama.cpp fixes the rank of LAuReL at 64, the width of layer inputs at 256 and the first shared layer at 20",
    "qwen3_5": "llama.cpp has one size for the heads of keys and of values of its linear attention",
}


PLACEHOLDERS = {"image_token_id": 258880, "audio_token_id": 258881, "video_token_id": 258884}  # and the defaults of Gemma 4


def text_config(config: Config, has_head: bool) -> Config:
    """The decoder's own, out of a document with towers. The outer tie_word_embeddings counts; without one a stored head is used if the inner
    one is false, as transformers does. `placeholders`: the tokens that stand for images and the like."""
    text = config.get("text_config") or config
    if "vision_config" not in config and text is config:
        return config
    tied = config.get("tie_word_embeddings")
    if tied is None:
        tied = text.get("tie_word_embeddings", True) or not has_head
    name = str(text.get("model_type", config.get("model_type")))
    return {**text, "model_type": name.removesuffix("_text") if name.startswith("qwen2") else name,
            "tie_word_embeddings": tied, "placeholders": [config.get(name, default) for name, default in PLACEHOLDERS.items()]}


def find(config: Config) -> Family:
    name = config.get("model_type")
    if name in FAMILIES:
        return FAMILIES[name]
    for start, reason in REFUSED.items():
        if str(name).startswith(start):
            raise Unsupported(f"model_type {name!r:.40}: {reason}")
    raise Unsupported(f"model_type {name!r:.40} is not supported; expected one of {', '.join(FAMILIES)}")


def completed(family: Family, config: Config) -> Config:
    """With the members that config.json may leave out, as the published classes have them."""
    heads = config["num_attention_heads"]
    found = {"max_position_embeddings": 2048, "num_key_value_heads": heads, "rms_norm_eps": family.epsilon, "tie_word_embeddings": family.tied,
             **{name: value for name, value in config.items() if value is not None or name not in ("num_key_value_heads", "head_dim")}}
    found.setdefault("head_dim", found["hidden_size"] // heads)
    member, default = family.activation
    spelled = found.get(member, default)
    if spelled not in family.activations and not (family.architecture == "gemma" and spelled == "gelu"):  # as the published class reads it
        raise Unsupported(f"{member}: {spelled!r:.40}: llama.cpp's {family.architecture} has {family.activations[0]}")
    if family.whole and heads * found["head_dim"] != found["hidden_size"]:
        raise Unsupported(f"head_dim: {heads} heads of {found['head_dim']}: llama.cpp's {family.architecture} needs heads that are "
                          f"together as wide as the model, {found['hidden_size']}")
    if found["num_key_value_heads"] < 1 or heads % found["num_key_value_heads"]:
        raise FormatError(f"num_key_value_heads: {found['num_key_value_heads']}; expected a divisor of the {heads} heads")
    return found


def describe(file: File, family: Family, config: Config) -> None:
    """All values of the file but those of its name and type. config: completed."""
    file.value("{arch}.vocab_size", config["vocab_size"])
    file.value("tokenizer.ggml.model", "no_vocab")
    write.add_shape(file, config)
    file.value("{arch}.attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
    if family.ropes:
        write.add_head_size(file, config["head_dim"])
        add_rope(file, config, family.ropes, config["head_dim"], family.partial, family.long_names)
    if family.add is not None:
        family.add(file, config)
