"""transformers as an engine: any causal LM or image-text-to-text checkpoint, on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.transformers' fixtures

What is judged is the published batched path: prompts are left-padded into one batch with an attention mask, positions come from
the published `_prepare_position_ids_for_generation`, and the cache is DynamicCache(config), as in generate(). batches.py says how
samples that rest, join, leave, are rewound or forked keep theirs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

from assay.engine import Engine as Base
from assay.engine import StepOptions
from assay.errors import FormatError, Unsupported
from assay.requests import ModelOptions, SessionOptions, Step

from . import shared
from . import transformers_batches as batches
from .transformers_batches import Sample

TYPES = {None: torch.float32, "F32": torch.float32, "BF16": torch.bfloat16}


@dataclass
class Session:
    model: torch.nn.Module
    samples: dict[int, Sample]


def candidates(config: transformers.PretrainedConfig) -> list[tuple[type, transformers.PretrainedConfig]]:
    """(class, config) of the models that may open a checkpoint, in order: one whose config has towers may hold the weights of the
    decoder alone, and its towers may need a package that is not installed. Of Qwen3-Omni, the part that writes text."""
    config = getattr(config, "thinker_config", config)
    text = config.get_text_config()
    found = [(auto, config) for auto, known in ((AutoModelForImageTextToText, MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING),
                                                (AutoModelForCausalLM, MODEL_FOR_CAUSAL_LM_MAPPING)) if type(config) in known]
    if text is not config and type(text) in MODEL_FOR_CAUSAL_LM_MAPPING:
        found.append((AutoModelForCausalLM, text))
    return found


def load(auto: type, config: transformers.PretrainedConfig, directory: str, dtype: torch.dtype) -> torch.nn.Module:
    """experts_implementation: the default one, grouped_mm, fails on a CPU if rows of the weights are no multiple of 16 bytes.
    key_mapping: a part has the names of its own class, without its beginning in the whole model."""
    try:
        model, info = auto.from_pretrained(directory, config=config, dtype=dtype, output_loading_info=True, local_files_only=True,
                                           experts_implementation="eager", ignore_mismatched_sizes=True,
                                           key_mapping={r"^thinker\.": ""} if config.model_type == "qwen3_omni_moe_thinker" else None)
    except ImportError as error:
        raise Unsupported(f"transformers: {str(error).split('.')[0].strip()}") from error
    shared.refuse_random_weights(directory, type(model).__name__, info)
    return model.eval()


class Engine(Base):
    name, version, taps, tap_writes = "transformers", transformers.__version__, True, True

    def model_open(self, directory: str, options: ModelOptions) -> torch.nn.Module:
        if options.compute not in TYPES:
            raise Unsupported(f"compute {options.compute} is not supported")
        file = Path(directory) / "config.json"
        given = json.loads(file.read_text())
        shared.refuse_quantised(given)
        shared.refuse_attention_to_images(given)
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        try:
            config = AutoConfig.from_pretrained(directory)
        except ValueError as error:
            raise Unsupported(f"{file.name}: {error}") from error
        refused: Exception = Unsupported(f"{file.name}: model_type {config.model_type!r} has no causal or image-text-to-text model")
        for number, (auto, which) in enumerate(candidates(config)):
            try:
                return load(auto, which, directory, TYPES[options.compute])
            except (FormatError, Unsupported) as error:
                refused = refused if number else error
        raise refused

    def model_vocab(self, model: torch.nn.Module) -> int:
        return model.get_output_embeddings().weight.shape[0]

    def stop_ids(self, model: torch.nn.Module) -> Sequence[int]:  # type: ignore[override]
        ids = model.generation_config.eos_token_id
        return [] if ids is None else [ids] if isinstance(ids, int) else ids

    def session_open(self, model: torch.nn.Module, options: SessionOptions) -> Session:
        if options.limit:
            raise Unsupported("caches with a limit are not supported")
        return Session(model, {number: Sample() for number in range(options.n_samples)})

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        """Prompts of new samples are one batch, other steps one batch for each number of tokens: all rows of a batch have the
        same number of padding columns between their cached and their new tokens, none."""
        before = {step.sample: session.samples[step.sample].copy() for step in steps}
        groups: dict[int, list[Step]] = {}
        for step in steps:
            groups.setdefault(len(step.tokens) if session.samples[step.sample].tokens else 0, []).append(step)
        outputs: dict[int, np.ndarray] = {}
        try:
            with torch.no_grad():
                for group in groups.values():
                    outputs |= batches.evaluate(session.model, session.samples, group, options)
        except BaseException:
            session.samples.update(before)
            raise
        return [outputs[step.sample] for step in steps if step.n_last]

    def free(self, owned: object) -> None:
        pass  # no other object refers to it

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = shared.new_number(session.samples)
        session.samples[number] = Sample()
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        del session.samples[sample]

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        session.samples[sample] = session.samples[sample].rewound(session.model.config, n_tokens)

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = self.join(into)
        into.samples[number] = origin.samples[sample].copy()
        return number

    def positions(self, model: torch.nn.Module, step: Step, n_axes: int) -> tuple[np.ndarray, int]:  # type: ignore[override]
        batches.check_items(model.config, Sample(), replace(step, positions=None))
        with torch.no_grad():
            axes, delta = batches.first_positions(model, step, n_axes)
        return np.broadcast_to(axes, (n_axes, len(step.tokens))), delta
