"""Gemma 4 text: layers of two kinds, per-layer inputs, shared KV, k = v, experts parallel to the MLP."""

from __future__ import annotations

import math

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Positions
from ..variants.dims import attention_dims, grouped, pick
from ..variants.large import normed_scores
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, layer_pattern, lengths, rows, small
from ..variants.vision import FAINT
from ..variants.weights import around, fan_in, unused_kv

WINDOW = 6
BASE: Config = {
    "vocab_size": 105, "hidden_size": 26, "intermediate_size": 35, "num_hidden_layers": 6,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 10, "global_head_dim": 16,
    "sliding_window": WINDOW, "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "layer_types": layer_pattern(6, 3), "hidden_size_per_layer_input": 0,
    "vocab_size_per_layer_input": 105, "pad_token_id": 0,
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,
                           "rope_theta": 1000000.0},
    },
}
PER_LAYER: Config = {"hidden_size_per_layer_input": 7}
SHARED: Config = {"num_kv_shared_layers": 3, "use_double_wide_mlp": True}
EXPERTS: Config = {"enable_moe_block": True, "num_experts": 5, "top_k_experts": 2,
                   "moe_intermediate_size": 14}
K_EQ_V: Config = {"attention_k_eq_v": True, "num_global_key_value_heads": 1}

# The attention scale is 1, so q_norm has to contain the factor 1/sqrt(head size); embedding rows are multiplied
# by sqrt(size) after look-up; the router divides by sqrt(hidden size).
WEIGHT_RULES = (
    (r"q_norm\.weight$", lambda rng, shape: around(0.9 / math.sqrt(shape[0]),
                                                   0.25 / math.sqrt(shape[0]))(rng, shape)),
    (r"embed_tokens_per_layer\.weight$", around(0.0, 0.4)),
    (r"router\.proj\.weight$", around(0.0, 1.5)),
)


IMAGE_CASES = tuple(name for name in PICTURES if name.startswith("image"))


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n_layers = int(rng.integers(6, 9))
    wider = pick(rng, [d for d in (8, 12, 16, 20, 24) if d > dims["head_dim"]])
    return {**dims, "num_hidden_layers": n_layers, "layer_types": layer_pattern(n_layers, 3),
            "global_head_dim": wider, "vocab_size_per_layer_input": dims["vocab_size"],
            "sliding_window": int(rng.integers(4, 9))}


def old_spelling(config: Config) -> Config:
    """The spelling of the first release: global_head_dim and num_global_key_value_heads, no per_layer_config."""
    config = dict(config)
    text = dict(config["text_config"]) if "text_config" in config else config
    overrides = next(iter(text.pop("per_layer_config").values()))
    text["global_head_dim"] = overrides["head_dim"]
    text["num_global_key_value_heads"] = overrides.get("num_key_value_heads")
    if text is not config:
        config["text_config"] = text
    return config


def multimodal_config(_: Config, towers: bool) -> Config:
    """Constructor arguments besides text_config; towers: with a small vision tower."""
    vision = {"hidden_size": 18, "intermediate_size": 22, "num_hidden_layers": 1,
              "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "patch_size": 4,
              "position_embedding_size": 24, "pooling_kernel_size": 2}
    return {"vision_config": vision if towers else None, "audio_config": None}


def extra_tensors(checkpoint, rng: np.random.Generator) -> dict:
    """The unused key and value weights of shared layers, which published multimodal files contain."""
    if checkpoint.variant.wrapper != "towers" or not checkpoint.variant.config.get("num_kv_shared_layers"):
        return {}
    return unused_kv(checkpoint.truth.text, "model.language_model.layers", rng,
                     checkpoint.variant.dtype)


