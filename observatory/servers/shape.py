"""Checkpoints with random weights in a published shape that servers can open: with the bundle's tokenizer, stretched to
the shape's vocabulary."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .models import BUNDLE

TOP = BUNDLE.parents[1]
SOURCE = BUNDLE / "qwen3" / "model"
# Form of checkpoint -> the arguments of scripts.record.bench_checkpoint
FORMS = {"f32": ("--dtype", "float32"), "bf16": ("--dtype", "bfloat16"), "8-bit": ("--dtype", "bfloat16", "--bits", "8")}


def stretched(document: dict[str, Any], n: int) -> dict[str, Any]:
    """A tokenizer.json with n tokens: those that are missing become words that no merge makes."""
    vocab = document["model"]["vocab"]
    first = 1 + max([*vocab.values(), *(token["id"] for token in document["added_tokens"])])
    vocab |= {f"\u0120word{i}": i for i in range(first, n)}  # U+0120: a space, in the spelling of byte-level BPE
    return document


def finish(directory: Path) -> None:
    """Adds the tokenizer, and names its special tokens in config.json."""
    config = json.loads((directory / "config.json").read_text())
    source = json.loads((SOURCE / "config.json").read_text())
    config |= {name: source[name] for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    document = stretched(json.loads((SOURCE / "tokenizer.json").read_text()), config["vocab_size"])
    (directory / "tokenizer.json").write_text(json.dumps(document))
    for name in ("tokenizer_config.json", "chat_template.jinja", "generation_config.json"):
        shutil.copy(SOURCE / name, directory)
    (directory / "config.json").write_text(json.dumps(config, indent=2))


def prepare(shape: str, form: str, cache: Path) -> Path:
    """The checkpoint's directory, made if it is not there: a key of FORMS, with the weights that
    scripts.record.bench_checkpoint draws."""
    place = cache / "models" / f"{shape}-{form}" / "model"
    if not (place / "tokenizer.json").exists():
        subprocess.run([sys.executable, "-m", "scripts.record.bench_checkpoint", "--shape", shape, *FORMS[form], str(place)],
                       check=True, cwd=TOP)
        finish(place)
    return place


def prepare_twin(shape: str, kind: str, cache: Path, programs: Path) -> Path:
    """The GGUF file of a type of observatory.servers.gguf_twin, made from the float32 checkpoint if it is not there."""
    path = cache / "models" / f"{shape}-{kind}.gguf"
    if not path.exists():
        part = path.with_suffix(".part")
        subprocess.run([str(programs / "python"), "-m", "observatory.servers.gguf_twin", str(prepare(shape, "f32", cache).parent),
                        str(part), "--type", kind], check=True, cwd=TOP)
        part.rename(path)
    return path
