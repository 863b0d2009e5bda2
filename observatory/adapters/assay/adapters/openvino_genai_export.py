"""Exports of checkpoints to OpenVINO, by optimum-intel, with float32 weights and the cache as state: what `optimum-cli export openvino
--weight-format fp32` writes. An export takes seconds, so a program keeps those that it made, in a directory that it removes at its end.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
import transformers  # noqa: E402
from optimum.exporters.openvino.__main__ import FORCE_ATTN_MODEL_CLASSES  # noqa: E402
from optimum.exporters.openvino.convert import export_from_model  # noqa: E402
from optimum.exporters.tasks import TasksManager  # noqa: E402
from optimum.intel import OVConfig  # noqa: E402
from optimum.intel.utils.import_utils import is_transformers_version  # noqa: E402
from transformers import AutoConfig, AutoModelForCausalLM  # noqa: E402

from assay.errors import FormatError, Unsupported  # noqa: E402

from . import shared  # noqa: E402

TASK = "text-generation-with-past"
MODEL = "openvino_model.xml"

_kept = tempfile.TemporaryDirectory(prefix="assay-openvino-")
_exports: dict[str, Path] = {}


def read_config(directory: str) -> transformers.PretrainedConfig:
    """Refuses what optimum-intel does not export as a text model with the transformers that is installed, by name."""
    file = Path(directory) / "config.json"
    given: dict[str, Any] = json.loads(file.read_text())
    shared.refuse_quantised(given)
    if int(transformers.__version__.split(".")[0]) < 5 and "rope_parameters" in json.dumps(given):
        raise Unsupported(f"{file.name}: transformers {transformers.__version__} would ignore rope_parameters without a word")
    try:
        config = AutoConfig.from_pretrained(directory, local_files_only=True)
    except ValueError as error:
        raise Unsupported(f"{file.name}: {str(error).splitlines()[0]:.200}") from error
    refuse_unexported(config.model_type)
    translate(given, config)
    return config


def translate(given: dict[str, Any], config: transformers.PretrainedConfig) -> None:
    """Members that transformers 5.0.0 misreads without a word, although they are in a published spelling."""
    if config.model_type == "gemma" and config.hidden_act == "gelu":
        config.hidden_act = "gelu_pytorch_tanh"  # as the class of transformers 5.23.0 does
    if config.model_type == "qwen3_moe" and "num_local_experts" in given and "num_experts" not in given:
        config.num_experts = given["num_local_experts"]


def refuse_unexported(model_type: str) -> None:
    """The exporter itself compares the versions as well, after the model is loaded."""
    try:
        tasks = TasksManager.get_supported_tasks_for_model_type(model_type, exporter="openvino", library_name="transformers")
    except KeyError:
        tasks = {}
    if TASK not in tasks:
        raise Unsupported(f"optimum-intel does not export model_type {model_type!r} for {TASK}, only for "
                          f"{', '.join(sorted(tasks)) or 'no task'}")
    exporter = getattr(tasks[TASK], "func", tasks[TASK])
    least, most = (getattr(exporter, f"{which}_TRANSFORMERS_VERSION", None) for which in ("MIN", "MAX"))
    if (least and is_transformers_version("<", str(least))) or (most and is_transformers_version(">", str(most))):
        raise Unsupported(f"optimum-intel exports model_type {model_type!r} with transformers {least or ''} to {most or 'any'}, "
                          f"not with {transformers.__version__}")


def is_unused(config: transformers.PretrainedConfig, key: str) -> bool:
    """Whether a weight is one of the keys and values of a layer that takes those of an earlier layer out of the cache: published
    checkpoints have them, newer versions of transformers create none."""
    found = re.search(r"\.layers\.(\d+)\.self_attn\.(k_proj|v_proj|k_norm)\.", key)
    shared = getattr(config, "num_kv_shared_layers", None) or 0
    return found is not None and int(found[1]) >= config.num_hidden_layers - shared


def load(directory: str, config: transformers.PretrainedConfig) -> torch.nn.Module:
    """The model as the exporter's main_export loads it, but without random weights: those would differ from the checkpoint's."""
    forced = FORCE_ATTN_MODEL_CLASSES.get(config.model_type)
    model, info = AutoModelForCausalLM.from_pretrained(
        directory, config=config, dtype=torch.float32, output_loading_info=True, local_files_only=True, ignore_mismatched_sizes=True,
        **({"attn_implementation": forced} if forced else {}))
    needed = {what: [key for key in keys if not is_unused(config, str(key))] for what, keys in info.items()
              if what in ("missing_keys", "mismatched_keys")}
    shared.refuse_random_weights(directory, type(model).__name__, needed)
    return model.eval()


def exported(directory: str) -> Path:
    """The directory of the exported checkpoint: the same one as long as its files are not written again."""
    key = "\n".join(f"{file.resolve()} {file.stat().st_mtime_ns}" for file in sorted(Path(directory).iterdir()) if file.is_file())
    if key not in _exports:
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        config = read_config(directory)
        model = load(directory, config)
        path = Path(tempfile.mkdtemp(dir=_kept.name))
        try:
            export_from_model(model, output=path, task=TASK, stateful=True, ov_config=OVConfig(dtype="fp32"), device="cpu")
        except ValueError as error:
            refused = "transformers version" in str(error) or "not supported" in str(error)
            raise (Unsupported if refused else FormatError)(f"optimum-intel: {str(error).splitlines()[0]:.300}") from error
        _exports[key] = path
    return _exports[key]
