"""What the published class of the transformers of this environment makes of configs: the values that decide the mathematics, taken from the
modules of the model that it builds. Runs in the environment of any version, so it imports nothing of the recorder that
needs transformers.

    python -m scripts.record.configs.resolved CHECKPOINTS.json OUT.json

CHECKPOINTS.json: [{"config", "weights": directory}]. OUT.json: {"version", "facts": [facts, or {"error": text}]}."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from ..runs import timm_models

timm_models.prepare()
import torch
import transformers
from safetensors import safe_open

# Wider models than the checkpoints have are never built: a config of a version that ignores members of newer ones takes published sizes.
WIDTH_MAX = 512

ACTIVATIONS = {"SiLU": "silu", "SiLUActivation": "silu", "GELUActivation": "gelu", "GELU": "gelu", "PytorchGELUTanh": "gelu_pytorch_tanh",
               "GELUTanh": "gelu_pytorch_tanh", "QuickGELUActivation": "quick_gelu", "NewGELUActivation": "gelu_pytorch_tanh"}


def published(place: Path) -> torch.nn.Module:
    """The model of a directory, of the class that its config names."""
    config = transformers.AutoConfig.from_pretrained(place)
    config = getattr(config, "thinker_config", config)
    text = config.get_text_config()
    if text.hidden_size > WIDTH_MAX:
        raise ValueError(f"hidden_size is {text.hidden_size}, and not that of the weights")
    return load(head_class(config), place, config)


def head_class(config: Any) -> type:
    """The class that makes logits. Raises ValueError if there is none."""
    for mapping in (transformers.MODEL_FOR_CAUSAL_LM_MAPPING, transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING):
        if type(config) in mapping.keys() and is_named(config, kind := mapping[type(config)]):
            return kind
    raise ValueError(f"no class of a model with a head reads {type(config).__name__}")


def is_named(config: Any, kind: type) -> bool:
    """Whether the config is of this class; versions spell some names differently (Ernie4_5_VL_Moe, Ernie4_5_VLMoe)."""
    return kind.__name__.replace("_", "") in [name.replace("_", "") for name in config.architectures or [kind.__name__]]


def load(kind: type, place: Path, config: Any) -> torch.nn.Module:
    """The model with the weights of the directory. Raises ValueError if those have other sizes; versions store some of them transposed."""
    options = {"experts_implementation": "eager"} if int(transformers.__version__.split(".")[0]) >= 5 else {}
    model, loading = kind.from_pretrained(place, config=config, attn_implementation="eager", torch_dtype=torch.float32,
                                          ignore_mismatched_sizes=True, output_loading_info=True, **options)
    for name, stored, wanted in loading["mismatched_keys"]:
        if sorted(stored) != sorted(wanted):
            raise ValueError(f"{name} is {list(stored)} in the weights, and {list(wanted)} in the model")
    return model


def evaluate(model: torch.nn.Module) -> None:
    """Classes of earlier versions are built from some configs of later ones, and then cannot be evaluated."""
    with torch.no_grad():
        model.eval()(input_ids=torch.tensor([[1, 2, 3]]))


def decoder(model: torch.nn.Module) -> torch.nn.Module:
    """The module with the embedding and the layers."""
    return next(module for module in model.modules() if hasattr(module, "embed_tokens") and hasattr(module, "layers"))


def tower(model: torch.nn.Module) -> torch.nn.Module | None:
    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in ("visual", "vision_tower", "vision_model"):
            return module
    return None


def epsilon(module: torch.nn.Module) -> float | None:
    for name in ("variance_epsilon", "eps"):
        if isinstance(getattr(module, name, None), float):
            return getattr(module, name)
    return None


def first_epsilon(module: torch.nn.Module) -> float | None:
    return next((found for inner in module.modules() if (found := epsilon(inner)) is not None), None)


def activation(module: torch.nn.Module) -> str | None:
    """Of the first MLP; the merger of a tower has its own."""
    for inner in module.modules():
        for name in ("act_fn", "activation_fn", "act"):
            if isinstance(getattr(inner, name, None), torch.nn.Module):
                return ACTIVATIONS.get(type(getattr(inner, name)).__name__)
    return None


def frequencies(module: torch.nn.Module) -> dict[str, tuple[list[float], float]]:
    """The ropes of a module: inverse frequencies and the factor of cos and sin, by the type of layer, or "" for all."""
    found = {}
    for name, buffer in module.named_buffers(recurse=False):
        kind = name.removesuffix("inv_freq").rstrip("_")
        if name.endswith("inv_freq") and "original" not in name:
            factor = getattr(module, f"{kind}_attention_scaling" if kind else "attention_scaling", 1.0)
            found[kind] = ([float(f) for f in buffer.flatten()], float(factor))
    return found


def ropes(base: torch.nn.Module) -> dict[str, tuple[list[float], float]]:
    found = frequencies(base.rotary_emb)
    if hasattr(base, "rotary_emb_local"):  # transformers 4: Gemma 3n
        found = {"full_attention": found[""], "sliding_attention": frequencies(base.rotary_emb_local)[""]}
    return found


def window(attention: torch.nn.Module, text: Any) -> int | None:
    """That of the module; of the config, where the mask alone has the window (Mistral, Phi-3), and no member says which layers have it."""
    stated = attention if hasattr(attention, "sliding_window") or hasattr(text, "use_sliding_window") else text
    return getattr(stated, "sliding_window", None)


def experts(layer: torch.nn.Module) -> int:
    """The rows of the router; 0 where there is none."""
    for name in ("mlp.gate", "mlp.router", "mlp.text_moe.gate", "router.proj"):
        try:
            return layer.get_submodule(name).weight.shape[0]
        except AttributeError:
            continue
    return 0


def layer_facts(layer: torch.nn.Module, text: Any, kind: str | None, names: list[str]) -> dict[str, Any]:
    attention = next((getattr(layer, name) for name in ("self_attn", "cross_attn") if hasattr(layer, name)), None)
    if attention is None or (kind == "linear_attention" and hasattr(layer, "linear_attn")):
        return {"kind": "delta"}
    width = attention.o_proj.in_features
    head_dim = attention.head_dim
    return {"kind": "cross" if hasattr(layer, "cross_attn") else "attention", "heads": width // head_dim, "head_dim": head_dim,
            "window": window(attention, text) or 0, "experts": experts(layer),
            "rope": -1 if hasattr(layer, "cross_attn") else names.index(kind) if kind in names else 0}


def facts(model: torch.nn.Module) -> dict[str, Any]:
    base, text = decoder(model), model.config.get_text_config()
    found = ropes(base)
    names = sorted(found)
    kinds = getattr(text, "layer_types", None) or [None] * len(base.layers)
    said: dict[str, Any] = {
        "head": "tied" if model.get_output_embeddings().weight is model.get_input_embeddings().weight else "own",
        "epsilon": epsilon(base.norm), "activation": activation(base.layers[0]),
        "ropes": [{"frequencies": found[name][0], "factor": found[name][1]} for name in names],
        "layers": [layer_facts(layer, text, kind, names) for layer, kind in zip(base.layers, kinds)]}
    eyes = tower(model)
    if eyes is not None:
        turning = next((values[0] for inner in eyes.modules() if (values := list(frequencies(inner).values()))), None)
        said["tower"] = {"epsilon": first_epsilon(eyes), "activation": activation(eyes), "frequencies": turning and turning[0]}
    return said


def stores_head(weights: Path) -> bool:
    return any(name.endswith("lm_head.weight") for file in weights.glob("*.safetensors") for name in safe_open(file, "pt").keys())


def resolve(document: dict[str, Any], weights: Path) -> dict[str, Any]:
    document = {name: value for name, value in document.items() if name != "auto_map"}  # a class in the repository itself
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "config.json").write_text(json.dumps(document))
        for file in weights.glob("*.safetensors*"):
            os.symlink(file.resolve(), place / file.name)
        try:
            model = published(place)
            evaluate(model)
            found = facts(model)
            if found["head"] == "own" and not stores_head(weights):
                found["head"] = "missing"
            return found
        except Exception as error:  # whatever this version says to the config
            return {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"}


def main(source: str, out: str) -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    found = [resolve(row["config"], Path(row["weights"])) for row in json.loads(Path(source).read_text())]
    Path(out).write_text(json.dumps({"version": transformers.__version__, "facts": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
