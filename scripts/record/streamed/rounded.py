"""Runs in float32 whose products round their inputs (formats/rounding.py), of a model whose layers are loaded one after the other."""

from __future__ import annotations

from torch import nn
from torch.nn import functional

from ..formats import rounding
from ..formats.exact import Inputs
from ..formats.rounding import Rounder
from ..runs.truth import OtherLinear


def knows(name: str) -> bool:
    """Whether `<compute>` or `<compute>+<cache>` are rows of rounding.py."""
    compute, plus, cache = name.partition("+")
    return compute in rounding.COMPUTES and (not plus or cache in rounding.CACHES)


class RoundInputs(OtherLinear):
    """Rounds the inputs of products with some parameters, as the compute type prescribes for what they are stored in."""

    def __init__(self, compute: str):
        super().__init__()
        self.rounder = rounding.COMPUTES[compute]
        self.kept: dict[int, tuple[nn.Parameter, Rounder | None]] = {}  # the reference keeps the id valid
        self.loaded: dict[int, Rounder | None] = {}

    def keep(self, parameter: nn.Parameter, inputs: Inputs) -> None:
        """A parameter that stays in its file."""
        self.kept[id(parameter)] = parameter, self.rounder(inputs)

    def attach(self, model: nn.Module, inputs: dict[str, Inputs], joined: set[str]) -> None:
        """The parameters that are in memory now, of which products may see a part. joined: those of several matrices."""
        for name in joined:
            if self.rounder(inputs[name]) and inputs[name].minimums is not None:
                raise RuntimeError(f"{name}: its matrices have minimums of their own, with which sums of inputs in {inputs[name].kind} are multiplied: "
                                   "name other --types")
        self.loaded = {parameter.untyped_storage().data_ptr(): self.rounder(inputs[name])
                       for name, parameter in model.named_parameters() if name in inputs and parameter.device.type != "meta"}

    def linear(self, x, weight, bias=None):
        found = self.kept[id(weight)][1] if id(weight) in self.kept else None
        if found is None and weight.device.type != "meta":
            found = self.loaded.get(weight.untyped_storage().data_ptr())
        if not found or not x.numel():
            return functional.linear(x, weight, bias)
        out = functional.linear(found(x), weight, bias)
        return out + found.besides(x) if isinstance(found, rounding.Q8_1) else out
