"""A published model without weights: its parameters are on the meta device, its buffers are computed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import torch
import transformers
from torch import nn
from torch.overrides import TorchFunctionMode
from transformers import initialization

from ..runs.truth import precision
from .documents import Unsupported


class EmptyOnMeta(TorchFunctionMode):
    """`torch.empty`, with which modules allocate parameters, allocates nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.empty:
            kwargs = {**(kwargs or {}), "device": "meta"}
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def parameters_on_meta() -> Iterator[None]:
    """Moves every parameter to the meta device as soon as its module has it."""
    register = nn.Module.register_parameter

    def register_on_meta(module, name, parameter):
        register(module, name, parameter)
        if parameter is not None and parameter.device.type != "meta":
            module._parameters[name] = nn.Parameter(parameter.to("meta"), requires_grad=False)

    nn.Module.register_parameter = register_on_meta
    try:
        with EmptyOnMeta():
            yield
    finally:
        nn.Module.register_parameter = register


def first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def read_config(directory: Path) -> transformers.PreTrainedConfig:
    """The published config, with eager attention and experts in all of its parts."""
    if not (directory / "config.json").is_file():
        raise Unsupported(f"{directory}: found no config.json")
    try:
        config = transformers.AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # of any type: published classes check what they read in many ways
        raise Unsupported(f"{directory}/config.json: {first_line(error)}") from None
    for name in ("quantization_config", "quantization"):  # the weights are given exactly
        if hasattr(config, name):
            delattr(config, name)
    for part in parts(config):
        part._attn_implementation = "eager"
        part._experts_implementation = "eager"
    return config


def parts(config: transformers.PreTrainedConfig) -> list[transformers.PreTrainedConfig]:
    """The config, and those of the models inside it."""
    inner = (getattr(config, name, None) for name in config.sub_configs)
    return [config, *(part for part in inner if isinstance(part, transformers.PreTrainedConfig))]


def model_class(config: transformers.PreTrainedConfig, directory: Path) -> type[transformers.PreTrainedModel]:
    """The class that config.json names; if it names none, the one for images and text, or for text."""
    named = [getattr(transformers, name, None) for name in config.architectures or ()]
    if named and named[0] is not None and named[0].can_generate():
        return named[0]
    mappings = (transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, transformers.MODEL_FOR_CAUSAL_LM_MAPPING)
    found = next((mapping[type(config)] for mapping in mappings if type(config) in mapping), None)
    if found is None or named:
        raise Unsupported(f"{directory}/config.json: architectures: found {config.architectures}, expected a class of "
                          "transformers that generates text")
    return found


def build(directory: Path, dtype: torch.dtype) -> transformers.PreTrainedModel:
    """The published model in one precision, without weights."""
    config = read_config(directory)
    kind = model_class(config, directory)
    with precision(dtype), parameters_on_meta(), initialization.no_init_weights(), initialization.no_tie_weights():
        for part in parts(config):
            part.dtype = dtype
        return kind(config).eval()


def decoder(model: transformers.PreTrainedModel) -> nn.Module:
    """The text model inside a published model (get_decoder() of Llama 4 finds none)."""
    found = model.get_decoder()
    return getattr(model, "model", model) if found is model else found


def beside(model: transformers.PreTrainedModel, text: nn.Module) -> list[nn.Module]:
    """The modules beside the text model: towers, projectors, the head."""
    found: list[nn.Module] = []
    outer: nn.Module = model
    for part in filter(None, name_of(model, text).split(".")):
        found += [child for name, child in outer.named_children() if name != part]
        outer = getattr(outer, part)
    return found


def find_layers(model: transformers.PreTrainedModel) -> nn.ModuleList | None:
    """The decoder layers: the list in the text model that has as many modules as the config has layers."""
    n_layers = getattr(model.config.get_text_config(), "num_hidden_layers", None)
    lists = [m for m in decoder(model).children() if isinstance(m, nn.ModuleList) and len(m) == n_layers]
    return lists[0] if len(lists) == 1 else None


def tied_layers(model: transformers.PreTrainedModel, layers: str) -> tuple[str, str] | None:
    """Two names of one parameter, of which one is in a layer; None if there are none."""
    return next((pair for pair in model.all_tied_weights_keys.items()
                 if any(name.startswith(layers + ".") for name in pair)), None)


def name_of(model: nn.Module, wanted: nn.Module) -> str:
    return next(name for name, module in model.named_modules() if module is wanted)