VISION: Config = {
    "hidden_size": 18, "intermediate_size": 22, "num_hidden_layers": 2, "num_attention_heads": 2,
    "num_key_value_heads": 1, "head_dim": 8, "patch_size": 4, "position_embedding_size": 13, "pooling_kernel_size": 2,
}
TOWER_RULES = (
    (r"position_embedding_table$", around(0.0, 0.7)),
    (r"std_bias$", around(0.0, 0.3)),
    (r"(in|out)put_min$", lambda rng, shape: rng.uniform(-1.6, -0.8, shape)),
    (r"(in|out)put_max$", lambda rng, shape: rng.uniform(0.8, 1.6, shape)),
)
# Norms after attention and MLP leave little, so that every norm's input is small; see vision.FAINT_RULES. Queries,
# keys and values are so small that their norms do not undo an error of the norm before them.
FAINT_RULES = (
    (r"(q|k|v)_proj(\.linear)?\.weight$", fan_in(0.002)),
    (r"(o|down)_proj\.linear\.weight$", fan_in(FAINT)),
    (r"input_proj\.weight$", fan_in(FAINT / 2)),
    (r"position_embedding_table$", around(0.0, FAINT / 2)),
    (r"std_scale$", around(0.3, 0.1)),
    (r"language_model\.norm\.weight$", around(2 / FAINT, 0.5 / FAINT)),  # the tied head is as small as the embedding
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape) / math.sqrt(shape[1])),
    (r"post_\w+norm\w*\.weight$", around(FAINT, FAINT / 3)),
    (r"(embedding_projection|per_layer_projection|(o|down)_proj)\.weight$", fan_in(FAINT)),
)


def pictured(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
             vision: Config | None = None, weight_rules: tuple = (), **more) -> Variant:
    """A variant whose vision tower takes images; text, vision: members that differ from base and VISION."""
    config = {**base, **(text or {})}
    members = ("boi_token_id", "eoi_token_id", "image_token_id", "video_token_id", "audio_token_id")
    ids = {member: config["vocab_size"] - 6 + i for i, member in enumerate(members)}
    return Variant(name, config, catches, cases, wrapper="towers", weight_rules=(*weight_rules, *TOWER_RULES),
                   outer={"vision_config": {**VISION, **(vision or {})}, **ids}, **more)


GROUPED: Config = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "layer_types": layer_pattern(2, 2), "vocab_size": 48,
    "vocab_size_per_layer_input": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "global_head_dim": 16}


def image_variants(base: Config) -> list[Variant]:
    types = layer_pattern(4, 2)
    less = small(base, num_hidden_layers=4, layer_types=types, vocab_size=53, vocab_size_per_layer_input=53)
    deep = {**PER_LAYER, "num_kv_shared_layers": 2}
    blocks = {"use_bidirectional_attention": "vision"}
    return [
        pictured(base, "tower", "A part of the tower, its features given to the wrong tokens, or scaled as embeddings",
                 ("single", "batch", *IMAGE_CASES), {"num_hidden_layers": 4, "layer_types": types},
                 spelling="old", proves=("activations",)),
        pictured(less, "tower-blocks", "An image that is no block, a block on full layers, or one that the window does "
                 "not cut", ("images", "images-batch", "images-generate"), blocks, {"standardize": True}, spelling="old",
                 dtype="bfloat16"),
        pictured(less, "tower-clipped", "A limit of a product ignored, or that of its input taken for that of its output",
                 ("images", "images-batch"), {**deep}, {"use_clipped_linears": True, "num_key_value_heads": 2},
                 dtype="bfloat16"),
        pictured(less, "tower-layer-inputs", "Per-layer inputs of placeholder tokens that are not those of padding, or a "
                 "size of the tower that is taken for a constant", ("images", "images-batch"), {**deep, **blocks},
                 {"pooling_kernel_size": 3, "patch_size": 5, "num_attention_heads": 3, "num_key_value_heads": 3,
                  "standardize": True, "hidden_activation": "gelu"}, dtype="bfloat16"),
        pictured({**base, **GROUPED}, "mlx-4bit-images", "A tower in plain numbers beside a text model in groups, or its "
                 "patch or projection misread", ("images",), {}, {}, spelling="old", dtype="bfloat16",
                 groups=Groups(4, 32)),
        pictured({**base, **GROUPED}, "mlx-4bit-tower", "A tower in groups, or a matrix of it whose width is no multiple of "
                 "the group size", ("images",), {}, {"hidden_size": 32, "intermediate_size": 40, "num_attention_heads": 4,
                                                     "num_hidden_layers": 1},
                 spelling="old", dtype="bfloat16", groups=Groups(4, 32, (), towers=True)),
        pictured(less, "tower-epsilons", "An epsilon of any norm", ("images",), {**PER_LAYER}, {"standardize": True},
                 weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
    ]


def model_variants(base: Config) -> list[Variant]:
    """k = v, and experts."""
    return [
        Variant("k-eq-v", {**base, **K_EQ_V}, "Values taken after k norm or rope instead of "
                "before, or KV heads of full layers miscounted", ("single", "batch", "window"),
                spelling="old", dtype="bfloat16"),
        Variant("k-eq-v-new", {**base, **K_EQ_V}, "num_key_value_heads of per_layer_config ignored",
                dtype="bfloat16"),
        Variant("k-eq-v-one-size", {**small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                                            global_head_dim=base["head_dim"], vocab_size_per_layer_input=47),
                                    **K_EQ_V},
                "A layer of per_layer_config that says nothing of head_dim refused, or given another",
                dtype="bfloat16"),
        Variant("experts", {**base, **K_EQ_V, **EXPERTS}, "A router fed with the normed residual, "
                "weights not renormalised, or the dense MLP dropped beside the experts",
                (*STANDARD, "narrow"), spelling="old", dtype="bfloat16"),
    ]


