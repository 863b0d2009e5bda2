"""Records the bundle: checkpoints, and the truth of requests that a server can be given.

`fixtures/bundle/<family>/` receives the checkpoint, prompts.h5, calls.h5 and long.h5 (numeric cases of kind generate),
requests.json (the requests, their token ids and their answers) and template.json (the rendering of the requests);
fixtures/bundle/README.md describes them.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer

from ..case import case_file, cases, plan
from ..runs import narrow
from ..runs.truth import Run
from ..support import checksums, distances, serving_package
from ..support.textual import write as write_textual
from ..trained.cases import fields
from ..variants.variant import rng_for
from . import conversations
from .checkpoints import CATCHES, CONFIGS, Served
from .conversations import Exchange

MOST_TOKENS = 64    # limit of an answer
N_CANDIDATES = 12   # correct answers, of which the one with the largest margin is recorded
N_TRIES = 60
ROW_STEP = 16       # of long prompts, the first rows, every 16th and the last are recorded
APART = 2 * narrow.APART  # a margin, in multiples of the noise: four on either side
MARKS = {"gemma4": "<turn|>", "qwen3": "<|im_end|>"}  # the token that ends a turn without a call


@dataclass(frozen=True)
class Slot:
    """A kind of request: one exchange of it is recorded. earlier: exchanges before it."""

    comment: str
    thinking: bool
    text: str  # the question contains it
    brief: bool = False
    tools: bool = False
    result: bool = False  # the request ends with the result of a call
    earlier: int = 0

    def exchanges(self, rng: np.random.Generator) -> list[Exchange]:
        pool = conversations.calls() if self.tools else conversations.brief() if self.brief else conversations.questions()
        pool = [one for one in pool if one.thinking == self.thinking and (one.messages[-1]["role"] == "tool") == self.result
                and any(self.text in str(message["content"]) for message in one.messages)]
        opening = [one for one in conversations.questions() if one.thinking == self.thinking]
        return [pool[i].after([opening[k] for k in rng.integers(len(opening), size=self.earlier)])
                for i in rng.integers(len(pool), size=N_TRIES)]


PROMPTS = (
    Slot("reasoning and an answer", True, "What is"),
    Slot("an answer without reasoning", False, "What is"),
    Slot("reasoning and an answer in bold", True, "capital"),
    Slot("an answer in bold", False, "capital"),
    Slot("reasoning and one word", True, "colour"),
    Slot("a character of several tokens", False, "sign has fire"),
    Slot("reasoning with characters of several tokens", True, "sign has fog"),
    Slot("the system prompt shortens the answer", True, "What is", brief=True),
    Slot("a question for a tool, without tools", False, "weather"),
    Slot("after two exchanges", False, "What is", earlier=2),
)
CALLS = (
    Slot("reasoning and a call", True, "weather", tools=True),
    Slot("a call", False, "Zürich", tools=True),
    Slot("a call after an exchange", False, "weather", tools=True, earlier=1),
)
LONG = (
    Slot("the result of a call, with reasoning", True, "weather", tools=True, result=True),
    Slot("the result of a call", False, "weather", tools=True, result=True),
    Slot("a long conversation", False, "What is", earlier=8),
    Slot("a longer conversation", False, "capital", earlier=20),
)
# File: its requests, and the number of forced tokens
FILES = {"prompts": (PROMPTS, 32), "calls": (CALLS, 56), "long": (LONG, 44)}


@dataclass
class Chosen:
    """A request with the truth's answer: token ids, and the smallest margin of the rows that decide them."""

    slot: Slot
    exchange: Exchange
    prompt: list[int]
    answer: list[int]
    margin: float


def answering(run: Run, prompt: list[int], answer: list[int]) -> np.ndarray:
    """The logits [len(answer), V] that decide the answer's tokens."""
    return run.logits(prompt + answer)[len(prompt) - 1:-1]


