"""Shows that the recorded cases of a variant see each epsilon and each activation of its model."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn
from transformers.activations import ACT2FN

from ..checkpoint.checkpoint import Checkpoint
from ..runs.narrow import APART
from .cases import FLOOR, Recording

LEAST = 10.0  # bounds by which a changed model has to miss the truth
EPSILONS = (1e-6, 1e-5)  # each stands for the other
GELUS = ("gelu", "gelu_pytorch_tanh", "quick_gelu")
AUDIO = ("audio_tower", "embed_audio")  # parts of a model that no case asks
Change = tuple[str, Callable[[], None], Callable[[], None]]  # its name; makes it; undoes it


def asked(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The modules of a model, by path, that cases can see."""
    return ((path, module) for path, module in model.named_modules() if not set(path.split(".")) & set(AUDIO))


def epsilon_changes(model: nn.Module) -> Iterator[Change]:
    """Each norm of the model with the other epsilon."""
    for name, module in asked(model):
        if "Norm" not in type(module).__name__ or hasattr(module, "conv"):  # timm's ConvNormAct has a norm
            continue
        member = "variance_epsilon" if hasattr(module, "variance_epsilon") else "eps"
        meant = getattr(module, member)
        other = EPSILONS[1] if meant == EPSILONS[0] else EPSILONS[0]
        yield (f"epsilon {other:g} in {name}", lambda m=module, at=member, to=other: setattr(m, at, to),
               lambda m=module, at=member, to=meant: setattr(m, at, to))
    yield from length_changes(model)


def length_changes(model: nn.Module) -> Iterator[Change]:
    """The l2 norm of the queries and keys of delta nets with another epsilon: it is a function, not a module."""
    module = sys.modules[type(model).__module__]
    meant = getattr(module, "l2norm", None)
    if meant is None:
        return

    def other(x: torch.Tensor, dim: int = -1, eps: float = EPSILONS[0]) -> torch.Tensor:
        return meant(x, dim=dim, eps=EPSILONS[1])

    yield ("epsilon 1e-05 in l2norm", lambda: setattr(module, "l2norm", other),
           lambda: setattr(module, "l2norm", meant))


def is_gelu(module: nn.Module, name: str) -> bool:
    """Whether a module is the GELU of that name."""
    if isinstance(module, nn.GELU):
        return name == {"none": "gelu", "tanh": "gelu_pytorch_tanh"}[module.approximate]
    return isinstance(module, type(ACT2FN[name]))


def activation_changes(model: nn.Module) -> Iterator[Change]:
    """Each activation of the model that is a GELU, as each other GELU."""
    owners = dict(model.named_modules())
    for path, module in asked(model):
        meant = [name for name in GELUS if is_gelu(module, name)]
        if not meant:
            continue
        owner, _, member = path.rpartition(".")
        for other in GELUS:
            if other not in meant:
                yield (f"{other} in {path}", lambda o=owners[owner], at=member, to=ACT2FN[other]: setattr(o, at, to),
                       lambda o=owners[owner], at=member, to=module: setattr(o, at, to))


def tower_epsilon_changes(model: nn.Module) -> Iterator[Change]:
    """Those of the tower and of what embeds its features."""
    return (change for change in epsilon_changes(model) if "vision" in change[0])


CHANGES = {"epsilons": epsilon_changes, "tower-epsilons": tower_epsilon_changes, "activations": activation_changes}


def missed_by(checkpoint: Checkpoint, recording: Recording) -> float:
    """By how many bounds the truth's model, which has been changed, misses the recorded truth of a case."""
    largest = max(np.abs(s.prefill).max() for s in recording.samples)
    bound = APART * max(max(s.noise for s in recording.samples), FLOOR * largest)
    return max(float(np.abs(checkpoint.truth.logits(s.prompt) - s.prefill).max())
               for s in recording.samples) / bound


def prove(checkpoint: Checkpoint, recordings: list[Recording], kind: str) -> str:
    """Checks that each change of a kind is seen by a case, by LEAST bounds or more: an error with the bundled
    dimensions, else a note. Returns text for the log."""
    found: dict[str, float] = {}
    for name, make, undo in CHANGES[kind](checkpoint.truth.model):
        if any(re.search(pattern, name) for pattern in checkpoint.family.unseen_epsilons):
            continue
        make()
        found[name] = max(missed_by(checkpoint, recording) for recording in recordings)
        undo()
    if not found:
        raise RuntimeError(f"{checkpoint.family.name}/{checkpoint.variant.name}: no {kind} to change")
    least = min(found, key=found.get)
    if found[least] < LEAST and checkpoint.seed == 0:
        short = ", ".join(f"{name}: {value:.2g}" for name, value in found.items() if value < LEAST)
        raise RuntimeError(f"{checkpoint.family.name}/{checkpoint.variant.name}: fewer than {LEAST:g} bounds: {short}")
    return f"  {kind}: {len(found)} changes, each at least {found[least]:.3g} bounds ({least})"
