"""What the configs of rewritten models have in common."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig


class ConfigOfParts(PreTrainedConfig):
    """A config whose `sub_configs` are made of the dicts that a file has in their place."""

    text_config: Any = None
    vision_config: Any = None

    def __post_init__(self, **members: Any) -> None:
        for name, kind in self.sub_configs.items():
            if isinstance(getattr(self, name), dict):
                setattr(self, name, kind(**getattr(self, name)))
        super().__post_init__(**members)
