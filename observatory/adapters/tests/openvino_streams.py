"""Whether the published pipelines of OpenVINO GenAI generate the greedy tokens that the adapter's logits have, from random prompts:

    python -m observatory.adapters.tests.openvino_streams CHECKPOINT...

Engine is compared with LLMPipeline as it is by default, Stateful with ATTENTION_BACKEND="SDPA". It needs what the adapter needs, and a
tokenizer in the checkpoint. A difference whose two best logits lie closer than 1e-3 is no difference.
"""

from __future__ import annotations

import sys

import numpy as np
import openvino
import openvino_genai
import openvino_tokenizers
from transformers import AutoTokenizer

from assay.adapters.openvino_genai import Engine, Stateful, properties
from assay.engine import StepOptions
from assay.requests import ModelOptions, SessionOptions, Step

LENGTHS, N_NEW, CLOSE = (1, 5, 40, 70), 24, 1e-3


def adapter(engine: Engine, checkpoint: str, prompts: list[list[int]]) -> list[list[tuple[int, float]]]:
    """The greedy tokens of each prompt, all in one batch, each with how far its logit is above the second one."""
    model = engine.model_open(checkpoint, ModelOptions())
    session = engine.session_open(model, SessionOptions(len(prompts)))
    streams: list[list[tuple[int, float]]] = [[] for _ in prompts]
    given = prompts
    for _ in range(N_NEW):
        rows = engine.step(session, [Step(i, tokens, n_last=1) for i, tokens in enumerate(given)], StepOptions())
        for stream, row in zip(streams, rows):
            second, best = np.sort(row[-1])[-2:]
            stream.append((int(row[-1].argmax()), float(best - second)))
        given = [[stream[-1][0]] for stream in streams]
    return streams


def published(path: str, backend: str, prompts: list[list[int]]) -> list[list[int]]:
    """The tokens of LLMPipeline, all prompts in one batch, padded on the left."""
    pipeline = openvino_genai.LLMPipeline(path, "CPU", ATTENTION_BACKEND=backend, **properties(None))
    width = max(map(len, prompts))
    ids = np.array([[0] * (width - len(prompt)) + prompt for prompt in prompts], np.int64)
    mask = np.array([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], np.int64)
    inputs = openvino_genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(mask))
    config = openvino_genai.GenerationConfig(max_new_tokens=N_NEW, do_sample=False, ignore_eos=True)
    return [list(tokens) for tokens in pipeline.generate(inputs, config).tokens]


def compare(checkpoint: str) -> bool:
    agree = True
    for backend, engine in (("PA", Engine()), ("SDPA", Stateful())):
        model = engine.model_open(checkpoint, ModelOptions())
        tokenizer, detokenizer = openvino_tokenizers.convert_tokenizer(AutoTokenizer.from_pretrained(checkpoint), with_detokenizer=True)
        openvino.save_model(tokenizer, model.path / "openvino_tokenizer.xml")
        openvino.save_model(detokenizer, model.path / "openvino_detokenizer.xml")
        random = np.random.default_rng(1)
        prompts = [random.integers(0, engine.model_vocab(model), n).tolist() for n in LENGTHS]
        for n, ours, theirs in zip(LENGTHS, adapter(engine, checkpoint, prompts), published(str(model.path), backend, prompts)):
            wrong = next((i for i, (token, _) in enumerate(ours) if token != theirs[i]), None)
            same = wrong is None or ours[wrong][1] < CLOSE
            agree &= same
            said = "agree" if wrong is None else f"differ at token {wrong}, whose logit is {ours[wrong][1]:.3g} above the second one"
            print(f"{checkpoint}: {backend}, prompt of {n}: {said}")
    return agree


if __name__ == "__main__":
    sys.exit(not all([compare(checkpoint) for checkpoint in sys.argv[1:]]))
