"""The instrument: records the goldens, tiny checkpoints with their float64 truth and its noise. It imports nothing that observes published
systems (observatory)."""

from __future__ import annotations

from .runs import timm_models

timm_models.prepare()
