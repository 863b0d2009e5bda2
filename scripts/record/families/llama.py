"""Llama: a decoder without special features, with which most rope variants are recorded."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.large import MASSIVE, scores
from ..variants.variant import LENGTHS, STANDARD, Config, Family, Groups, Variant, lengths, rows, small

BASE: Config = {
    "vocab_size": 101, "hidden_size": 28, "intermediate_size": 43, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
LIMIT = 16  # length at which dynamic rope starts to grow
ROPES: dict[str, Config] = {
    "linear": {"rope_type": "linear", "factor": 2.5, "rope_theta": 10000.0},
    "dynamic": {"rope_type": "dynamic", "factor": 3.0, "rope_theta": 10000.0},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
               "rope_theta": 500000.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128,
             "rope_theta": 10000.0},
    "yarn-mscale": {"rope_type": "yarn", "factor": 8.0, "mscale": 0.9, "mscale_all_dim": 0.6,
                    "beta_fast": 16.0, "beta_slow": 2.0, "original_max_position_embeddings": 64,
                    "rope_theta": 10000.0},
    "yarn-attention-factor": {"rope_type": "yarn", "factor": 8.0, "attention_factor": 1.3,
                              "truncate": False, "original_max_position_embeddings": 64,
                              "rope_theta": 10000.0},
}
# Every activation name of config.json, except the family's own.
ACTIVATIONS = ("swish", "gelu", "gelu_python", "gelu_pytorch_tanh", "gelu_python_tanh", "gelu_new", "quick_gelu", "relu")
# Members of yarn that some readers ignore, one per variant.
YARN_MEMBERS: dict[str, Config] = {
    "yarn-given-factor-old": {"attention_factor": 1.3},
    "yarn-untruncated-old": {"truncate": False},
    "yarn-mscale-alone-old": {"mscale": 0.5},
}


def old_spelling(config: Config) -> Config:
    """The oldest spelling: no head size if it is hidden / heads, and no number of KV heads without GQA."""
    config = flat_old_rope(config)
    heads = config["num_attention_heads"]
    if config["head_dim"] == config["hidden_size"] // heads:
        del config["head_dim"]
    if config["num_key_value_heads"] == heads:
        del config["num_key_value_heads"]
    return config


def config_variants(base: Config) -> list[Variant]:
    """Spellings and defaults of a config, activations, lengths, and quantised weights."""
    return [
        *(Variant(name, small(base, rope_parameters={
            **ROPES["yarn"], "original_max_position_embeddings": 64, **member}),
            f"{', '.join(member)} of yarn misread in rope_scaling", spelling="old",
            dtype="bfloat16") for name, member in YARN_MEMBERS.items()),
        Variant("defaults", small(
            {k: v for k, v in base.items() if k != "head_dim"}, hidden_size=24,
            num_key_value_heads=base["num_attention_heads"], max_position_embeddings=2048, rms_norm_eps=1e-6),
            "An epsilon, activation, rope, head size or number of KV heads that config.json leaves "
            "to the published default", dtype="bfloat16",
            omits=("attention_bias", "head_dim", "hidden_act", "max_position_embeddings", "mlp_bias",
                   "num_key_value_heads", "rms_norm_eps", "rope_parameters",
                   "tie_word_embeddings")),
        Variant("tied-stored", small(base, tie_word_embeddings=True), "A checkpoint refused because "
                "it holds a head that is tied", dtype="bfloat16", stores_head=True),
        Variant("both-spellings", small(base, rope_parameters={
            **ROPES["yarn-mscale"], "original_max_position_embeddings": 64}),
            "rope_scaling beside rope_parameters that say the same refused, or applied twice",
            dtype="bfloat16", writes={"rope_scaling": {
                k: v for k, v in ROPES["yarn-mscale"].items() if k != "rope_theta"}}),
        Variant("yarn-unsaid-length", small(base, rope_parameters={
            k: v for k, v in ROPES["yarn"].items() if not k.startswith("original")},
            max_position_embeddings=128), "The length of the first training, which yarn takes for "
            "max_position_embeddings where it is not said, taken for another", dtype="bfloat16"),
        Variant("yarn-unsaid-factor", small(base, rope_parameters={
            "rope_type": "yarn", "rope_theta": 10000.0, "original_max_position_embeddings": 64,
            "factor": None}, max_position_embeddings=256), "The factor of yarn, which is that of the "
            "two lengths where it is not said, taken for 1", dtype="bfloat16"),
        *(Variant(f"act-{name.replace('_', '-')}", small(base, hidden_act=name, vocab_size=19),
                  f"hidden_act {name} misread", dtype="bfloat16") for name in ACTIVATIONS),
        Variant("large-scores", small(base), "A softmax without its maximum: scores are above 88 and below -88",
                ("single", "batch"), weight_rules=scores(), typical=True, typical_layers=True),
        Variant("large-activations", small(base), "A sum, a square or a product in float16: activations are 60,000",
                ("single", "batch"), dtype="bfloat16", weight_rules=MASSIVE, typical=True, typical_layers=True),
        lengths(small(base, num_hidden_layers=2), (*LENGTHS, "twins-blocks")),
        rows(small(base, num_hidden_layers=2)),
        Variant("mlx-4bit", grouped(base, 64, 192, 4, 1, 32, vocab_size=61, num_hidden_layers=2),
                "Codes of four bits taken from the wrong end of a word, or scale and bias of the "
                "wrong group", ("single", "batch"), spelling="old", dtype="bfloat16",
                groups=Groups(4, 64)),
        Variant("mlx-terse", grouped(base, 64, 192, 4, 1, 32, vocab_size=61, num_hidden_layers=1),
                "A module that quantization calls false looked for in groups, or one with its own "
                "bits or group size alone read in those of all", spelling="old", dtype="bfloat16",
                groups=Groups(8, 32, (
                    (r"k_proj", None), (r"v_proj", {"group_size": 32, "bits": 4}),
                    (r"o_proj", {"group_size": 64, "bits": 8})), terse=True)),
        Variant("mlx-2bit", grouped(base, 128, 256, 4, 2, 12, vocab_size=61, num_hidden_layers=1,
                                    attention_bias=True, mlp_bias=True),
                "A group of 128 read as two, the bias of a layer confused with those of its "
                "groups, or a matrix that is no multiple of the group taken for quantised",
                ("single", "greedy"), spelling="old", groups=Groups(2, 128)),
        Variant("mlx-8bit", grouped(base, 64, 96, 4, 2, 8, vocab_size=61, num_hidden_layers=1),
                "Codes of eight bits read as signed", spelling="old", dtype="float16",
                groups=Groups(8, 32)),
    ]


def variants(base: Config) -> list[Variant]:
    hidden, heads = base["hidden_size"], base["num_attention_heads"]
    implied = {k: v for k, v in base.items() if k != "head_dim"}
    implied["hidden_size"] = heads * 2 * max(3, hidden // heads // 2)

    def rope(name: str, **more) -> Config:
        """base with this rope; two layers detect a wrong table as well as three, in less space."""
        return {**base, "num_hidden_layers": 2, "rope_parameters": ROPES[name], **more}

    return [
        Variant("base", base, "A wrong RMSNorm, GQA grouping, SwiGLU, explicit head size or untied "
                "head", (*STANDARD, "limit")),
        Variant("old", {**implied, "tie_word_embeddings": True}, "A tied head read as untied, or a "
                "config with rope_theta and without head_dim misread", ("single", "batch"),
                spelling="old", dtype="float16"),
        Variant("biases", {**base, "attention_bias": True, "mlp_bias": True},
                "A forgotten bias of q, k, v, o or of the MLP", ("single", "batch"),
                dtype="bfloat16"),
        Variant("sharded", rope("linear"), "A tensor looked for in the wrong shard, or positions "
                "that linear rope did not divide", n_shards=3, dtype="bfloat16"),
        Variant("linear-old", rope("linear"), "rope_scaling of type linear ignored", spelling="old",
                dtype="bfloat16"),
        Variant("dynamic", rope("dynamic", max_position_embeddings=LIMIT),
                "A dynamic NTK base that does not follow the length of the whole sequence",
                ("single", "long", "crossing", "rows-decode-1024"), dtype="bfloat16", length_limit=LIMIT),
        Variant("llama3", rope("llama3"), "A wavelength band of llama3 rope missed, or a stop id "
                "that only generation_config.json names", ("single", "batch", "generate"),
                stop_in="generation_config", dtype="bfloat16"),
        Variant("llama3-old", rope("llama3"), "rope_scaling with rope_type llama3 ignored",
                spelling="old", dtype="float16"),
        Variant("yarn", rope("yarn"), "A yarn ramp between wrong dimensions, or its attention "
                "factor left out", ("single", "batch"), dtype="bfloat16"),
        Variant("yarn-old", rope("yarn"), "rope_scaling of type yarn ignored", spelling="old",
                dtype="bfloat16"),
        Variant("yarn-mscale", rope("yarn-mscale"), "mscale / mscale_all_dim not applied to cos "
                "and sin, or other betas ignored", dtype="bfloat16"),
        Variant("yarn-attention-factor", rope("yarn-attention-factor"), "A given attention_factor "
                "recomputed, or truncate false ignored", dtype="bfloat16"),
        Variant("theta", small(base, rope_parameters={
            "rope_type": "default", "rope_theta": 500000.0}),
            "rope_theta not looked for in rope_parameters", ("single", "greedy"),
            dtype="bfloat16"),
        Variant("untied-unsaid", small(base), "A head taken for tied because the config does not "
                "say that it is not", spelling="old", dtype="bfloat16",
                omits=("tie_word_embeddings",)),
        Variant("dynamic-old", small(rope("dynamic", max_position_embeddings=LIMIT)),
                "rope_scaling of type dynamic that takes each call for the whole sequence",
                ("single", "batch", "long", "crossing"), spelling="old", dtype="bfloat16",
                length_limit=LIMIT),
        Variant("yarn-rope-type", small(rope("yarn-mscale")), "rope_scaling that says "
                "rope_type, its mscale, mscale_all_dim or betas ignored", spelling="mixed",
                dtype="bfloat16"),
        *config_variants(base),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    name = pick(rng, ("default", *ROPES))
    config = {**base, "attention_bias": bool(rng.integers(2)), "mlp_bias": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2))}
    if name != "default":
        config["rope_parameters"] = ROPES[name]
    limit = None
    if name == "dynamic":
        limit = config["max_position_embeddings"] = int(rng.integers(8, 20))
    return Variant("", config, f"A misread Llama with {name} rope", length_limit=limit)


FAMILY = Family(
    name="llama", config_class="LlamaConfig", model_class="LlamaForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random,
    old_spelling=old_spelling,
    quantizable=lambda variant: variant,
    saved=("base", "old", "theta", "llama3", "llama3-old"),
    published={
        "meta-llama/Llama-3.1-8B": ("llama3-old", {"": {"transformers_version": "4.43.0.dev0", "bos_token_id": 128000, "pretraining_tp": 1}}),
        "TinyLlama/TinyLlama-1.1B-Chat-v1.0": ("old", {"": {"transformers_version": "4.35.0", "rope_scaling": None, "pretraining_tp": 1}}),
    },
)
