"""A model of two layers that is trained to give a few answers to a few requests: calls of tools, and white space around messages."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file
from transformers import AutoTokenizer
from transformers.utils.chat_template_utils import render_jinja_template

from ..case import case_file
from ..support import h5, serving_package
from ..support.textual import write as write_textual
from ..trained import dialogues
from ..trained.cases import fields
from ..trained.training import Schedule, train
from . import texts
from .texts import ANSWER, STOP, Words

WIDTH, LAYERS = 32, 2
SCHEDULE = Schedule(n_steps=400, largest_loss=0.01)
CATCHES = "a server that loses, merges or renumbers calls, or changes the white space around a message"

Message = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A request, and the text that answers it."""

    comment: str
    messages: tuple[Message, ...]
    answer: str
    thinking: bool = False
    tools: tuple[Message, ...] = ()

    def request(self) -> dict[str, Any]:
        return {"messages": list(self.messages)} | ({"tools": list(self.tools)} if self.tools else {})


@dataclass(frozen=True)
class Lesson:
    """The exchanges, of equal weight, of which training weighs the answers alone. schedule, batch: as trained.Corpus has them."""

    rows: list[tuple[list[int], list[int]]]
    schedule: Schedule = field(default=SCHEDULE)

    def batch(self, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(len(prompt) + len(answer) for prompt, answer in self.rows)
        tokens, weights = np.zeros((2, len(self.rows), longest))
        for i, (prompt, answer) in enumerate(self.rows):
            end = len(prompt) + len(answer)
            tokens[i, :end], weights[i, len(prompt):end] = prompt + answer, 1
        return torch.from_numpy(tokens).long(), torch.from_numpy(weights).float()


@dataclass(frozen=True)
class Taught:
    """about: what is odd. n_decode: tokens that are recorded of each answer."""

    name: str
    about: str
    tokenizer: Words
    template: str
    exchanges: tuple[Exchange, ...]
    n_decode: int
    most_positions: int = 256

    def rendered(self, exchange: Exchange) -> str:
        """The prompt, by the published renderer of chat templates."""
        return render_jinja_template([list(exchange.messages)], tools=list(exchange.tools) or None, chat_template=self.template,
                                     add_generation_prompt=True, enable_thinking=exchange.thinking)[0][0]

    def prompts(self) -> list[dict[str, Any]]:
        return [{"text": self.rendered(one)} for one in self.exchanges]

    def write(self, directory: Path, seed: int, bundled: Path | None) -> None:
        """The checkpoint, by save_pretrained of the published class. bundled: a checkpoint whose weights are taken; None: it is trained."""
        torch.manual_seed(seed)
        tokens, tokenizer = self.tokenizer.tokens(), self.tokenizer.build()
        model = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(
            vocab_size=len(tokens), hidden_size=WIDTH, intermediate_size=2 * WIDTH, num_hidden_layers=LAYERS, num_attention_heads=2,
            num_key_value_heads=1, head_dim=16, max_position_embeddings=self.most_positions, tie_word_embeddings=True,
            eos_token_id=tokens.index(STOP), bos_token_id=None, pad_token_id=0, dtype="float32"))
        rows = [(tokenizer.encode(self.rendered(one)).ids, tokenizer.encode(one.answer + STOP).ids) for one in self.exchanges]
        if any(0 in (*prompt, *answer) for prompt, answer in rows):
            raise ValueError(f"{self.name}: a word of an exchange is not in the vocabulary")
        if bundled:
            model.load_state_dict(load_file(bundled / "model.safetensors"), strict=False)
        elif (loss := train(model, Lesson(rows), np.random.default_rng(seed))) > SCHEDULE.largest_loss:
            raise RuntimeError(f"{self.name}: training has ended at a loss of {loss:.2f}")
        directory.mkdir(parents=True)
        model.save_pretrained(directory)
        texts.write_texts(directory, tokenizer, self.template, self.most_positions)

    def write_requests(self, directory: Path, seed: int) -> None:
        """requests.json beside the truth: the requests of its prompts, with the answers and what the published parsers make of them. Raises
        RuntimeError if the truth gives another answer than was taught."""
        serving_package.load()
        given = [[int(token) for token in row if token >= 0] for row in h5.read(directory / "answers.h5")[0]["/expect/tokens"]]
        tokenizer = AutoTokenizer.from_pretrained(directory / "model")
        stop, form = tokenizer.convert_tokens_to_ids(STOP), dialogues.FORMATS["qwen3"]
        vectors = []
        for sample, one in enumerate(self.exchanges):
            prompt = self.rendered(one)
            prompt_ids, ids = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, one.answer + STOP))
            if given[sample] != ids:
                raise RuntimeError(f"{self.name}: {one.comment}: the truth answers {tokenizer.decode(given[sample])!r}")
            vectors.append({
                "id": sample + 1, "comment": one.comment, "flags": [],
                "input": {"prompt": prompt, "max_tokens": self.n_decode, "thinking": one.thinking, "reasoning_parser": form.reasoning_parser,
                          "tool_parser": form.tool_parser, "request": one.request(), "prompt_ids": prompt_ids, "case": "answers.h5",
                          "sample": sample},
                "expect": {"ids": ids, "text": tokenizer.decode(ids[:-1]), "prompt_tokens": len(prompt_ids), "completion_tokens": len(ids),
                           "finish_reason": "stop", "stop_id": stop,
                           **fields(SimpleNamespace(format=form), one.answer, one.thinking)}})  # type: ignore[arg-type]
        write_textual(directory / "requests.json", {
            "schema": "assay/1", "kind": "dialogue", "model": "model",
            "source": f"{case_file.SOURCE}; text by its tokenizer, fields by {serving_package.wanted()}",
            "recorder": f"scripts/record/odd, seed {seed}", "catches": CATCHES, "groups": [{"name": self.name, "vectors": vectors}]})


