"""The checkpoints of the bundle: small enough to be part of the source, in dimensions that published servers accept."""

from __future__ import annotations

import copy
import functools
import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer

from .. import families
from ..checkpoint.files import save
from ..runs import narrow
from ..runs.truth import Run
from ..trained import tokenizer as dialogue_tokenizer
from ..trained.dialogues import Format
from ..trained.training import Corpus, Schedule, Trained
from ..variants.variant import Config, Family, Variant, rng_for
from . import conversations

N_TEXTS = 2400
GROUP = 64
SCHEDULES = {"qwen3": Schedule(n_steps=1000, n_rows=8, n_columns=208, largest_loss=0.2),
             "gemma4": Schedule(n_steps=1200, n_rows=8, n_columns=208, largest_loss=0.2)}
PROMPT_WEIGHT = 0.02  # of a prompt's token in the loss; an answer's has 1
CATCHES = "a server whose logits, tokens or texts are not those of the checkpoint that it serves"

# Head sizes 32 and 64 only, and widths that are multiples of 64: kernels of published servers, and groups of
# quantised weights, need them.
CONFIGS: dict[str, Config] = {
    "qwen3": {
        "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 4096, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
    },
    "gemma4": {
        "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4, "num_attention_heads": 2,
        "num_key_value_heads": 1, "head_dim": 32, "global_head_dim": 64, "sliding_window": 32,
        "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "hidden_size_per_layer_input": 0, "pad_token_id": 0,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
            "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0},
        },
    },
}
# As published: the tokenizer alone does not name every stop id
STOPS = {"gemma4": {"config.json": ["<eos>", "<turn|>"], "generation_config.json": ["<eos>", "<turn|>", "<|tool_response>"]},
         "qwen3": {"config.json": "<|im_end|>", "generation_config.json": ["<|im_end|>", "<|endoftext|>"]}}


class Answers(Corpus):
    """Prompts and answers, of which training weighs the answers: in earlier turns of a conversation the model's answers
    lack their reasoning, and must not teach it to leave reasoning out."""

    def __init__(self, name: str, texts: list[conversations.Text]):
        whole = [one.prompt + one.answer for one in texts]
        super().__init__(name, whole, "", SCHEDULES[name], conversations.spelled(whole))
        self.answers = [len(self.ids(one.answer)) for one in texts]

    def batch(self, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        n_columns, rows, weights = self.schedule.n_columns, [], []
        for _ in range(self.schedule.n_rows):
            row: list[int] = []
            weight: list[float] = []
            while len(row) <= n_columns:
                i = int(rng.integers(len(self.rows)))
                row += self.rows[i]
                weight += [PROMPT_WEIGHT] * (len(self.rows[i]) - self.answers[i]) + [1.0] * self.answers[i]
            rows.append(row[:n_columns + 1])
            weights.append(weight[:n_columns + 1])
        return torch.tensor(rows), torch.tensor(weights)


class Taught(Trained):
    """Gemma 4 divides no product of query and key by the root of the head size: a trained norm of queries contains that
    factor, and training is quick if it begins with it.

    bundled: a directory whose weights are taken instead of training; None: it is trained.
    """

    def __init__(self, family: Family, variant: Variant, seed: int, corpus: Answers, bundled: Path | None):
        self.bundled = bundled
        super().__init__(family, variant, seed, corpus)

    def weights(self, model: torch.nn.Module, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        if self.bundled is None:
            return super().weights(model, rng)
        state = {name: tensor for name, tensor in model.state_dict().items() if name != "lm_head.weight"}
        names = {id(tensor): name for name, tensor in state.items()}
        stored = load_file(self.bundled / "model.safetensors")
        return {names[id(tensor)]: stored[name] for name, tensor in self.family.old_names(state).items()}

    def begin(self, model: torch.nn.Module) -> None:
        if self.family.name == "gemma4":
            for name, weight in model.named_parameters():
                if name.endswith("q_norm.weight"):
                    torch.nn.init.constant_(weight, weight.numel() ** -0.5)


def rounded(tensor: torch.Tensor, bits: int) -> torch.Tensor:
    """A matrix as MLX's affine groups of GROUP columns represent it; a vector as it is."""
    import mlx.core as mx
    if tensor.dim() != 2:
        return tensor
    mx.set_default_device(mx.cpu)
    how = {"group_size": GROUP, "bits": bits}
    return torch.from_numpy(np.array(mx.dequantize(*mx.quantize(mx.array(tensor.numpy()), **how), **how)))


class Served:
    """A trained checkpoint with its template and its stop ids. bundled: as Taught has it."""

    def __init__(self, name: str, seed: int, bundled: Path | None = None):
        self.name = name
        rng = rng_for(seed, "bundle", name, "texts")
        self.corpus = Answers(name, conversations.texts(name, N_TEXTS, rng))
        size = self.corpus.tokenizer.get_vocab_size()
        config = {**CONFIGS[name], "vocab_size": size}
        if name == "gemma4":
            config["vocab_size_per_layer_input"] = size
        self.checkpoint = Taught(families.load(name), Variant("bundle", config, CATCHES, spelling="old"), seed, self.corpus,
                                 bundled)
        self.documents = {file: self.numbers(ids) for file, ids in STOPS[name].items()}
        self.stops = sorted({one for ids in self.documents.values() for one in (ids if isinstance(ids, list) else [ids])})

    @property
    def format(self) -> Format:
        return self.corpus.format

    @functools.cached_property
    def narrow(self) -> dict[str, Run]:
        """Runs that show how a server in a narrower type differs: 16-bit numbers, or weights that MLX has rounded."""
        build, state = self.checkpoint.build, self.checkpoint.state
        return {**self.checkpoint.narrow, "float16": narrow.Narrow(build, state, torch.float16),
                **{f"affine{bits}": Run(build, {name: rounded(tensor, bits) for name, tensor in state.items()}, torch.float32)
                   for bits in (8, 4)}}

    def numbers(self, tokens: Any) -> Any:
        if isinstance(tokens, list):
            return [self.numbers(one) for one in tokens]
        return self.corpus.tokenizer.token_to_id(tokens)

    def write(self, directory: Path, newer: Path) -> None:
        """Writes the checkpoint, which Checkpoint.write reads back, and today's spelling of its config.json."""
        self.checkpoint.write(directory, self.stops, self.stops[-1])
        template = conversations.template(self.name)
        dialogue_tokenizer.write(directory, self.corpus.document, {**self.corpus.config, "chat_template": template})
        (directory / "chat_template.jinja").write_text(template)
        self.name_stops(directory)
        self.write_newer(newer)
        ids = AutoTokenizer.from_pretrained(directory)(self.corpus.texts[0], add_special_tokens=False)["input_ids"]
        if ids != self.corpus.ids(self.corpus.texts[0]):
            raise RuntimeError(f"{self.name}: transformers reads another tokenizer from these files")

    def name_stops(self, directory: Path) -> None:
        for file, ids in self.documents.items():
            path = directory / file
            if path.exists():
                document = json.loads(path.read_text())
                document["eos_token_id"] = ids
                path.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")

    def write_newer(self, path: Path) -> None:
        """Writes config.json in today's spelling, after the published loader has read it with the weights."""
        other = copy.copy(self.checkpoint)
        other.variant = replace(self.checkpoint.variant, spelling="new")
        text = json.dumps(other.documents(self.stops, self.stops[-1])["config.json"], indent=2, sort_keys=True)
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch)
            (place / "config.json").write_text(text + "\n")
            save(other.stored(), place / "model.safetensors")
            other.check_reload(place)
            self.name_stops(place)
            shutil.copy(place / "config.json", path)