def multimodal_variants(base: Config, full: Config) -> list[Variant]:
    """Multimodal wrappers and quantised weights. full: base with per-layer inputs and shared KV."""
    return [
        Variant("multimodal", full, "Text weights not found below model.language_model, or a null "
                "vision_config refused", ("single", "batch"), wrapper="multimodal",
                dtype="bfloat16", n_shards=2),
        Variant("multimodal-old", {**full, "final_logit_softcapping": 6.0}, "A text_config in the "
                "older spelling, or vision weights that nobody asked for, in the way",
                ("single",), wrapper="towers", spelling="old", dtype="bfloat16"),
        Variant("placeholders", small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2), vocab_size=19,
                                      vocab_size_per_layer_input=19),
                "The id of an image, a sound or a video embedded as it stands where nothing takes its place",
                wrapper="multimodal", dtype="bfloat16",
                outer={"image_token_id": 3, "audio_token_id": 7, "video_token_id": 12}),
        Variant("blocks", small(base, **PER_LAYER, num_hidden_layers=4, num_kv_shared_layers=2,
                                layer_types=layer_pattern(4, 2), vocab_size=23, vocab_size_per_layer_input=23,
                                use_bidirectional_attention="vision"),
                "Image and video tokens that do not attend to the later tokens of their block, or do so in full "
                "layers too, or beyond the window", ("blocks", "blocks-steps", "blocks-long"), wrapper="multimodal",
                spelling="old", dtype="bfloat16",
                outer={"image_token_id": 3, "audio_token_id": 7, "video_token_id": 12}),
        Variant("odd-share", small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                                   global_head_dim=20, vocab_size_per_layer_input=47),
                "A rotated share of 5 elements of 20 rounded up to three angles instead of down to "
                "two", spelling="old", dtype="bfloat16"),
        Variant("mlx-4bit-experts", {
            **grouped(base, 64, 192, 4, 2, 16, vocab_size=61, num_hidden_layers=2,
                      layer_types=layer_pattern(2, 2), global_head_dim=32),
            **K_EQ_V, **EXPERTS, "num_experts": 3, "moe_intermediate_size": 128},
            "A router read in the width of all other modules, or experts beside the MLP in the "
            "wrong groups", ("single", "batch", "narrow"), spelling="old", dtype="bfloat16",
            groups=Groups(4, 64)),
        Variant("mlx-multimodal", {
            **grouped(base, 64, 96, 4, 2, 8, vocab_size=61, num_hidden_layers=2,
                      layer_types=layer_pattern(2, 2), global_head_dim=16, vocab_size_per_layer_input=61)},
            "quantization looked for in text_config, where mlx-lm does not write it",
            wrapper="multimodal", spelling="old", dtype="bfloat16", groups=Groups(4, 32),
            outer={"vocab_size": 61}),
        Variant("multimodal-untied", small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2), vocab_size=19,
                                           vocab_size_per_layer_input=19, tie_word_embeddings=False),
                "The head of a multimodal model that is not tied taken for tied, or looked for where transformers "
                "has it alone", wrapper="multimodal", mlx_names=True, spelling="old", dtype="bfloat16",
                outer={"tie_word_embeddings": False, "vocab_size": 19}),
        Variant("multimodal-unstated", small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2), vocab_size=19,
                                             vocab_size_per_layer_input=19, tie_word_embeddings=False),
                "A head left to the published default, which is tied, taken for that of text_config",
                wrapper="multimodal", spelling="old", dtype="bfloat16", outer={"vocab_size": 19},
                omits_outer=("tie_word_embeddings", "image_token_id", "audio_token_id", "video_token_id")),
        Variant("mlx-8bit-layer-inputs", {
            **grouped(base, 64, 96, 4, 2, 8, vocab_size=61, num_hidden_layers=2,
                      layer_types=layer_pattern(2, 2), global_head_dim=16,
                      hidden_size_per_layer_input=32, vocab_size_per_layer_input=61)},
            "The table of per-layer inputs, or its projections, not widened", spelling="old",
            groups=Groups(8, 32, ((r"per_layer_projection", {"group_size": 32, "bits": 6}),))),
    ]