def tool(name: str, **properties: str) -> Message:
    return {"type": "function", "function": {"name": name, "parameters": {
        "type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}}}


def said(name: str, **arguments: str) -> str:
    """A call as the model writes it."""
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def user(text: str) -> Message:
    return {"role": "user", "content": text}


TOOLS = (tool("weather", city="string"), tool("clock"))
ROME, OSLO, CLOCK = said("weather", city="Rome"), said("weather", city="Oslo"), said("clock")
WORDS = ("user:", "system:", "tool:", ANSWER, "good", "\u2581day", "\u2581the", "\u2581sky", "\u2581is", "\u2581blue", "\u2581and", "\u2581wide", "\u2581so", "\u2581it",
         "\u2581goes", "time", "weather", "\u2581time", "\u2581in", "\u2581Rome", "\u2581Oslo", "blue", "\u2581weather", "\u2581clock", '{"name":', '\u2581"weather",',
         '\u2581"clock",', '\u2581"arguments":', '\u2581{"city":', '\u2581"Rome"}}', '\u2581"Oslo"}}', "\u2581{}}", "\u2581\n", "\n", "\u2581")
ASKED = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": {"city": "Rome"}}}]}

TAUGHT = (
    Taught("calls", "several calls, calls without arguments, and white space around messages",
           Words(WORDS, ("<think>", "</think>", "<tool_call>", "</tool_call>")), texts.CALLING, (
               Exchange("white space around a message", (user("good day"),), " \n the sky is wide  \n"),
               Exchange("white space around reasoning and a message", (user("good day"),),
                        "<think> \n so it goes \n</think> \n\n the sky is blue \n", True),
               Exchange("a call", (user("weather in Rome"),), ROME, False, TOOLS),
               Exchange("a call without arguments", (user("time"),), CLOCK, False, TOOLS),
               Exchange("two calls", (user("weather in Rome and Oslo"),), f"{ROME}\n{OSLO}", False, TOOLS),
               Exchange("reasoning, a message, and a call without arguments before another one", (user("time and weather in Oslo"),),
                        f"<think> so it goes</think> it is \n{CLOCK}{OSLO}", True, TOOLS),
               Exchange("the result of a call", (user("weather in Rome"), ASKED, {"role": "tool", "tool_call_id": "call_1", "content": "blue"}),
                        " it is blue", False, TOOLS)), 32),
)
