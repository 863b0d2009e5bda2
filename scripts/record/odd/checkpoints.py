"""Models of one layer whose answers are written beforehand: each token has one token that follows it.

The head's row of a token points at the embeddings of the tokens that it follows; attention and MLP have random weights, small beside
them, so that every logit depends on every token before it and the most likely token on the last one alone. A checkpoint that recalls a
mark has attention that looks at all tokens alike and finds the mark among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from . import texts
from .texts import ANSWER, STOP, Words

WIDTH, CONFIDENCE, SPREAD = 32, 4.0, 0.05  # of the residual stream; of the head; of what is added to the stream
RECALL, RECALLED = 6.4, 3.4  # of a mark that has occurred, for prompts of about ten tokens


@dataclass(frozen=True)
class Recall:
    """After `mark` has occurred, `token` is followed by `after`."""

    mark: str
    token: str
    after: str


@dataclass(frozen=True)
class Odd:
    """A checkpoint. about: what is odd. answers: chains of tokens: each follows the one before it. n_more: rows of the embedding
    without a token. ids, messages: the prompts. n_decode: tokens that are recorded of each answer."""

    name: str
    about: str
    tokenizer: Words
    answers: tuple[tuple[str, ...], ...]
    template: str | None = texts.PLAIN
    most_positions: int = 256
    n_more: int = 0
    messages: tuple[tuple[tuple[str, str], ...], ...] = ()
    texts: tuple[str, ...] = ()
    n_decode: int = 12
    recall: Recall | None = None

    def prompts(self) -> list[dict[str, Any]]:
        return ([{"text": text} for text in self.texts] +
                [{"messages": [{"role": role, "content": content} for role, content in one]} for one in self.messages])

    def token_id(self, token: str) -> int:
        """`#N`: row N of those without a token."""
        tokens = self.tokenizer.tokens()
        return len(tokens) + int(token[1:]) if token.startswith("#") else tokens.index(token)

    def followers(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for chain in self.answers:
            for before, after in zip(chain, chain[1:], strict=False):
                one, other = self.token_id(before), self.token_id(after)
                if found.setdefault(one, other) != other:
                    raise ValueError(f"{self.name}: {before} has two followers")
        return found

    def write(self, directory: Path, seed: int, _bundled: Path | None) -> None:
        """The checkpoint; its weights are made, so that none are taken from a bundled one."""
        write(self, directory, seed)

    def write_requests(self, _directory: Path, _seed: int) -> None:
        """Prompts of plain messages: the probe reads the requests from them."""


def far_apart(n: int, width: int) -> torch.Tensor:
    """Unit vectors [n, width] that repel each other."""
    rows = torch.nn.Parameter(torch.randn(n, width, dtype=torch.float64))
    optimizer = torch.optim.Adam([rows], lr=0.05)
    for _ in range(200):
        unit = torch.nn.functional.normalize(rows, dim=1)
        loss = torch.exp(8 * (unit @ unit.T - torch.eye(n))).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return torch.nn.functional.normalize(rows.detach(), dim=1)


def config_of(odd: Odd, n_rows: int) -> transformers.Qwen3Config:
    return transformers.Qwen3Config(
        vocab_size=n_rows, hidden_size=WIDTH, intermediate_size=WIDTH, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
        head_dim=16, max_position_embeddings=odd.most_positions, tie_word_embeddings=False, eos_token_id=odd.token_id(STOP),
        bos_token_id=None, pad_token_id=0, dtype="float32")


def reserve(rows: torch.Tensor, mark: int) -> None:
    """Leaves dimension 0 of the embeddings to the mark alone, and dimension 1 to what attention says of it."""
    rows[:, :2] = 0
    rows[mark] = 0
    rows[mark, 0] = 1
    rows.copy_(torch.nn.functional.normalize(rows, dim=1))


def write_recall(odd: Odd, recall: Recall, model: torch.nn.Module, rows: torch.Tensor, head: torch.Tensor) -> None:
    """Attention to all tokens alike: dimension 1 of the stream is the share of the mark among them."""
    token, after = odd.token_id(recall.token), odd.token_id(recall.after)
    attention = model.model.layers[0].self_attn
    attention.q_proj.weight.zero_()
    attention.v_proj.weight[0] = 0
    attention.v_proj.weight[0, 0] = RECALL
    attention.o_proj.weight[1, 0] = 1
    head[:, 1] = 0
    head[after, 1] = RECALLED
    head[odd.followers()[token]] += 0.25 * CONFIDENCE * rows[token]
    head[after] += CONFIDENCE * rows[token]


def write(odd: Odd, directory: Path, seed: int) -> None:
    """The checkpoint, by save_pretrained of the published class."""
    torch.manual_seed(seed)
    n_rows = len(odd.tokenizer.tokens()) + odd.n_more
    model = transformers.Qwen3ForCausalLM(config_of(odd, n_rows))
    rows = far_apart(n_rows, WIDTH)
    if odd.recall:
        reserve(rows, odd.token_id(odd.recall.mark))
    head = 0.1 * torch.randn(n_rows, WIDTH, dtype=torch.float64)
    for before, after in odd.followers().items():
        head[after] += CONFIDENCE * rows[before]
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2:
                parameter.copy_(SPREAD * torch.randn(parameter.shape) if name.endswith(("o_proj.weight", "down_proj.weight"))
                                else torch.randn(parameter.shape) / WIDTH ** 0.5)
        if odd.recall:
            write_recall(odd, odd.recall, model, rows, head)
        model.model.embed_tokens.weight.copy_(rows * WIDTH ** 0.5)
        model.lm_head.weight.copy_(head)
    directory.mkdir(parents=True)
    model.save_pretrained(directory)
    texts.write_texts(directory, odd.tokenizer.build(), odd.template, odd.most_positions)


WORDS = ("user:", "system:", ANSWER, "\u2581good", "\u2581day", "\u2581to", "\u2581you", "good", "\u2581the", "\u2581sky", "\u2581is", "\u2581blue", "\u2581and",
         "\u2581wide", "\u2581so", "\u2581then", "\u2581round", "\u2581it", "\u2581goes", "\u2581fine", "a", "d", "g", "o", "y", "\u2581")
THINKS = ("<think>", "</think>")
EURO, SMILE = ("<0xE2>", "<0x82>", "<0xAC>"), ("<0xF0>", "<0x9F>", "<0x98>", "<0x80>")
TALK = (ANSWER, "\u2581the", "\u2581sky", "\u2581is", "\u2581blue", "\u2581and", "\u2581wide", STOP)
ASKED = ((("user", "good day"),), (("user", "good day to you"),))
TURNS = (("user", "good day"), ("assistant", " the sky is blue"), ("user", " is it so"), ("assistant", " it is"), ("user", "good"))
GREETED = ("good day to the", "good sky is")

CHECKPOINTS = (
    Odd("instant-end", "every answer ends before its first token", Words(WORDS), ((ANSWER, STOP), ("\u2581day", STOP), ("\u2581sky", STOP)),
        messages=ASKED, texts=("good day", "good sky")),
    Odd("all-reasoning", "an answer is reasoning and nothing else", Words(WORDS, THINKS),
        ((ANSWER, "<think>", "\u2581so", "\u2581it", "\u2581goes", "</think>", STOP), ("\u2581the", "\u2581sky", "\u2581is", STOP)),
        texts.THINKING, messages=ASKED, texts=GREETED),
    Odd("endless-reasoning", "reasoning that ends at no token", Words(WORDS, THINKS),
        ((ANSWER, "<think>", "\u2581round", "\u2581and", "\u2581so", "\u2581it", "\u2581goes", "\u2581round"), ("\u2581the", "\u2581sky", "\u2581is", STOP)),
        texts.THINKING, messages=ASKED, texts=GREETED),
    Odd("echoed-reasoning", "the prompt opens reasoning, whose tokens the content repeats", Words(WORDS, THINKS),
        (("<think>", "\u2581so", "\u2581it", "</think>", "\u2581so"), ("\u2581the", "\u2581sky", "\u2581is", STOP)), texts.OPENING, messages=ASKED,
        texts=(*GREETED, "<|start|>user:good day<|end|><|start|>assistant:<think></think>"),
        recall=Recall("</think>", "\u2581it", STOP)),
    Odd("vocabulary-40", "40 tokens", Words((*WORDS, *(f"\u2581n{i}" for i in range(40 - 3 - len(WORDS))))), (TALK,), messages=ASKED, texts=GREETED),
    Odd("no-template", "no chat template", Words(WORDS), (TALK,), None, texts=GREETED),
    Odd("byte-fallback", "characters of several tokens, in which limits cut", Words((*WORDS, *EURO, *SMILE)),
        ((ANSWER, "\u2581the", *EURO, "\u2581is", *SMILE, STOP),), messages=ASKED, texts=GREETED),
    Odd("endless-bytes", "an answer that goes on, of which the recorded part ends within a character", Words((*WORDS, *EURO, *SMILE)),
        ((ANSWER, "\u2581the", *EURO, "\u2581is", *SMILE, "\u2581the"),), messages=ASKED, texts=GREETED, n_decode=9),
    Odd("lone-bytes", "bytes that make no character, within an answer and at its end", Words((*WORDS, *EURO, *SMILE)),
        ((ANSWER, "\u2581the", EURO[0], "\u2581sky", SMILE[1], "\u2581is", SMILE[0], SMILE[2], STOP),), messages=ASKED, texts=GREETED),
    Odd("context-24", "a context of 24 positions", Words(WORDS), (TALK,), most_positions=24, messages=(*ASKED, (*TURNS[:2], *TURNS[4:]), TURNS), texts=GREETED),
    Odd("unused-ids", "rows of the embedding without a token, one of them in an answer", Words(WORDS),
        ((ANSWER, "\u2581the", "\u2581sky", "#3", "\u2581is", "\u2581blue", STOP),), n_more=24, messages=ASKED, texts=GREETED),
    Odd("stripping", "a template that strips messages and refuses others", Words(WORDS), (TALK,), texts.STRIPPING,
        messages=((("user", " good day "),), *ASKED), texts=GREETED),
    Odd("turns", "conversations of several turns", Words(WORDS), (TALK,), messages=(TURNS, (("system", "good"), *TURNS), TURNS[2:]), texts=GREETED),
)
