"""Trains a small model on the dialogues, so that it emits the markers of its format.

With one thread and a fixed seed, the same versions on the same kind of processor give the same weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

from ..checkpoint.checkpoint import Checkpoint
from ..runs.truth import precision
from ..variants.variant import Config, Family, Variant
from . import dialogues, tokenizer as dialogue_tokenizer

RATE, WARM_UP, DECAY = 4e-3, 60, 0.02


@dataclass(frozen=True)
class Schedule:
    """Steps of training, texts of a batch and tokens of each; and the largest loss to end at, a mean over all tokens,
    which cannot reach 0 because the questions are not predictable."""

    n_steps: int = 900
    n_rows: int = 10
    n_columns: int = 160
    largest_loss: float = 0.75


GEMMA4: Config = {
    "hidden_size": 58, "intermediate_size": 92, "num_hidden_layers": 4, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 18, "global_head_dim": 24, "sliding_window": 32,
    "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "hidden_size_per_layer_input": 0, "pad_token_id": 0,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0},
    },
}
QWEN3: Config = {
    "hidden_size": 58, "intermediate_size": 92, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 18, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
}
CONFIGS = {"gemma4": GEMMA4, "qwen3": QWEN3}


class Corpus:
    """Texts in one format, and the tokenizer trained on them.

    texts: None: the dialogues. start: the beginning of each row of a batch; None: that of the format. spelled: the
    texts on which the tokenizer is trained; None: all.
    """

    def __init__(self, name: str, texts: list[str] | None = None, start: str | None = None,
                 schedule: Schedule = Schedule(), spelled: list[str] | None = None):
        self.format, self.schedule = dialogues.FORMATS[name], schedule
        self.start = self.format.start if start is None else start
        self.texts = texts or [self.format.text(dialogue) for dialogue in dialogues.all_dialogues()]
        self.document, self.config = dialogue_tokenizer.MAKERS[name](spelled or self.texts)
        self.tokenizer = Tokenizer.from_str(self.document)
        self.rows = [self.ids(text) for text in self.texts]

    def ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def batch(self, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Token ids [n_rows, n_columns + 1]: each row is the start of a text, then drawn texts. And the weight of each
        token in the loss, [n_rows, n_columns + 1]; None: all are equal."""
        start, n_columns = self.ids(self.start), self.schedule.n_columns
        rows = []
        for _ in range(self.schedule.n_rows):
            row = list(start)
            while len(row) <= n_columns:
                row += self.rows[int(rng.integers(len(self.rows)))]
            rows.append(row[:n_columns + 1])
        return torch.tensor(rows), None


def rate(step: int, n_steps: int) -> float:
    """The learning rate's factor: linear warm-up, then cosine decay."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (step - WARM_UP) / (n_steps - WARM_UP)))


def cross_entropy(logits: torch.Tensor, tokens: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """The mean over tokens [n], of which row i of the logits predicts the i-th. weights: as Corpus.batch gives them."""
    if weights is None:
        return torch.nn.functional.cross_entropy(logits, tokens)
    each = torch.nn.functional.cross_entropy(logits, tokens, reduction="none")
    weights = weights[:, 1:].flatten()
    return (each * weights).sum() / weights.sum()


def train(model: torch.nn.Module, corpus: Corpus, rng: np.random.Generator) -> float:
    """Trains in float32; returns the mean loss of the last hundred steps."""
    n_steps = corpus.schedule.n_steps
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, n_steps))
    last = []
    for step in range(n_steps):
        batch, weights = corpus.batch(rng)
        logits = model(input_ids=batch[:, :-1], use_cache=False).logits
        loss = cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), weights)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step >= n_steps - 100:
            last.append(loss.item())
    return float(np.mean(last))


class Trained(Checkpoint):
    """A checkpoint whose weights are trained instead of drawn."""

    def __init__(self, family: Family, variant: Variant, seed: int, corpus: Corpus):
        self.corpus = corpus
        super().__init__(family, variant, seed)

    def begin(self, model: torch.nn.Module) -> None:
        """Changes weights of the initialised model before training."""

    def weights(self, model: torch.nn.Module, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        torch.manual_seed(int(rng.integers(2 ** 31)))
        with precision(torch.float32), torch.enable_grad():
            model = self.build()  # with the published initialisation
            self.begin(model)
            self.loss = train(model, self.corpus, rng)
        if not self.loss < self.corpus.schedule.largest_loss:
            raise RuntimeError(f"{self.family.name}: training has ended at a loss of {self.loss:.2f}")
        return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()
                if name != "lm_head.weight"}
