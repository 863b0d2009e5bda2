"""Phi-3: fused qkv and gate_up, longrope, partial rotary, a window on every layer."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import STANDARD, Config, Family, Variant, lengths, small

LIMIT = 16  # original_max_position_embeddings of the longrope variants
BASE: Config = {
    "vocab_size": 104, "hidden_size": 40, "intermediate_size": 38, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
    "original_max_position_embeddings": 512, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
    "pad_token_id": 0, "sliding_window": None,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}


def longrope(base: Config, share: float = 1.0) -> Config:
    """base with longrope over a share of each head; larger factors for lower frequencies."""
    head_dim = base["hidden_size"] // base["num_attention_heads"]
    n_angles = int(head_dim * share) // 2
    rope = {"rope_type": "longrope", "rope_theta": 10000.0, "partial_rotary_factor": share,
            "short_factor": [round(1 + 0.13 * i, 2) for i in range(n_angles)],
            "long_factor": [round(1.2 + 0.9 * i * i, 2) for i in range(n_angles)]}
    return {**base, "rope_parameters": rope, "max_position_embeddings": 4 * LIMIT,
            "original_max_position_embeddings": LIMIT}


def partial_share(base: Config, at_most: float = 0.8) -> float:
    """A share of the head with an even number of rotated elements, less than all."""
    head_dim = base["hidden_size"] // base["num_attention_heads"]
    rotated = max(4, 2 * int(head_dim * at_most / 2))
    return rotated / head_dim


def old_spelling(config: Config, kind: str = "longrope") -> Config:
    """The older spelling: rope_scaling has the two factor lists; the original length is a member of the config."""
    config = flat_old_rope(config)
    if config["rope_scaling"]:
        scaling = config["rope_scaling"] | {"type": kind}
        scaling.pop("original_max_position_embeddings", None)
        config["rope_scaling"] = scaling
    return config


def variants(base: Config) -> list[Variant]:
    share = partial_share(base)
    across = ("single", "long", "crossing")
    return [
        Variant("base", base, "Fused qkv or gate_up split at the wrong row", STANDARD),
        Variant("window", {**base, "sliding_window": 6}, "A window that is not applied on every "
                "layer", ("single", "batch", "window"), dtype="bfloat16"),
        Variant("longrope", longrope(base), "Short and long factors confused, decided per token, "
                "or an attention factor that only the long ones get", (*across, "batch"),
                dtype="float16", length_limit=LIMIT),
        Variant("longrope-old", longrope(base), "rope_scaling of type longrope with the original "
                "length beside it misread", across, spelling="old", dtype="bfloat16",
                length_limit=LIMIT),
        Variant("partial-old", {**longrope({**base, "tie_word_embeddings": True}, share)},
                "partial_rotary_factor ignored, or a tied head read as untied",
                ("single", "long", "generate"), spelling="old", dtype="bfloat16",
                length_limit=LIMIT, stop_in="generation_config"),
        Variant("partial", {**base, "rope_parameters": {
            **base["rope_parameters"], "partial_rotary_factor": share}},
            "Elements past the rotary dimension rotated", dtype="bfloat16", n_shards=2),
        Variant("defaults", small(base, num_key_value_heads=base["num_attention_heads"],
                                  max_position_embeddings=4096,
                                  original_max_position_embeddings=4096), "An epsilon, activation, "
                "rope or number of KV heads that config.json leaves to the published default",
                dtype="bfloat16", omits=("hidden_act", "max_position_embeddings",
                                         "num_key_value_heads", "original_max_position_embeddings",
                                         "rms_norm_eps", "rope_parameters",
                                         "sliding_window", "tie_word_embeddings")),
        *(Variant(f"longrope-{kind}-old", longrope(small(base)), f"longrope that is called {kind}, "
                  "as it was first, refused or read as another rope", ("long",), spelling="old",
                  dtype="bfloat16", length_limit=LIMIT,
                  writes={"attention_bias": False, "rope_scaling": {
                      **{k: longrope(base)["rope_parameters"][k]
                         for k in ("short_factor", "long_factor")}, "type": kind,
                      "original_max_position_embeddings": LIMIT}})
          for kind in ("su", "yarn")),
        lengths(small(base, num_hidden_layers=2, original_max_position_embeddings=2048)),
        Variant("longrope-rope-type", longrope(small(base)), "rope_scaling that says rope_type "
                "refused", ("long", "greedy"), spelling="mixed", dtype="bfloat16", length_limit=LIMIT),
        Variant("longrope-given-factor-old", {**longrope(small(base)), "rope_parameters": {
            **longrope(base)["rope_parameters"], "attention_factor": 1.4}},
            "A given attention_factor recomputed", ("long",), spelling="old", dtype="bfloat16",
            length_limit=LIMIT),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "tie_word_embeddings": bool(rng.integers(2)),
              "sliding_window": pick(rng, (None, 3, 5, 8))}
    share = pick(rng, (1.0, partial_share(base)))
    limit = None
    if rng.integers(2):
        config, limit = longrope(config, share), LIMIT
    else:
        config["rope_parameters"] = {**base["rope_parameters"], "partial_rotary_factor": share}
    return Variant("", config, "A misread Phi-3", length_limit=limit)


FAMILY = Family(
    name="phi3", config_class="Phi3Config", model_class="Phi3ForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants,
    random=random, old_spelling=old_spelling,
    quantizable=lambda variant: variant,
    saved=("base", "partial", "partial-old", "longrope", "longrope-old"),
    published={
        "microsoft/Phi-3-mini-128k-instruct": ("partial-old", {"": {
        "transformers_version": "4.40.2", "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"}, "embd_pdrop": 0.0,
        "original_max_position_embeddings": 512, "resid_pdrop": 0.0}}),
        "microsoft/Phi-4-mini-instruct": ("partial-old", {"": {
        "transformers_version": "4.45.0", "full_attn_mod": 1, "interpolate_factor": 1, "lm_head_bias": False, "mlp_bias": False,
        "resid_pdrop": 0.0}}),
    },
)
