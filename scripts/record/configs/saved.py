"""Saves configs as the transformers of this environment writes them. Runs in the environment of any version, so it imports nothing of
the recorder that needs transformers.

    python -m scripts.record.configs.saved CONFIGS.json OUT.json

CONFIGS.json: {name: config}. OUT.json: {"version", "configs": {name: {"whole": config, "text": config}}}; a name is left out where the
version has no class for the model type, and a part where it cannot be saved."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from ..runs import timm_models

timm_models.prepare()
import transformers

PARTS = ("text_config", "thinker_config")


def saved(config: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        config.save_pretrained(place)
        return json.loads((Path(place) / "config.json").read_text())


def parts(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The document as read and saved again, and the part of it that writes text, saved alone."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "config.json").write_text(json.dumps(document))
        config = transformers.AutoConfig.from_pretrained(place)
    found = {"whole": saved(config)}
    for name in PARTS:
        part = getattr(config, name, None)
        if hasattr(part, "save_pretrained"):
            found["text"] = saved(part)
    return found


def forget_places(value: Any) -> Any:
    """Without the paths of this machine, which transformers 4 writes."""
    if isinstance(value, dict):
        return {name: forget_places(inner) for name, inner in value.items() if name != "_name_or_path"}
    return value


def main(source: str, out: str) -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    written = {}
    for name, document in json.loads(Path(source).read_text()).items():
        try:
            written[name] = forget_places(parts(document))
        except Exception as error:  # this version cannot read it, for whatever reason
            print(f"transformers {transformers.__version__}: {name}: {type(error).__name__}: {str(error)[:100]}", flush=True)
    Path(out).write_text(json.dumps({"version": transformers.__version__, "configs": written}))


if __name__ == "__main__":
    main(*sys.argv[1:])
