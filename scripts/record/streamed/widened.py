"""The exact weights of a GGUF file as a checkpoint in float64, for the published model."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from ..formats import gguf_names
from ..support import checksums
from .documents import INDEX, Unsupported

SETTINGS = "config.json"
TEXTS = (".json", ".jinja", ".model", ".txt")


def parts(file: Path) -> list[Path]:
    """The file, or all parts of a checkpoint of several."""
    return sorted(file.parent.glob(re.sub(r"-00001-of-(\d{5})\.gguf$", r"-?????-of-\1.gguf", file.name)))


def write(file: Path, published: Path | None, out: Path) -> Path:
    """Writes `out`: a tensor a file, and the texts of the published model. It is kept if it is complete."""
    if published is None or not (published / SETTINGS).is_file():
        raise Unsupported(f"--config {published}: found no {SETTINGS}, expected the directory of the published model from which {file} was made")
    if (out / SETTINGS).exists():
        return out
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for text in published.iterdir():
        if text.suffix in TEXTS and text.name not in (SETTINGS, INDEX):
            (out / text.name).write_bytes(text.read_bytes())
    places = {}
    try:
        for i, (name, values, _) in enumerate(gguf_names.read_each(parts(file))):
            if name == gguf_names.ROPE_FACTORS:  # those of the published config
                continue
            places[name] = f"{i}.safetensors"
            save_file({name: torch.from_numpy(np.ascontiguousarray(values, np.float64))}, out / places[name])
    except ImportError as error:
        raise Unsupported(f"{file}: {error}: install the package of that name") from error
    (out / INDEX).write_text(json.dumps({"weight_map": places}))
    config = json.loads((published / SETTINGS).read_text())
    config.pop("quantization_config", None)
    (out / SETTINGS).write_text(json.dumps(config))  # last: the rest is complete
    return out


def link(file: Path, out: Path) -> str:
    """Links the file and its other parts in `out`, with their checksums beside them; returns the name for cases."""
    out.mkdir(parents=True, exist_ok=True)
    for part in parts(file):
        to = out / part.name
        if to.is_symlink() or not to.exists():
            to.unlink(missing_ok=True)
            to.symlink_to(part.resolve())
        elif not to.samefile(part):
            raise Unsupported(f"{to}: found another file, expected to write a link to {part} there")
    checksums.write(out / file.name)
    return file.name
