"""Records the output of the trained models: greedy streams as numeric cases, and dialogues as text.

`fixtures/trained/<family>/` receives the checkpoint, turns.h5 (and calls.h5 if a call has a stop id of its own) and
dialogues.json. Every answer is the published model's in float64, checked against the published generate(), and is
decoded by the published tokenizer class.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from .. import families
from ..case import case_file, cases, plan
from ..reasoning import goldens as reasoning_goldens
from ..support import checksums, serving_package
from ..support.textual import write as write_textual
from ..variants.variant import Variant
from . import dialogues, tokenizer as dialogue_tokenizer
from .dialogues import Dialogue
from .training import CONFIGS, Corpus, Trained

N_GREEDY = 24   # steps of the numeric cases
N_DIALOGUE = 64  # token limit of an answer
STRAW = 6        # the vector that answers "Which colour has straw?"
LEAST_MARGIN = 0.05  # gap between the two largest logits, wherever they decide a token

# Published stop ids of each document. The tokenizer's own eos_token ends no turn of gemma4.
STOPS = {"gemma4": {"config.json": [1, 106], "generation_config.json": [1, 106, 50]},
         "qwen3": {"config.json": "<|im_end|>", "generation_config.json": ["<|im_end|>", "<|endoftext|>"]}}
SPELLINGS = {"gemma4": "old", "qwen3": "new"}  # of config.json
CATCHES = ("a stop set that is read from one document alone: the answer runs on to the limit, and the marker leaks")


class Model:
    """A trained checkpoint with the ids that end its turns."""

    def __init__(self, name: str, seed: int):
        self.corpus = Corpus(name)
        size = self.corpus.tokenizer.get_vocab_size()
        config = {**CONFIGS[name], "vocab_size": size}
        if name == "gemma4":
            config["vocab_size_per_layer_input"] = size
        self.name, self.format = name, self.corpus.format
        self.checkpoint = Trained(families.load(name), Variant("trained", config, CATCHES, spelling=SPELLINGS[name]),
                                  seed, self.corpus)
        self.documents = {file: self.numbers(ids) for file, ids in STOPS[name].items()}
        eos = self.corpus.tokenizer.token_to_id(self.corpus.config["eos_token"])
        named = [[eos], *(ids if isinstance(ids, list) else [ids] for ids in self.documents.values())]
        self.stops = sorted({one for ids in named for one in ids})

    def numbers(self, ids: Any) -> Any:
        if isinstance(ids, list):
            return [self.numbers(one) for one in ids]
        return ids if isinstance(ids, int) else self.corpus.tokenizer.token_to_id(ids)

    def write(self, directory: Path) -> None:
        """Writes the checkpoint, which Checkpoint.write reads back, with its tokenizer and its stop ids."""
        self.checkpoint.write(directory, self.stops, self.stops[-1])
        dialogue_tokenizer.write(directory, self.corpus.document, self.corpus.config)
        for file, ids in self.documents.items():
            document = json.loads((directory / file).read_text())
            document["eos_token_id"] = ids
            (directory / file).write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")

    def prompt(self, dialogue: Dialogue) -> str:
        return self.format.start + self.format.open(dialogue)

    def answer(self, prompt: list[int], n: int, stops: list[int]) -> list[int]:
        """The greedy answer of the truth, at most n tokens, including its stop id. Raises RuntimeError at a margin
        below LEAST_MARGIN."""
        tokens: list[int] = []
        while len(tokens) < n and not (tokens and tokens[-1] in stops):
            last = self.checkpoint.truth.logits(prompt + tokens)[-1:]
            if cases.margin(last) < LEAST_MARGIN:
                raise RuntimeError(f"{self.name}: {self.corpus.tokenizer.decode(prompt + tokens)!r} is followed by "
                                   "a near tie")
            tokens.append(int(last.argmax()))
        if tokens != self.checkpoint.truth.generate(prompt, n, stops):
            raise RuntimeError(f"{self.name}: generate() of the published model says something else")
        return tokens

    def beyond(self, prompt: list[int], answer: list[int]) -> list[int]:
        """The answer, continued with the truth's greedy tokens to N_GREEDY tokens, whether near ties or not."""
        tokens = list(answer)
        while len(tokens) < N_GREEDY:
            tokens.append(int(self.checkpoint.truth.logits(prompt + tokens)[-1].argmax()))
        return tokens


def numeric(model: Model, path: Path, asked: list[Dialogue], stop: int) -> str:
    """Writes a case of kind generate: streams that this stop id or the token limit ends. Returns a log line."""
    samples = []
    for dialogue in asked:
        prompt = model.corpus.ids(model.prompt(dialogue))
        decode = model.beyond(prompt, model.answer(prompt, N_GREEDY, [stop]))
        samples.append(cases.Drawn(prompt, decode, *model.checkpoint.truth.rows(prompt, decode),
                                   *model.checkpoint.float32.rows(prompt, decode)))
    case = plan.Case("generate", tuple(len(s.prompt) for s in samples), N_GREEDY, "generate")
    idle = next(one for one in model.stops if one != stop)
    recording = cases.Recording(case, samples, 1, idle, stop)
    result = case_file.write(model.checkpoint, recording, path, "model", "layers")
    return f"  {path.stem}: noise {result['noise']:.1e}"