def variants(base: Config) -> list[Variant]:
    full = {**base, **PER_LAYER, **SHARED}
    return [
        Variant("dense", base, "Wrong post norms, layer scalar, value norm, proportional rope, "
                "head size of full layers or window of sliding ones", (*STANDARD, "window")),
        Variant("large-scores", small(base, **PER_LAYER, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                                       vocab_size_per_layer_input=47), "A softmax without its "
                "maximum, in a layer with a window and one without: scores are above 88 and below -88", ("window",),
                spelling="old", weight_rules=normed_scores(base["head_dim"], 1.0), typical=True, typical_layers=True),
        Variant("dense-old", base, "global_head_dim ignored", ("single", "batch", "window"),
                spelling="old", dtype="bfloat16"),
        Variant("softcap", {**base, "final_logit_softcapping": 6.0}, "A soft cap left out or put "
                "before the tied head", ("single", "generate"), dtype="bfloat16",
                stop_in="generation_config"),
        Variant("per-layer-inputs", {**base, **PER_LAYER}, "A wrong scale, norm or order of the "
                "per-layer inputs", ("single", "batch", "window"), spelling="old",
                dtype="bfloat16"),
        Variant("shared-kv", full, "Shared layers that read the wrong layer's keys, or its trimmed "
                "cache, or an MLP that is not doubled", (*STANDARD, "window"), spelling="old",
                dtype="float16"),
        Variant("shared-kv-new", full, "per_layer_config without global_head_dim misread on shared "
                "layers", dtype="bfloat16"),
        Variant("pages", small(base, **PER_LAYER, num_hidden_layers=4, num_kv_shared_layers=2,
                               layer_types=layer_pattern(4, 2), sliding_window=16,
                               vocab_size_per_layer_input=47),
                "A rotating cache overwritten one step early, or trimmed before the layers that share "
                "it have read it", ("pages",), spelling="old", dtype="bfloat16"),
        Variant("defaults", small({k: v for k, v in base.items() if k != "rope_parameters"},
                                  num_hidden_layers=7, layer_types=layer_pattern(7, 6), hidden_size=14,
                                  num_attention_heads=2, num_key_value_heads=1, head_dim=6,
                                  intermediate_size=13, global_head_dim=512, vocab_size=11,
                                  hidden_size_per_layer_input=256, vocab_size_per_layer_input=11,
                                  max_position_embeddings=131072),
                "An epsilon, activation, rope, head size or layer type that config.json leaves to the "
                "published default", ("window",), spelling="old", dtype="bfloat16", typical=True,
                omits=("attention_bias", "attention_k_eq_v", "final_logit_softcapping",
                       "global_head_dim", "hidden_activation", "hidden_size_per_layer_input",
                       "layer_types", "max_position_embeddings", "num_kv_shared_layers",
                       "rms_norm_eps", "rope_parameters", "tie_word_embeddings",
                       "use_double_wide_mlp")),
        Variant("last-slides", small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                                     vocab_size_per_layer_input=47,
                                     use_bidirectional_attention="vision"),
                "A last layer that slides because layer_types says so", ("window",), spelling="old",
                dtype="bfloat16", writes={"layer_types": ["sliding_attention"] * 2}),
        lengths(small(base, **PER_LAYER, num_hidden_layers=4, num_kv_shared_layers=2,
                      layer_types=layer_pattern(4, 2), sliding_window=70,
                      vocab_size_per_layer_input=11), spelling="old"),
        rows(small(base, num_hidden_layers=3, layer_types=layer_pattern(3, 2), sliding_window=70),
             spelling="old"),
        *model_variants(base),
        *multimodal_variants(base, full),
        *image_variants(base),
    ]


