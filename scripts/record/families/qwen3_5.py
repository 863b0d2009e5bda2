"""Qwen3.5: gated delta nets in most layers, attention with a gate of its output in the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants.dims import attention_dims, grouped, pick
from ..variants.large import ACTIVATION, SCORE, normed_scores
from ..variants.variant import LENGTHS_FEW_ROWS, STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.vision import FAINT_RULES, RULES, made, marks, sections, tower_dims
from ..variants.weights import around, fan_in

ROPE: Config = {"rope_type": "default", "rope_theta": 10000000.0, "partial_rotary_factor": 0.5,
                "mrope_section": [2, 1, 1], "mrope_interleaved": True}
DELTA: Config = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6,
                 "linear_value_head_dim": 5, "linear_conv_kernel_dim": 4}


def hybrid(n_layers: int, interval: int = 4) -> list[str]:
    """Every interval-th layer has attention, as full_attention_interval says."""
    return ["linear_attention" if (index + 1) % interval else "full_attention" for index in range(n_layers)]


BASE: Config = {
    "vocab_size": 107, "hidden_size": 28, "intermediate_size": 41, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
    "layer_types": hybrid(4), "rope_parameters": ROPE, **DELTA,
}

VISION: Config = {
    "depth": 3, "hidden_size": 16, "intermediate_size": 22, "num_heads": 2, "patch_size": 4, "in_channels": 3,
    "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 36}

TOWER = "model.visual."  # the names of its tensors begin so

# Norms but the delta net's own multiply by 1 + weight. States decay to a half within one to fifty tokens.
WEIGHT_RULES = (
    (r"A_log$", lambda rng, shape: rng.uniform(-4.0, 0.0, shape)),
    (r"dt_bias$", around(0.0, 0.5)),
    (r"linear_attn\.norm\.weight$", around(1.0, 0.3)),
    (r"(input_layernorm|post_attention_layernorm|q_norm|k_norm|(model|language_model)\.norm)\.weight$",
     around(0.0, 0.3)),
    (r"shared_expert_gate\.weight$", fan_in(2.0)),
    *RULES,
)


def louder_values(factor: float):
    """in_proj_qkv whose values, the last rows, are `factor` times its queries and keys."""
    def draw(rng, shape):
        values = fan_in(1.0)(rng, shape)
        values[2 * DELTA["linear_num_key_heads"] * DELTA["linear_key_head_dim"]:] *= factor
        return values
    return draw


# The mean squares that the norms divide by, and the sums of squares of q and k, are small enough that an epsilon
# of 1e-6 changes all of them.
SMALL = (
    (r"embed_tokens\.weight$", fan_in(8e-3)), (r"lm_head\.weight$", fan_in(4.0)),
    (r"in_proj_qkv\.weight$", louder_values(10.0)), (r"conv1d\.weight$", fan_in(1e-3)),
    (r"out_proj\.weight$", fan_in(4e-3)), (r"(o_proj|down_proj)(\.weight)?$", fan_in(1e-3)),
    (r"(q|k)_proj\.weight$", fan_in(1e-3)),
)


# The same with a tower, whose norms have small inputs, too
FAINT = (*(rule for rule in SMALL if "embed_tokens" not in rule[0]), *FAINT_RULES)


# States of a delta net decay slowly although the argument of the softplus is above 88 or below -88, its beta is 0 or 1, its
# values are 60,000; scores of attention and gates of its output are above 88 or below -88.
LARGE = (
    (r"A_log$", lambda rng, shape: rng.uniform(-9.0, -7.0, shape)),
    (r"dt_bias$", lambda rng, shape: SCORE * rng.choice((-1.0, 1.0), shape)),
    (r"in_proj_b\.weight$", fan_in(SCORE)),
    (r"in_proj_qkv\.weight$", fan_in(ACTIVATION)),
    (r"q_proj\.weight$", fan_in(SCORE)),  # gates, too
)


def rotary_share(head_dim: int) -> float:
    """The part of a head that rotates: at least four pairs, so that each axis has one."""
    return 0.5 if head_dim >= 16 else 1.0


def draw_dims(rng: np.random.Generator) -> Config:
    while True:
        dims = {**attention_dims(rng), "head_dim": pick(rng, (8, 16, 24))}
        k_heads, k_dim, v_dim = pick(rng, (1, 2, 3)), int(rng.integers(3, 9)), int(rng.integers(3, 9))
        delta = {"linear_num_key_heads": k_heads, "linear_num_value_heads": k_heads * pick(rng, (1, 2, 3)),
                 "linear_key_head_dim": k_dim, "linear_value_head_dim": v_dim,
                 "linear_conv_kernel_dim": pick(rng, (2, 3, 4, 5))}
        keys, values = k_heads * k_dim, delta["linear_num_value_heads"] * v_dim
        if k_dim != v_dim and len({dims["hidden_size"], values, keys, 2 * keys + values,
                                   delta["linear_num_value_heads"]}) == 5:
            interval = pick(rng, (2, 3, 4))
            pairs = int(dims["head_dim"] * rotary_share(dims["head_dim"])) // 2
            rope = {**ROPE, "partial_rotary_factor": rotary_share(dims["head_dim"]),
                    "mrope_section": [pairs - 2 * (pairs // 4), pairs // 4, pairs // 4]}
            return {**dims, **delta, "num_hidden_layers": interval + 1, "rope_parameters": rope,
                    "layer_types": hybrid(interval + 1, interval)}


def flat(text: Config) -> Config:
    """The members of one document in the older spelling."""
    text = dict(text)
    rope = dict(text.pop("rope_parameters"))
    text["rope_theta"] = rope.pop("rope_theta")
    text["partial_rotary_factor"] = rope.pop("partial_rotary_factor")
    text["rope_scaling"] = {"type": rope.pop("rope_type"), **rope}
    kinds = text["layer_types"]
    interval = interval_of(kinds)
    if kinds == hybrid(len(kinds), interval):
        del text["layer_types"]
        text["full_attention_interval"] = interval
    return text


def old_spelling(config: Config) -> Config:
    """rope_theta, partial_rotary_factor and rope_scaling beside each other, and full_attention_interval instead
    of layer_types; a tower with the type of the whole model."""
    if "text_config" not in config:
        return flat(config)
    config = {**config, "text_config": flat(config["text_config"])}
    if "vision_config" in config:
        vision = {name: value for name, value in config["vision_config"].items() if name != "rope_parameters"}
        config["vision_config"] = {**vision, "model_type": config["model_type"]}
    return config


def wrapper(model_type: str, model_class: str):
    def multimodal_config(text: Config, towers: bool) -> Config:
        """The members beside text_config of a checkpoint without a tower."""
        return {} if towers else {"architectures": [model_class], "model_type": model_type, **marks(text["vocab_size"]),
                "tie_word_embeddings": text.get("tie_word_embeddings", False)}
    return multimodal_config


def from_mlx(state: dict) -> dict:
    """mlx-lm and mlx-vlm store convolutions channels last, and 1 + weight of the norms that have it. The text model alone
    has no `language_model` in its names."""
    def one(name, tensor):
        if name.endswith("conv1d.weight"):
            return tensor.moveaxis(2, 1).contiguous()
        if tensor.dim() == 1 and "norm" in name and "linear_attn" not in name and not name.startswith(TOWER):
            return tensor.double() - 1
        return tensor
    text = "model.language_model." if any(name.startswith(TOWER) for name in state) else "model."
    return {name.replace("model.language_model.", text): one(name, tensor)
            for name, tensor in state.items()}


def quantizable(variant: Variant) -> Variant:
    """mlx-lm knows the model type of the wrapper alone, and the interval, not layer_types."""
    kinds = variant.config["layer_types"]
    interval = interval_of(kinds)
    return replace(variant, wrapper="bare", spelling="new", writes={"full_attention_interval": interval},
                   config={**variant.config, "layer_types": hybrid(len(kinds), interval), "attention_bias": False})


def interval_of(kinds: list[str]) -> int:
    """The full_attention_interval that says the same, or of which only the first part is right."""
    return kinds.index("full_attention") + 1 if "full_attention" in kinds else len(kinds) + 1


def wrapped(variants: list[Variant], text: tuple[str, ...]) -> list[Variant]:
    """The variants, all but those named in `text` as they are published: with a text_config that has both
    layer_types and full_attention_interval."""
    return [one if one.name in text or one.wrapper != "text" else replace(one, wrapper="bare", writes={
        "full_attention_interval": interval_of(one.config["layer_types"]), **one.writes}) for one in variants]


GROUPED: Config = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "layer_types": hybrid(2, 2), "vocab_size": 48,
    "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "linear_key_head_dim": 8,
    "linear_value_head_dim": 16, "rope_parameters": {**ROPE, "mrope_section": [3, 3, 2]}}


def pictured(base: Config) -> list[Variant]:
    """The variants with a tower."""
    base = {**base, "vision": VISION}
    two = {"num_hidden_layers": 2, "layer_types": hybrid(2, 2), "vocab_size": 53}
    return [
        made(base, "tower", "A part of the tower, its features given to the wrong tokens, a position of interleaved "
             "M-RoPE over a part of a head, or a state that loses the tokens of an image", PICTURES,
             proves=("activations",), more_runs=8),
        made(base, "tower-old", "A tower whose type is that of the whole model refused, a tied head taken for a "
             "missing one, or rope_scaling ignored", ("image", "images-batch", "image-narrow"), two, {},
             {"tie_word_embeddings": True}, spelling="old", dtype="bfloat16"),
        made(base, "tower-epsilons", "An epsilon of any norm", ("images",), {**two, "vocab_size": 97}, {},
             weight_rules=FAINT, proves=("epsilons",)),
        made(base, "mlx-4bit-images", "A tower in plain numbers beside delta nets in groups, its norms taken for those that "
             "are stored with 1 added, or a patch embedding whose channels are last misread", ("images",), GROUPED,
             {"depth": 2}, dtype="bfloat16", groups=Groups(4, 32), writes={"full_attention_interval": 2}),
    ]


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=hybrid(2, 2))
    return wrapped([
        Variant("base", base, "A state or a convolution that loses tokens between steps, a norm without its "
                "1 + w, or a gate of the attention left out", (*STANDARD, "limit"), more_runs=8),
        Variant("old", two, "rope_theta, partial_rotary_factor or full_attention_interval beside rope_scaling "
                "misread", ("single", "batch"), spelling="old", dtype="float16"),
        Variant("wrapper", {**two, "tie_word_embeddings": True}, "A language model below "
                "model.language_model, or a tied head misread", ("single", "generate"),
                dtype="bfloat16"),
        Variant("one-key-head", {**two, "linear_num_key_heads": 1, "linear_num_value_heads": 3,
                                 "linear_key_head_dim": 7, "linear_conv_kernel_dim": 2},
                "A value head that reads another head's key, or a convolution over two tokens",
                (*STANDARD, "narrow"), dtype="bfloat16"),
        Variant("equal-heads", {**two, "linear_num_key_heads": 3, "linear_num_value_heads": 3,
                                "linear_key_head_dim": 4, "linear_conv_kernel_dim": 7},
                "A convolution longer than the prompt", ("single", "batch"), dtype="bfloat16"),
        Variant("biases", {**two, "attention_bias": True},
                "A forgotten bias of q, k, v or o, or gates taken for queries", ("single", "greedy"),
                dtype="bfloat16"),
        Variant("sharded", {**two, "layer_types": ["full_attention", "linear_attention"]},
                "A tensor looked for in the wrong shard, or full_attention_interval taken although layer_types "
                "says otherwise", dtype="bfloat16", n_shards=2, writes={"full_attention_interval": 2}),
        Variant("yarn-old", {**two, "rope_parameters": {
            **base["rope_parameters"], "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}},
                "rope_scaling of type yarn over a part of a head misread", spelling="old", dtype="bfloat16"),
        Variant("small-variance", {**two, "vocab_size": 107}, "An epsilon that is too large, too small or added "
                "to the root, of a norm, of the delta net's norm, or of the lengths of its queries and keys",
                ("single", "batch"), weight_rules=SMALL, proves=("epsilons",)),
        Variant("large-gates", two, "A softplus, a sigmoid or a softmax by exponentials that overflow, or a sum of a delta net in "
                "float16: gates and scores are above 88 and below -88, values are 60,000", ("batch",),
                weight_rules=(*LARGE, *normed_scores(base["head_dim"], base["head_dim"] ** -0.5, offset=1.0)), typical=True, typical_layers=True),
        Variant("defaults", small({k: v for k, v in base.items() if k not in ("rope_parameters", "layer_types")},
                                  num_hidden_layers=4, max_position_embeddings=32768),
                "An epsilon, activation, rope, rotary share, or kind of layer that config.json leaves to the "
                "published default", dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings",
                       "rms_norm_eps", "rope_parameters", "tie_word_embeddings")),
        lengths(small(base, num_hidden_layers=2, layer_types=hybrid(2, 2)), LENGTHS_FEW_ROWS),
        Variant("mlx-4bit", grouped(base, 64, 96, 2, 1, 32, vocab_size=61, num_hidden_layers=2,
                                    layer_types=hybrid(2, 2), linear_key_head_dim=32, linear_value_head_dim=24,
                                    rope_parameters={**ROPE, "mrope_section": [3, 3, 2]}),
                "A norm of a converted checkpoint with 1 added twice, or its convolution read channels first",
                ("single", "batch"), dtype="bfloat16", groups=Groups(4, 32)),
        Variant("mlx-8bit", grouped(base, 64, 96, 2, 1, 32, vocab_size=61, num_hidden_layers=2,
                                    layer_types=hybrid(2, 2), linear_key_head_dim=8, linear_value_head_dim=16,
                                    rope_parameters={**ROPE, "mrope_section": [3, 3, 2]}),
                "Codes of eight bits of a delta net's projections misread", ("single", "generate"),
                dtype="float16", groups=Groups(8, 64)),
        *pictured(base),
    ], text=("old", "sharded", "yarn-old", "defaults"))


def random(rng: np.random.Generator, base: Config) -> Variant:
    share = rotary_share(base["head_dim"])
    rope = {**ROPE, "partial_rotary_factor": share,
            "mrope_section": sections(rng, int(base["head_dim"] * share) // 2)}
    config = {**base, "attention_bias": bool(rng.integers(2)), "rope_parameters": rope,
              "tie_word_embeddings": bool(rng.integers(2)), "rms_norm_eps": pick(rng, (1e-6, 1e-5))}
    if rng.integers(2):
        config["layer_types"] = [pick(rng, ("linear_attention", "full_attention"))
                                 for _ in range(config["num_hidden_layers"])]
        config["layer_types"][0] = "linear_attention"
        config["layer_types"][-1] = "full_attention"
    if rng.integers(3) == 0:
        vision = {**VISION, **tower_dims(rng, {base["hidden_size"], base.get("intermediate_size", 0)})}
        vision["num_position_embeddings"] = pick(rng, (9, 16, 25, 49))
        return made({**config, "vision": vision}, "", "A misread Qwen3.5 with a tower", (), {}, {},
                    {"tie_word_embeddings": config["tie_word_embeddings"]})
    return Variant("", config, "A misread Qwen3.5", wrapper=pick(rng, ("text", "bare")))


FAMILY = Family(
    name="qwen3_5", config_class="Qwen3_5TextConfig", model_class="Qwen3_5ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, multimodal_config=wrapper("qwen3_5", "Qwen3_5ForConditionalGeneration"),
    multimodal_config_class="Qwen3_5Config", multimodal_model_class="Qwen3_5ForConditionalGeneration",
    pictures=Grids(frames_apart=True), quantizable=quantizable, from_mlx=from_mlx,
    saved=("base", "sharded", "tower", "tower-old"),
    published={
        "Qwen/Qwen3.5-27B": ("tower-old", {"": {"transformers_version": "4.57.0.dev0"}, "text_config": {
        "attn_output_gate": True, "mamba_ssm_dtype": "float32", "mlp_only_layers": [], "mtp_num_hidden_layers": 1,
        "mtp_use_dedicated_embeddings": False}}),
    },
)
