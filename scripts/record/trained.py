"""Trains a small model on the dialogues, so that it emits the markers of its format.

With one thread and a fixed seed, the same versions on the same kind of processor give the same weights.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from tokenizers import Tokenizer

from . import dialogue_tokenizer, dialogues
from .checkpoint import Checkpoint
from .truth import precision
from .variant import Config, Family, Variant

N_STEPS, N_ROWS, N_COLUMNS = 900, 10, 160
RATE, WARM_UP, DECAY = 4e-3, 60, 0.02
LARGEST_LOSS = 0.75  # mean over all tokens; it cannot reach 0, because the questions are not predictable

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
    """The dialogues of one format, and the tokenizer trained on them."""

    def __init__(self, name: str):
        self.format = dialogues.FORMATS[name]
        self.texts = [self.format.text(dialogue) for dialogue in dialogues.all_dialogues()]
        self.document, self.config = dialogue_tokenizer.MAKERS[name](self.texts)
        self.tokenizer = Tokenizer.from_str(self.document)
        self.rows = [self.ids(text) for text in self.texts]

    def ids(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def batch(self, rng: np.random.Generator) -> torch.Tensor:
        """Token ids [N_ROWS, N_COLUMNS + 1]: each row is the start of a text, then drawn dialogues."""
        start = self.ids(self.format.start)
        rows = []
        for _ in range(N_ROWS):
            row = list(start)
            while len(row) <= N_COLUMNS:
                row += self.rows[int(rng.integers(len(self.rows)))]
            rows.append(row[:N_COLUMNS + 1])
        return torch.tensor(rows)


def rate(step: int) -> float:
    """The learning rate's factor: linear warm-up, then cosine decay."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (step - WARM_UP) / (N_STEPS - WARM_UP)))


def train(model: torch.nn.Module, corpus: Corpus, rng: np.random.Generator) -> float:
    """Trains in float32; returns the mean loss of the last hundred steps."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    last = []
    for step in range(N_STEPS):
        batch = corpus.batch(rng)
        logits = model(input_ids=batch[:, :-1], use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step >= N_STEPS - 100:
            last.append(loss.item())
    return float(np.mean(last))


class Trained(Checkpoint):
    """A checkpoint whose weights are trained instead of drawn."""

    def __init__(self, family: Family, variant: Variant, seed: int, corpus: Corpus):
        self.corpus = corpus
        super().__init__(family, variant, seed)

    def weights(self, model: torch.nn.Module, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        torch.manual_seed(int(rng.integers(2 ** 31)))
        with precision(torch.float32), torch.enable_grad():
            model = self.build()  # with the published initialisation
            self.loss = train(model, self.corpus, rng)
        if not self.loss < LARGEST_LOSS:
            raise RuntimeError(f"{self.family.name}: training has ended at a loss of {self.loss:.2f}")
        return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()
                if name != "lm_head.weight"}