def fields(model: Model, text: str, thinking: bool) -> dict[str, Any]:
    """The published parsers' fields of an answer: reasoning, content, calls. Empty if the streamed and the
    non-streamed reasoning differ: such an answer is no golden."""
    from vllm_mlx.tool_parsers import ToolParserManager
    name = model.format.reasoning_parser
    said = reasoning_goldens.whole(name, text)
    if thinking and said != reasoning_goldens.streamed(name, reasoning_goldens.tokens(name, text)):
        return {}
    reasoning, content = said
    tools = ToolParserManager.get_tool_parser(model.format.tool_parser)().extract_tool_calls(content or "")
    return {"reasoning": reasoning if thinking else None,
            "content": (tools.content or "").strip() or None,
            "calls": [{"name": call["name"], "arguments": json.loads(call["arguments"])}
                      for call in tools.tool_calls]}


class Dialogues:
    """The vectors of one file: prompts and expected answers."""

    def __init__(self, model: Model, directory: Path):
        self.model, self.vectors = model, []
        self.tokenizer = AutoTokenizer.from_pretrained(directory)

    def add(self, comment: str, prompt: str, most: int = N_DIALOGUE, thinking: bool = True) -> str:
        """Runs the model and adds a vector; returns the answer's text, including the stop token."""
        ids = self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        if ids != self.model.corpus.ids(prompt):
            raise RuntimeError(f"{self.model.name}: transformers reads another tokenizer from these files")
        answer = self.model.answer(ids, most, self.model.stops)
        stopped = answer[-1] in self.model.stops
        text = self.tokenizer.decode(answer[:-1] if stopped else answer, skip_special_tokens=False)
        expect = {"ids": answer, "text": text, "prompt_tokens": len(ids), "completion_tokens": len(answer),
                  "finish_reason": "stop" if stopped else "length",
                  **fields(self.model, text, thinking)}
        if stopped:
            expect["stop_id"] = answer[-1]
        self.vectors.append({
            "id": len(self.vectors) + 1, "comment": comment, "flags": [],
            "input": {"prompt": prompt, "max_tokens": most, "thinking": thinking,
                      "reasoning_parser": self.model.format.reasoning_parser,
                      "tool_parser": self.model.format.tool_parser},
            "expect": expect})
        return self.tokenizer.decode(answer, skip_special_tokens=False)


def pick(question: str, thinking: bool = True) -> Dialogue:
    return next(one for one in dialogues.all_dialogues() if one.question == question and one.thinking == thinking)


def textual(model: Model, directory: Path) -> list[dict[str, Any]]:
    made = Dialogues(model, directory / "model")
    for question in ("What is 3 + 4?", "What is 9 + 8?", "Name the capital of Peru.", "Which colour has straw?"):
        made.add("a thought and an answer", model.prompt(pick(question)))
        made.add("no thought", model.prompt(pick(question, False)), thinking=False)
    for thing in dialogues.DOUBTERS:
        made.add("thinking is off, and the model thinks", model.prompt(pick(f"Which colour has {thing}?", False)),
                 thinking=False)
    made.add("the limit ends the thought", model.prompt(pick("What is 3 + 4?")), most=5)
    for short in (1, 3):
        made.add("the limit ends the answer", model.prompt(pick("Which colour has straw?")),
                 most=len(made.vectors[STRAW]["expect"]["ids"]) - short)
    for city in ("Oslo", "Zürich", "Hanoi"):
        asked = pick(f"How is the weather in {city}?")
        prompt = model.prompt(asked)
        said = made.add("the model calls a tool", prompt)
        made.add("the result of the call is answered", prompt + said + model.format.result(asked.results[0]))
    return [{"name": model.name, "vectors": made.vectors}]


def record(out: Path, seed: int) -> list[Path]:
    """Writes both families; returns their directories relative to `out`."""
    serving_package.load()
    made = []
    for name in CONFIGS:
        directory = out / name
        shutil.rmtree(directory, ignore_errors=True)
        model = Model(name, seed)
        model.write(directory / "model")
        checksums.write(directory / "model")
        turns = [pick("What is 3 + 4?"), pick("Name the capital of Peru.", False), pick("Which colour has straw?")]
        end = model.corpus.tokenizer.token_to_id("<turn|>" if name == "gemma4" else "<|im_end|>")
        lines = [f"trained/{name}: loss {model.checkpoint.loss:.2f}", numeric(model, directory / "turns.h5", turns, end)]
        if name == "gemma4":
            lines.append(numeric(model, directory / "calls.h5", [pick("How is the weather in Oslo?")], 50))
        write_textual(directory / "dialogues.json", {
            "schema": "assay/1", "kind": "dialogue", "model": "model",
            "source": f"{case_file.SOURCE}; text by its tokenizer, fields by {serving_package.wanted()}",
            "recorder": f"scripts/record/trained_cases.py, seed {seed}", "catches": CATCHES,
            "groups": textual(model, directory)})
        print("\n".join(lines), flush=True)
        made.append(Path(name))
    return made
