"""Makes a tiny checkpoint, writes it in a published form, and checks that the publisher's loader reads it."""

from __future__ import annotations

import copy
import importlib
import json
import logging
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file

from ..media.images import Crops, compose, model_inputs, special_ids
from ..media.parts import Audio, Picture
from ..formats import rounding, stored, writers
from ..runs import narrow
from ..runs.truth import Run, array, precision
from ..variants.variant import Config, Family, Variant, rng_for
from ..variants.weights import draw_state
from . import quantized
from .experts import split_experts, turn_experts
from .files import save, save_shards

# Allowed difference between two float32 runs of one model, in multiples of the noise, and the lower limit of the
# noise relative to the largest logit: the inputs of this check are not chosen to be well conditioned.
RELOAD_NOISE, RELOAD_FLOOR = 4.0, 1e-6

Outside = Callable[["Checkpoint", Path, float], None]  # of a checkpoint, its files, and the lower limit of the noise; raises RuntimeError


class Checkpoint:
    """One variant's weights, in their stored type, and the published model in float64, float32 and narrower
    types."""

    def __init__(self, family: Family, variant: Variant, seed: int, outside: Outside | None = None):
        """outside: checks the written files of a family whose classes are written again here (`package`)."""
        if family.package and not outside:
            raise RuntimeError(f"{family.name}: its classes are written again here, and nothing compares them with {family.package.SYSTEM}")
        self.family, self.variant, self.seed, self.outside = family, variant, seed, outside
        self.multimodal = (variant.wrapper not in ("text", "bare") and family.multimodal_model_class is not None
                           and (self.pictures or not family.text_alone))
        self.rope_factors: torch.Tensor | None = None  # of a file that has them instead of rope's settings
        with precision(torch.float32):
            model = self.build()
        rng = rng_for(seed, family.name, variant.name, "weights")
        self.state = self.weights(model, rng)
        self.drawn = self.state
        self.groups: dict[str, tuple[int, ...]] = {}
        if variant.groups:
            self.state, self.groups = self.quantized_state()
        inputs = {}
        if variant.stored:
            self.state, inputs = self.stored_state()
        self.truth = Run(self.build, self.state, torch.float64)
        self.float32 = Run(self.build, self.state, torch.float32)
        if variant.stored:
            self.narrow = rounding.runs(self.build, self.state, inputs, variant.stored.runs)
        else:
            self.narrow = narrow.runs(self.build, self.state, self.groups)

    def weights(self, model: torch.nn.Module, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        """The tensors to store, in their stored type."""
        return draw_state(model, rng, self.variant.dtype,
                          (*self.variant.weight_rules, *self.family.weight_rules))

    @property
    def vocab_size(self) -> int:
        return self.variant.config["vocab_size"]

    @property
    def pictures(self) -> Any:
        """How the variant takes images and videos; None if it does not."""
        return self.family.pictures if "vision_config" in self.variant.outer else None

    @property
    def special_ids(self) -> set[int]:
        """The ids that stand for media or mark them, if the model takes media: never drawn as text."""
        return special_ids(self.variant.outer) if self.pictures else set()

    @property
    def text_ids(self) -> list[int]:
        return [t for t in range(self.vocab_size) if t not in self.special_ids]

    @property
    def idle_id(self) -> int:
        """A stop id that no stream contains."""
        return self.vocab_size - 1

    def config(self) -> transformers.PreTrainedConfig:
        """A new config object of the published class, with eager attention and experts."""
        text = published_class(self.family.config_class, self.family.package)(**copy.deepcopy(self.variant.config))
        config = text
        if self.multimodal:
            towers = self.family.multimodal_config({}, self.variant.wrapper == "towers")
            config = getattr(self.family.package or transformers, self.family.multimodal_config_class)(
                text_config=text, **{**towers, **copy.deepcopy(self.variant.outer)})
        for part in filter(None, (config, text, *(getattr(config, name, None) for name in ("vision_config", "audio_config")))):
            part._attn_implementation = "eager"
            part._experts_implementation = "eager"
        return config

    def build(self) -> torch.nn.Module:
        name = self.family.multimodal_model_class if self.multimodal else self.family.model_class
        model = getattr(self.family.package or transformers, name)(self.config())
        if self.rope_factors is not None:
            stored.divide_frequencies(model, self.rope_factors)
        return model

    def documents(self, stop_ids: list[int], idle_id: int) -> dict[str, Config]:
        """config.json and generation_config.json by file name.

        stop_ids: the ids that end a stream. idle_id: a stop id that no stream contains, for the document
        that must not name the real ones.
        """
        config = self.config().to_diff_dict()
        config.pop("transformers_version", None)
        config.pop("torch_dtype", None)
        wrapped = self.family.multimodal_model_class and self.variant.wrapper != "text" and (
            self.multimodal or not self.family.text_alone)
        config["architectures"] = [self.family.multimodal_model_class if wrapped else self.family.model_class]
        config["dtype"] = self.variant.dtype
        if self.variant.wrapper != "text" and not self.multimodal:
            towers = self.family.multimodal_config(config, self.variant.wrapper == "towers")
            config = {"architectures": towers.pop("architectures"), "dtype": config.pop("dtype"),
                      "text_config": config, **towers}
            config["text_config"].pop("architectures")
        named = generated = stop_ids
        if self.variant.stop_in == "generation_config":
            named, generated = [idle_id], [idle_id, *stop_ids]
        for part in (config, config.get("text_config", {})):
            if part is config or "vocab_size" in part:
                part["eos_token_id"] = named[0] if len(named) == 1 else named
                part["pad_token_id"] = 0
        if self.variant.spelling == "mlx":
            config = self.family.mlx_spelling(config)
        elif self.variant.spelling != "new":
            config = self.family.old_spelling(config)
            config["torch_dtype"] = config.pop("dtype")
        if self.variant.spelling == "mixed":
            config["rope_scaling"]["rope_type"] = config["rope_scaling"].pop("type")
        text = config.get("text_config", config)
        for part, names in ((text, self.variant.omits), (config, self.variant.omits_outer)):
            for name in names:
                del part[name]
        text |= self.variant.writes
        documents = {"config.json": config}
        if self.variant.stop_in != "config":
            documents["generation_config.json"] = {"_from_model_config": False, "do_sample": False,
                                                   "eos_token_id": generated, "pad_token_id": 0}
        return documents

    def quantized_state(self) -> tuple[dict[str, torch.Tensor], dict[str, tuple[int, ...]]]:
        """The drawn weights after quantisation by mlx-lm, in float64; and the group sizes of the quantised ones."""
        with tempfile.TemporaryDirectory() as scratch:
            self.write_quantized(Path(scratch) / "model", [1], 2)
            state = self.family.from_mlx(quantized.state(Path(scratch) / "model", self.drawn))
            groups = quantized.published_groups(quantized.groups(Path(scratch) / "model"), self.drawn)
            groups = self.family.groups_from_mlx(groups)
        if self.variant.wrapper != "text" and not self.multimodal:
            groups = {name.replace("model.language_model.", "model."): sizes for name, sizes in groups.items()}
        if {k: v.shape for k, v in state.items()} != {k: v.shape for k, v in self.drawn.items()}:
            raise RuntimeError("mlx-lm writes other tensors than were drawn")
        return state, groups

    def stored_state(self) -> tuple[dict[str, torch.Tensor], dict[str, tuple]]:
        """The exact weights that a published tool stores; and how the inputs of products with them may be rounded."""
        with tempfile.TemporaryDirectory() as scratch:
            self.write_stored(Path(scratch) / "model", [1], 2)
            found, inputs = stored.read(self.variant.stored, Path(scratch) / "model")
        self.rope_factors = found.pop(stored.ROPE_FACTORS, None)
        if {k: v.shape for k, v in found.items()} != {k: v.shape for k, v in self.drawn.items()}:
            raise RuntimeError(f"the tool writes other tensors than were drawn: {sorted(set(found) ^ set(self.drawn))[:4]}")
        return found, inputs

    def write_stored(self, directory: Path, stop_ids: list[int], idle_id: int) -> None:
        """Writes the drawn weights in their published spelling, and lets a published tool quantise that checkpoint."""
        with tempfile.TemporaryDirectory() as scratch:
            self.write_plain(Path(scratch), stop_ids, idle_id)
            writers.write(Path(scratch), directory, self.variant.stored.how)

    def write_quantized(self, directory: Path, stop_ids: list[int], idle_id: int) -> None:
        """Writes the drawn weights in their published spelling, and lets mlx-lm quantise that checkpoint."""
        with tempfile.TemporaryDirectory() as scratch:
            plain = Path(scratch)
            self.write_plain(plain, stop_ids, idle_id)
            if self.family.whole and self.variant.spelling != "new":
                self._write_whole(plain)
            quantized.write(plain, directory, self.variant.groups, bool(self.pictures))

    def stored(self) -> dict[str, torch.Tensor]:
        """The tensors under their published names, in one of the published expert layouts."""
        state = dict(self.drawn)
        if self.variant.wrapper != "text" and not self.multimodal:
            state = {re.sub(r"^model\.", "model.language_model.", name): tensor for name, tensor in state.items()}
        if self.variant.spelling == "mlx":
            state = self.family.mlx_names(state)
        elif self.variant.spelling != "new":
            state = self.family.old_names(state)
        if self.variant.mlx_names:
            state = quantized.mlx_names(state)
        if self.variant.experts == "split":
            state = split_experts(state)
        elif self.variant.experts == "transposed":
            state = turn_experts(state)
        if self.variant.stores_head and not self.variant.groups:
            state["lm_head.weight"] = state["model.embed_tokens.weight"].clone()
        if self.family.extra_tensors:
            rng = rng_for(self.seed, self.family.name, self.variant.name, "extra")
            state |= self.family.extra_tensors(self, rng)
        return {name: tensor.contiguous() for name, tensor in state.items()}

    def write(self, directory: Path, stop_ids: list[int], idle_id: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        if self.variant.stored:
            self.write_stored(directory, stop_ids, idle_id)
            if (directory / "config.json").is_file():
                self._check_config(directory)
            again, _ = stored.read(self.variant.stored, directory)
            if not all(torch.equal(again[name], tensor) for name, tensor in self.state.items()):
                raise RuntimeError(f"{directory}: the tool quantises the same weights in another way")
            return
        if not self.variant.groups:
            self.write_plain(directory, stop_ids, idle_id)
            if self.variant.experts == "transposed" and not self.pictures:
                self._check_rewritten(directory, turn_experts)
            elif self.variant.mlx_names:
                self._check_rewritten(directory, quantized.published_names)
            else:
                self.check_reload(directory)
            if self.family.whole and self.variant.spelling != "new":
                self._write_whole(directory)
            return
        self.write_quantized(directory, stop_ids, idle_id)
        if self.family.package:
            self.outside(self, directory, RELOAD_FLOOR)
        else:
            self._check_config(directory)
        again = self.family.from_mlx(quantized.state(directory, self.drawn))
        if not all(torch.equal(again[name], tensor) for name, tensor in self.state.items()):
            raise RuntimeError(f"{directory}: mlx-lm quantises the same weights in another way")
        if self.variant.groups.terse:
            quantized.shorten(directory)
        if self.variant.groups.copy_alone:
            quantized.keep_copy(directory)
        if self.variant.stores_head:
            quantized.store_head(directory)

    def _write_whole(self, directory: Path) -> None:
        """Rewrites files that the published loader of a part has read as those of the larger model."""
        path = directory / "config.json"
        stored = {name: tensor for file in directory.glob("*.safetensors") for name, tensor in load_file(file).items()}
        config, state = self.family.whole(json.loads(path.read_text()), stored)
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
        save_shards(directory, state, self.variant.n_shards)

    def write_plain(self, directory: Path, stop_ids: list[int], idle_id: int) -> None:
        """Writes the drawn weights in a published spelling and layout."""
        for name, document in self.documents(stop_ids, idle_id).items():
            text = json.dumps(document, indent=2, sort_keys=True)
            (directory / name).write_text(text + "\n")
        save_shards(directory, self.stored(), self.variant.n_shards, "mlx" if self.variant.spelling == "mlx" else "pt")

    def _check_rewritten(self, directory: Path, rewrite: Callable[[dict], dict]) -> None:
        """Checks files whose tensor names or layout the published class does not read: after `rewrite` has
        converted them, they must load as the same model."""
        with tempfile.TemporaryDirectory() as scratch:
            save(rewrite(load_file(directory / "model.safetensors")), Path(scratch) / "model.safetensors")
            shutil.copy(directory / "config.json", scratch)
            self.check_reload(Path(scratch))

    def probe(self) -> list[int]:
        """A prompt that reads every kind of weight."""
        text = self.text_ids
        if not self.pictures:
            return [text[t] for t in np.arange(7) * 13 % len(text)]
        rng = rng_for(self.seed, self.family.name, self.variant.name, "probe")
        clips = (Audio(37), 1) if getattr(self.pictures, "audio", False) else ()
        parts = (Picture(2, 3), 3) if isinstance(self.pictures, Crops) else (2, Picture(3, 2), 3, *clips)
        return compose(self.pictures, self.variant.outer, parts, text, rng)

    def inputs(self, model: torch.nn.Module, tokens: list[int]) -> dict[str, torch.Tensor | None]:
        """What a loaded model is given for a prompt."""
        return {**model_inputs(model, tokens), "attention_mask": self.float32.mask(len(tokens), None)}

    def check_reload(self, directory: Path) -> None:
        """Checks that the publisher's own loader makes the same model from the files (spelling, layout)."""
        if self.family.package:
            self.outside(self, directory, RELOAD_FLOOR)
            return
        self._check_config(directory)
        if self.variant.wrapper != "text" and not self.multimodal:
            return
        said = json.loads((directory / "config.json").read_text())
        if (read := self.family.new_spelling(said)) != said:
            with tempfile.TemporaryDirectory() as scratch:
                place = Path(shutil.copytree(directory, Path(scratch) / "model"))
                (place / "config.json").write_text(json.dumps(read))
                self.check_reload(place)
            return
        tokens = self.probe()
        kind = type(self.float32.model)
        loaded, report = kind.from_pretrained(directory, **loading(torch.float32), output_loading_info=True)
        for trouble in ("missing_keys", "mismatched_keys", "unexpected_keys"):
            if report.get(trouble):
                raise RuntimeError(f"{directory}: {trouble}: {sorted(report[trouble])[:5]}")
        with precision(torch.float32):
            got = loaded.eval()(**self.inputs(loaded, tokens), use_cache=False).logits[0].numpy()
        want, truth = self.float32.logits(tokens), self.truth.logits(tokens)
        noise = max(np.abs(want - truth).max(), RELOAD_FLOOR * np.abs(want).max())
        if np.abs(got - want).max() > RELOAD_NOISE * noise:
            raise RuntimeError(f"{directory}: the published loader makes another model of these "
                               f"files, logits {np.abs(got - want).max():.1e} apart")
        self._check_bfloat16(directory, kind, tokens)

    def _check_bfloat16(self, directory: Path, kind: type, tokens: list[int]) -> None:
        """Checks that our run in bfloat16 equals the loaded model's, bit for bit."""
        loaded = kind.from_pretrained(directory, **loading(torch.bfloat16))
        with precision(torch.bfloat16):
            got = loaded.eval()(**self.inputs(loaded, tokens), use_cache=False).logits[0]
        if not np.array_equal(array(got), self.narrow["bfloat16"].logits(tokens)):
            raise RuntimeError(f"{directory}: the published loader makes another model in bfloat16")

    def _check_config(self, directory: Path) -> None:
        """Checks that the published config class resolves config.json to the drawn values, whatever its
        spelling."""
        document = self.family.new_spelling(json.loads((directory / "config.json").read_text()))
        ours = self.config()
        kind = type(ours)
        if self.variant.wrapper != "text" and not self.multimodal:
            document = document["text_config"]
        elif transformers.AutoConfig.for_model(document["model_type"]).__class__ is not kind:
            raise RuntimeError(f"{directory}/config.json: model_type {document['model_type']} is "
                               f"not that of {kind.__name__}")
        for place, found, meant in differences(kind.from_dict(document).to_dict(), ours.to_dict()):
            if place.endswith("tie_word_embeddings") and "lm_head.weight" in self.drawn:
                continue  # PaddleOCR-VL's class reads a flat false as true; a stored head that differs is not tied
            raise RuntimeError(f"{directory}/config.json: {place} is read as {found!r}, "
                               f"meant {meant!r}")


def published_class(name: str, package: Any = None) -> Any:
    """A class of the package transformers, by its name or, where the package does not export it, with its module; of another
    package by its name."""
    if package:
        return getattr(package, name)
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"transformers.{module}") if module else transformers, last)


def loading(dtype: torch.dtype) -> Config:
    """The arguments of from_pretrained, which older versions of transformers spell otherwise."""
    if int(transformers.__version__.split(".")[0]) < 5:
        return {"torch_dtype": dtype, "attn_implementation": "eager"}
    return {"dtype": dtype, "attn_implementation": "eager", "experts_implementation": "eager"}


NOT_COMPARED = {"eos_token_id", "pad_token_id", "architectures", "dtype", "torch_dtype",
                "transformers_version", "type", "_attn_implementation", "_experts_implementation"}


def differences(found: Any, meant: Any, place: str = "config") -> list[tuple[str, Any, Any]]:
    """(path, found, meant) of the members of `meant` that `found` lacks, or has with another value."""
    if isinstance(found, dict) and isinstance(meant, dict):
        return [hit for name, value in meant.items() if name not in NOT_COMPARED
                for hit in differences(found.get(name), value, f"{place}.{name}")]
    return [] if found == meant else [(place, found, meant)]


def quiet() -> None:
    """Sets one thread (bit-identical results), and turns off progress bars and warnings."""
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("transformers").setLevel(logging.ERROR)
