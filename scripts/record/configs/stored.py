"""The tensors that the classes of the transformers of this environment write: each checkpoint is loaded and saved again, as a whole and, where
a class makes logits of it, its part that writes text. Runs in the environment of any version.

    python -m scripts.record.configs.stored CHECKPOINTS.json OUT.json

CHECKPOINTS.json: {name: directory}. OUT.json: {"version", "stored": {name: {"whole": stored, "text": stored}}}, stored being {"config", "tensors":
{name: digest}}; a checkpoint is left out that this version cannot load, or of which it misses a tensor."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from . import resolved  # first: it prepares timm
import torch
import transformers
from safetensors.torch import load_file

# Not in MODEL_FOR_CAUSAL_LM_MAPPING, though its class takes it.
TEXT_CLASSES = {"mllama_text_model": "MllamaForCausalLM"}


def digest(tensor: torch.Tensor) -> str:
    content = tensor.contiguous().view(torch.uint8).numpy().tobytes()
    return hashlib.sha256(f"{tensor.dtype} {list(tensor.shape)}".encode() + content).hexdigest()[:16]


def tensors(place: Path) -> dict[str, str]:
    return {name: digest(tensor) for file in sorted(place.glob("*.safetensors")) for name, tensor in load_file(file).items()}


def saved(kind: type, place: Path) -> dict[str, Any]:
    model, loading = kind.from_pretrained(place, torch_dtype="auto", output_loading_info=True)
    if loading["missing_keys"]:
        raise ValueError(f"{sorted(loading['missing_keys'])[0]} is missing")
    with tempfile.TemporaryDirectory() as scratch:
        model.save_pretrained(scratch)
        config = json.loads((Path(scratch) / "config.json").read_text())
        return {"config": config, "tensors": tensors(Path(scratch))}


def text_class(config: Any) -> type | None:
    text = getattr(config, "text_config", None)
    if type(text) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING.keys():
        return transformers.MODEL_FOR_CAUSAL_LM_MAPPING[type(text)]
    return getattr(transformers, TEXT_CLASSES.get(getattr(text, "model_type", ""), ""), None)


def parts(place: Path) -> dict[str, Any]:
    config = transformers.AutoConfig.from_pretrained(place)
    kinds = {"whole": resolved.head_class(config), "text": text_class(config)}
    found = {}
    for part, kind in kinds.items():
        try:
            if kind is not None:
                found[part] = saved(kind, place)
        except Exception as error:  # this version cannot load it, for whatever reason
            print(f"transformers {transformers.__version__}: {place}, {part}: {type(error).__name__}: {str(error)[:100]}", flush=True)
    return found


def main(source: str, out: str) -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    stored = {}
    for name, place in json.loads(Path(source).read_text()).items():
        try:
            stored[name] = parts(Path(place))
        except ValueError:
            continue  # a model type that this version does not know
    Path(out).write_text(json.dumps({"version": transformers.__version__, "stored": stored}))


if __name__ == "__main__":
    main(*sys.argv[1:])
