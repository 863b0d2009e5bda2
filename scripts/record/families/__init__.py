"""One module per family; a family consists of data and a few functions."""

from __future__ import annotations

from importlib import import_module

from ..variant import Family

NAMES = ("llama", "qwen2", "qwen3", "qwen3_moe", "qwen3_5", "qwen3_5_moe", "phi3", "olmo2", "granite", "gemma",
         "gemma2", "gemma4", "gemma3n", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "paddleocr_vl",
         "glm4v", "glm4v_moe", "glm_ocr", "ernie4_5_vl_moe", "hunyuan_vl", "qwen3_omni_moe", "falcon_ocr", "mllama", "moondream3")


def load(name: str) -> Family:
    return import_module(f".{name}", __package__).FAMILY