def random_tower(rng: np.random.Generator, config: Config) -> Variant:
    heads, kv = pick(rng, ((1, 1), (2, 1), (2, 2), (3, 1)))
    return pictured(config, "", "A misread Gemma 4 with a tower", (), {
        "use_bidirectional_attention": pick(rng, (None, "vision"))}, {
            "num_attention_heads": heads, "num_key_value_heads": kv, "head_dim": pick(rng, (4, 8, 12)),
            "hidden_size": int(rng.integers(13, 25)), "intermediate_size": int(rng.integers(26, 40)),
            "num_hidden_layers": int(rng.integers(1, 4)), "patch_size": pick(rng, (4, 5)),
            "pooling_kernel_size": pick(rng, (2, 3)), "position_embedding_size": 16,
            "standardize": bool(rng.integers(2)), "use_clipped_linears": bool(rng.integers(2))})


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = dict(base)
    if rng.integers(2):
        config |= {"hidden_size_per_layer_input": int(rng.integers(3, 9))}
    # transformers fails on shared layers without per-layer inputs; no published model has them
    if config["hidden_size_per_layer_input"] and rng.integers(2):
        config |= {"num_kv_shared_layers": int(rng.integers(1, config["num_hidden_layers"] - 2)),
                   "use_double_wide_mlp": bool(rng.integers(2))}
    if rng.integers(2):
        config |= {"attention_k_eq_v": True, "num_global_key_value_heads": pick(
            rng, [n for n in (1, 2, 3) if config["num_attention_heads"] % n == 0])}
    if rng.integers(3) == 0:
        config |= {**EXPERTS, "num_experts": int(rng.integers(4, 8))}
        if rng.integers(2):
            config |= {"num_hidden_layers": 3, "layer_types": layer_pattern(3, 2),
                       "num_kv_shared_layers": 0}
    if rng.integers(2):
        config["final_logit_softcapping"] = 6.0
    if rng.integers(3) == 0:
        return random_tower(rng, config)
    return Variant("", config, "A misread Gemma 4",
                   wrapper=pick(rng, ("text", "text", "multimodal")))


FAMILY = Family(
    name="gemma4", config_class="Gemma4TextConfig", model_class="Gemma4ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, multimodal_config_class="Gemma4Config",
    multimodal_model_class="Gemma4ForConditionalGeneration", multimodal_config=multimodal_config,
    extra_tensors=extra_tensors, quantizable=lambda variant: variant,
    pictures=Positions(),
    saved=("dense", "dense-old", "multimodal-old", "tower"),
    published={
        "google/gemma-4-E2B-it": ("multimodal-old", {"": {"transformers_version": "5.5.0.dev0", "vision_soft_tokens_per_image": 280},
        "text_config": {"dtype": "bfloat16"},
        "vision_config": {"default_output_length": 280, "dtype": "bfloat16", "global_head_dim": 8}}),
    },
)
