"""Loads some of a checkpoint's tensors into a published model, by the published loader's own renaming and conversion."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from transformers import core_model_loading
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.modeling_utils import LoadStateDictConfig

from ..formats.exact import Inputs
from . import coded
from .documents import Unsupported
from .stored import Tensor

LAZY_LINEAR = 1 << 20  # elements of a matrix outside the layers that is read at each use instead of kept
HEAD_BLOCK = 1 << 22  # elements of a matrix that is read at once


class ReadAtUse(TorchFunctionMode):
    """Products with large matrices outside the layers, and lookups in them, read the rows that they need: torch's
    `linear` in blocks of rows, `embedding` the rows of its ids."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: dict[int, tuple[nn.Parameter, Tensor]] = {}

    def add(self, parameter: nn.Parameter, tensor: Tensor) -> None:
        self.tensors[id(parameter)] = (parameter, tensor)  # the reference keeps the id valid

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in (functional.linear, functional.embedding) and len(args) > 1 and id(args[1]) in self.tensors:
            tensor = self.tensors[id(args[1])][1]
            made = self._linear if func is functional.linear else self._embedding
            return made(tensor, args[0], *args[2:], **kwargs)
        if getattr(func, "__self__", None) is torch.Tensor.device and id(args[0]) in self.tensors:
            return torch.device("cpu")  # Llama 4 moves the ids to the device of the embedding
        if func is torch.Tensor.__getitem__ and id(args[0]) in self.tensors:
            return self._item(self.tensors[id(args[0])][1], args[1])
        return func(*args, **kwargs)

    @staticmethod
    def _linear(tensor: Tensor, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        n, width = tensor.shape
        step = max(1, HEAD_BLOCK // width)
        parts = []
        for begin in range(0, n, step):
            parts.append(functional.linear(x, read_rows(tensor, begin, min(n, begin + step))))
        out = torch.cat(parts, dim=-1)
        return out if bias is None else out + bias

    @staticmethod
    def _item(tensor: Tensor, index: object) -> torch.Tensor:
        """One row (Gemma 4: that of the padding token)."""
        first, *others = index if isinstance(index, tuple) else (index,)
        if not isinstance(first, int) or any(other != slice(None) for other in others):
            raise Unsupported(f"{tensor.file}: {tensor.name}: the published model reads {index}, expected one row")
        row = first % tensor.shape[0]
        return read_rows(tensor, row, row + 1)[0]

    @staticmethod
    def _embedding(tensor: Tensor, ids: torch.Tensor, *_, **__) -> torch.Tensor:
        needed, places = torch.unique(ids, return_inverse=True)
        rows = torch.cat([read_rows(tensor, i, i + 1) for i in needed.tolist()])
        return functional.embedding(places, rows)


def read_rows(tensor: Tensor, begin: int, end: int) -> torch.Tensor:
    """Reads outside the checks of the float64 truth, which refuse the stored type."""
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        return tensor.rows(begin, end)


class Loader:
    """The tensors of a checkpoint, grouped by the layer of the model that they belong to.

    checkpoint: a directory or a GGUF file. layers: the name of the list of layers; None: the model is loaded as a whole.
    """

    def __init__(self, model, checkpoint: Path, dtype: torch.dtype, layers: str | None):
        os.environ["HF_DEACTIVATE_ASYNC_LOAD"] = "1"  # one tensor after the other
        self.model, self.directory, self.dtype, self.layers = model, checkpoint, dtype, layers
        self.mapping = get_model_conversion_mapping(model)
        self.lazy = ReadAtUse()
        self.unused: list[str] = []
        self.inputs: dict[str, Inputs] = {}  # of products with matrices that are stored quantised, by parameter; of several in one, of the first
        self.joined: set[str] = set()
        self.groups: dict[str, dict[str, Tensor]] = defaultdict(dict)
        tensors = coded.read(checkpoint)
        own = model.state_dict()
        for name, tensor in tensors.items():
            target, converted = self._target(name, own)
            if target not in own:
                self.unused.append(name)
                continue
            if isinstance(tensor, coded.Coded) and len(tensor.shape) > 1:
                if target in self.inputs:
                    self.joined.add(target)
                else:
                    self.inputs[target] = tensor.part.inputs()
            tensor = self._typed(tensor, own[target])
            if not converted and self._is_read_at_use(target, tensor):
                self._keep_in_file(target, tensor)
                continue
            self.groups[self._group(target)][name] = tensor

    def _target(self, name: str, own: dict[str, torch.Tensor]) -> tuple[str, bool]:
        """The parameter that a stored tensor becomes, or a part of, as core_model_loading finds it."""
        renamings = [m for m in self.mapping if isinstance(m, core_model_loading.WeightRenaming)]
        converters = [m for m in self.mapping if isinstance(m, core_model_loading.WeightConverter)]
        prefix = self.model.base_model_prefix
        found, source = core_model_loading.rename_source_key(name, renamings, converters, prefix, own)
        if found not in own and name in own:
            found, source = core_model_loading.rename_source_key(name, [], [], prefix, own)
        return found, source is not None

    def _typed(self, tensor: Tensor, parameter: torch.Tensor) -> Tensor:
        """For wide runs the tensor is widened as it is read. The published loader converts the others."""
        wide = self.dtype in (torch.float64, torch.float32) and parameter.dtype is self.dtype
        return replace(tensor, wide=self.dtype) if wide else tensor

    def _group(self, target: str) -> str:
        """`0`, `1`, … for a parameter of a layer, otherwise the empty string."""
        if self.layers is None or not target.startswith(self.layers + "."):
            return ""
        return target[len(self.layers) + 1:].partition(".")[0]

    def _is_read_at_use(self, target: str, tensor: Tensor) -> bool:
        if self.layers is None or self._group(target) or len(tensor.shape) != 2 or not target.endswith(".weight"):
            return False
        module = self.model.get_submodule(target.rpartition(".")[0])
        if module in (self.model.get_input_embeddings(), self.model.get_output_embeddings()):
            return isinstance(module, (nn.Embedding, nn.Linear))
        large = tensor.shape[0] * tensor.shape[1] >= LAZY_LINEAR
        in_text = target.startswith(self.layers.rpartition(".")[0] + ".")
        return large and (isinstance(module, nn.Linear) or (in_text and isinstance(module, nn.Embedding)))

    def _keep_in_file(self, target: str, tensor: Tensor) -> None:
        parameter = self.model.get_parameter(target)
        if tuple(parameter.shape) != tensor.shape:
            raise Unsupported(f"{tensor.file}: {tensor.name}: found shape {list(tensor.shape)}, expected "
                              f"{list(parameter.shape)}")
        self.lazy.add(parameter, replace(tensor, wide=parameter.dtype))

    def load_rest(self) -> None:
        """Loads what belongs to no layer, ties parameters, and checks that nothing is missing."""
        missing = self._load("")
        kept = {id(parameter) for parameter, _ in self.lazy.tensors.values()}
        missing = {name for name, p in self.model.named_parameters(remove_duplicate=False)
                   if name in missing and id(p) not in kept}
        self.model.tie_weights(missing_keys=missing, recompute_mapping=False)
        self._refuse_missing(self.model, "", lambda name: self._group(name) == "")

    def load_layer(self, index: int) -> None:
        self._load(str(index))
        place = f"{self.layers}.{index}"
        self._refuse_missing(self.model.get_submodule(place), f"{place}.", lambda name: True)

    def free_layer(self, index: int) -> None:
        """Parameters back to the meta device."""
        for module in self.model.get_submodule(f"{self.layers}.{index}").modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    module._parameters[name] = nn.Parameter(parameter.to("meta"), requires_grad=False)

    def _load(self, group: str) -> set[str]:
        """Returns the names of parameters that the group does not have."""
        plan = self.model._get_dtype_plan(self.dtype)
        config = LoadStateDictConfig(dtype=self.dtype, dtype_plan=plan, weight_mapping=self.mapping)
        info, _ = core_model_loading.convert_and_load_state_dict_in_model(self.model, self.groups[group], config)
        for name, found, expected in sorted(info.mismatched_keys, key=str):
            raise Unsupported(f"{self.directory}: {name}: found shape {list(found)}, expected {list(expected)}")
        for name, trouble in info.conversion_errors.items():
            raise Unsupported(f"{self.directory}: {name}: {trouble}")
        for trouble in info.error_msgs:
            raise Unsupported(f"{self.directory}: {trouble}")
        return set(info.missing_keys)

    def _refuse_missing(self, module: nn.Module, prefix: str, concerns) -> None:
        kept = {id(parameter) for parameter, _ in self.lazy.tensors.values()}
        both = (*module.named_parameters(), *module.named_buffers())
        for name, tensor in both:
            if not concerns(prefix + name) or id(tensor) in kept:
                continue
            if tensor.device.type == "meta":
                raise Unsupported(f"{self.directory}: {prefix}{name}: found no such tensor, expected one of shape "
                                  f"{list(tensor.shape)}")
            wide = self.dtype in (torch.float64, torch.float32)
            if wide and tensor.is_floating_point() and tensor.dtype is not self.dtype:
                raise Unsupported(f"{self.directory}: {prefix}{name}: is {tensor.dtype} in a run in {self.dtype}")
