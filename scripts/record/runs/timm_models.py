"""timm, as the published classes that wrap it need it here."""

from __future__ import annotations

import copy
import importlib.util
import sys


def is_installed() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("timm", "torch"))


def define_operators() -> None:
    """Declares the operators that torchvision registers at import: its wheels are built for CUDA, and beside a torch
    for CPUs its library cannot be loaded. No model here calls them."""
    import torch
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    sys.modules[__name__].library = library  # the operators live as long as it does


def prepare() -> None:
    """To be called before transformers is imported. timm takes the blocks of an architecture out of the dicts of the
    config that lists them, so that a config makes one model: it is given a copy."""
    if not is_installed() or "timm" in sys.modules:
        return
    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        define_operators()
    import timm
    create = timm.create_model

    def create_copy(*args, **kwargs):
        return create(*args, **copy.deepcopy(kwargs))

    timm.create_model = create_copy