class Recorder:
    """The requests of one checkpoint."""

    def __init__(self, served: Served, seed: int):
        self.served, self.checkpoint, self.seed = served, served.checkpoint, seed
        self.ids = served.corpus.ids

    def choose(self, slot: Slot, most: int) -> Chosen:
        """The request whose answer has the largest margin, of those that the truth answers as it was trained to with at
        most `most` tokens."""
        rng = rng_for(self.seed, "bundle", self.served.name, "slot", slot.comment)
        found: list[Chosen] = []
        for exchange in slot.exchanges(rng):
            prompt = self.ids(conversations.render(self.served.name, exchange))
            answer = self.ids(self.served.corpus.format.turn(exchange.turn))
            rows = answering(self.checkpoint.float32, prompt, answer)
            if len(answer) <= most and rows.argmax(-1).tolist() == answer:
                found.append(Chosen(slot, exchange, prompt, answer, cases.margin(rows)))
            if len(found) == N_CANDIDATES:
                break
        if not found:
            raise RuntimeError(f"{self.served.name}: no request is answered as trained: {slot.comment}")
        best = max(found, key=lambda one: one.margin)
        rows = answering(self.checkpoint.truth, best.prompt, best.answer)
        if rows.argmax(-1).tolist() != best.answer:
            raise RuntimeError(f"{self.served.name}: float32 decides the answer: {slot.comment}")
        return replace(best, margin=cases.margin(rows))

    def drawn(self, chosen: Chosen, n: int) -> cases.Drawn:
        """The rows of a request; after its answer the truth's greedy tokens go on to n tokens."""
        decode = list(chosen.answer)
        while len(decode) < n:
            decode.append(int(self.checkpoint.truth.logits(chosen.prompt + decode)[-1].argmax()))
        return cases.Drawn(chosen.prompt, decode[:n], *self.checkpoint.truth.rows(chosen.prompt, decode[:n]),
                           *self.checkpoint.float32.rows(chosen.prompt, decode[:n]))

    def numeric(self, name: str, path: Path) -> tuple[list[Chosen], str]:
        """Writes a numeric case; returns its requests and a log line."""
        slots, n_decode = FILES[name]
        chosen = [self.choose(slot, n_decode) for slot in slots]
        samples = [self.drawn(one, n_decode) for one in chosen]
        ends = {one.answer[-1] for one in chosen}
        if len(ends) != 1:
            raise RuntimeError(f"{path}: answers end with {ends}, expected one stop id")
        stop = ends.pop()
        case = plan.Case("bundle", tuple(len(one.prompt) for one in chosen), n_decode, "generate",
                         row_step=ROW_STEP if name != "prompts" else 0)
        recording = cases.Recording(case, samples, 1, next(i for i in self.served.stops if i != stop), stop)
        noise = self.noises(samples)
        result = case_file.write(self.checkpoint, recording, path, "model", "layers",
                                 {f"/expect/{kind}/noise": found for kind, found in noise.items() if kind != "bfloat16"})
        if result["missing"]:
            raise RuntimeError(f"{path}: no run in {result['missing']}")
        margin = min(one.margin for one in chosen)
        largest = {"float32": result["noise"], **{kind: found[0] for kind, found in noise.items()}}
        for kind in ("float32", "float16"):
            if margin < APART * largest[kind]:
                raise RuntimeError(f"{path}: margin {margin:.3f}, noise of {kind} {largest[kind]:.3f}")
        return chosen, f"  {name}: margin {margin:.2f}, noise " + ", ".join(f"{k} {v:.1e}" for k, v in largest.items())

    def noises(self, samples: list[cases.Drawn]) -> dict[str, np.ndarray]:
        """The noise of each run in a narrower type over all rows [3]: largest error, RMSE, KL."""
        found = {}
        for name, run in self.served.narrow.items():
            rows = [np.concatenate(run.rows(s.prompt, s.decode)) for s in samples]
            truth = np.concatenate([part for s in samples for part in (s.prefill, s.steps)])
            found[name] = distances.distances(truth, np.concatenate(rows).astype(np.float64)).max(-1)
        return found


class Texts:
    """The textual cases: requests with their answers, and their rendering."""

    def __init__(self, served: Served, directory: Path):
        self.served, self.tokenizer = served, AutoTokenizer.from_pretrained(directory)
        self.requests: list[dict[str, Any]] = []
        self.renderings: list[dict[str, Any]] = []

    def variables(self, exchange: Exchange) -> dict[str, Any]:
        made = {"messages": list(exchange.messages), "add_generation_prompt": True,
                "enable_thinking": exchange.thinking, "bos_token": self.tokenizer.bos_token or ""}
        return made | ({"tools": list(exchange.tools)} if exchange.tools else {})

    def add(self, file: str, sample: int, chosen: Chosen) -> None:
        exchange, served = chosen.exchange, self.served
        prompt = conversations.render(served.name, exchange)
        variables = self.variables(exchange)
        again = self.tokenizer.apply_chat_template(
            variables["messages"], tools=variables.get("tools"), add_generation_prompt=True, tokenize=False,
            enable_thinking=exchange.thinking)
        if again != prompt or self.tokenizer(prompt, add_special_tokens=False)["input_ids"] != chosen.prompt:
            raise RuntimeError(f"{served.name}: transformers renders {prompt!r} as {again!r}")
        if self.served.checkpoint.truth.generate(chosen.prompt, MOST_TOKENS, served.stops) != chosen.answer:
            raise RuntimeError(f"{served.name}: generate() of the published model says something else")
        text = self.tokenizer.decode(chosen.answer[:-1], skip_special_tokens=False)
        n = len(self.requests) + 1
        asked = {"messages": variables["messages"]} | ({"tools": variables["tools"]} if exchange.tools else {})
        self.requests.append({
            "id": n, "comment": chosen.slot.comment, "flags": [],
            "input": {"prompt": prompt, "max_tokens": MOST_TOKENS, "thinking": exchange.thinking,
                      "reasoning_parser": served.corpus.format.reasoning_parser,
                      "tool_parser": served.corpus.format.tool_parser, "request": asked,
                      "prompt_ids": chosen.prompt, "case": f"{file}.h5", "sample": sample},
            "expect": {"ids": chosen.answer, "text": text, "prompt_tokens": len(chosen.prompt),
                       "completion_tokens": len(chosen.answer), "finish_reason": "stop", "stop_id": chosen.answer[-1],
                       **fields(served, text, exchange.thinking)}})
        self.renderings.append({"id": n, "comment": chosen.slot.comment, "flags": [],
                                "input": {"template": conversations.template(served.name), "variables": variables},
                                "expect": {"text": prompt}})

    def write(self, directory: Path, seed: int) -> None:
        for file, kind, vectors, source in (
                ("requests", "dialogue", self.requests, f"{case_file.SOURCE}; text by its tokenizer, fields by "
                 f"{serving_package.wanted()}"), ("template", "template", self.renderings, case_file.SOURCE)):
            write_textual(directory / f"{file}.json", {
                "schema": "assay/1", "kind": kind, **({"model": "model"} if kind == "dialogue" else {}), "source": source,
                "recorder": f"scripts/record/bundle/cases.py, seed {seed}", "catches": CATCHES,
                "groups": [{"name": self.served.name, "vectors": vectors}]})


def record(out: Path, seed: int, bundled: Path | None = None) -> list[Path]:
    """Writes both families; returns their directories relative to `out`. bundled: a recorded bundle whose weights are taken; None: they
    are trained."""
    serving_package.load()
    made = []
    for name in CONFIGS:
        directory = out / name
        shutil.rmtree(directory, ignore_errors=True)
        served = Served(name, seed, bundled / name / "model" if bundled else None)
        served.write(directory / "model", directory / "config.json.newer")
        checksums.write(directory / "model")
        print(f"bundle/{name}: " + (f"weights of {bundled}" if bundled else f"loss {served.checkpoint.loss:.2f}"), flush=True)
        recorder, texts = Recorder(served, seed), Texts(served, directory / "model")
        for file in FILES:
            chosen, line = recorder.numeric(file, directory / f"{file}.h5")
            print(line, flush=True)
            for sample, one in enumerate(chosen):
                texts.add(file, sample, one)
        texts.write(directory, seed)
        made.append(Path(name))
    return made
