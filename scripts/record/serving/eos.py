"""Vectors of kind `eos`: the stop set that the published server collects from a checkpoint's documents.

Goldens have only valid documents and values: JSON objects, with non-negative integers or lists of them. `origin` lists
the documents that name an id: those from which alone the published function collects it.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CATCHES = "a stop set of one document alone, an id that is lost in the union or comes from nowhere"

DOCUMENTS = "tokenizer", "config", "generation_config"
PUBLISHED = {
    "like Gemma 4: the ends of turns stand in the configs alone": {
        "tokenizer": {"eos_token_id": 1}, "config": '{"eos_token_id": [1, 106]}',
        "generation_config": '{"eos_token_id": [1, 106, 50]}'},
    "like Llama 3.1: lists in both configs": {
        "tokenizer": {"eos_token_id": 128009}, "config": '{"eos_token_id": [128001, 128008, 128009]}',
        "generation_config": '{"eos_token_id": [128001, 128008, 128009]}'},
    "like Qwen3: one more in generation_config.json": {
        "tokenizer": {"eos_token_id": 151645, "eos_token_ids": [151645]}, "config": '{"eos_token_id": 151645}',
        "generation_config": '{"eos_token_id": [151645, 151643]}'},
    "like Llama 2: one id everywhere": {
        "tokenizer": {"eos_token_id": 2}, "config": '{"eos_token_id": 2}', "generation_config": None},
}

Input = dict[str, Any]


def collected(given: Input) -> list[int]:
    from vllm_mlx.utils.tokenizer import collect_eos_token_ids
    with tempfile.TemporaryDirectory() as place:
        for name in DOCUMENTS[1:]:
            if given.get(name) is not None:
                (Path(place) / f"{name}.json").write_text(given[name])
        return sorted(collect_eos_token_ids(SimpleNamespace(**(given["tokenizer"] or {})), place))


def alone(given: Input, name: str) -> Input:
    return {other: given[other] if other == name else None for other in DOCUMENTS}


def vector(number: int, comment: str, given: Input) -> dict[str, Any]:
    ids, by_document = collected(given), {name: collected(alone(given, name)) for name in DOCUMENTS}
    return {"id": number, "comment": comment, "flags": [], "input": given,
            "expect": {"ids": ids, "origin": {str(i): [name for name in DOCUMENTS if i in by_document[name]]
                                              for i in ids}}}


def ids(r: random.Random) -> Any:
    """A drawn value of eos_token_id; None: no such member."""
    def one() -> int:
        return r.choice((0, 1, 2, 50, 106, 2**31 - 1, r.randrange(300), r.randrange(262144)))
    return r.choice((None, one(), one(), [], [one()], [one() for _ in range(r.randint(2, 6))]))


def text_of(value: Any, r: random.Random) -> str:
    """A JSON document with this eos_token_id, and other members."""
    members: dict[str, Any] = {"model_type": r.choice(("gemma4", "llama", "é\u2028\"\\", "")), "vocab_size": 262144,
                               "bos_token_id": 5, "pad_token_id": r.choice((0, None, 7)),
                               "audio_config": {"eos_token_id": 9}, "eos_token": "<eos>", "temperature": 1e-3}
    made = {name: members[name] for name in r.sample(sorted(members), r.randint(0, len(members)))}
    if value is not None or r.random() < .5:
        made["eos_token_id"] = value
    if value not in (None, []) and r.random() < .3:
        made["text_config"] = {"eos_token_id": r.choice((11, [12, 13], None))}
    names = sorted(made)
    r.shuffle(names)
    return json.dumps({name: made[name] for name in names}, indent=r.choice((None, None, 2, "\t")),
                      ensure_ascii=r.random() < .5, separators=r.choice((None, (",", ":"), (" , ", " : "))))


def tokenizer_of(r: random.Random) -> dict[str, Any]:
    made = {"eos_token_id": ids(r), "eos_token_ids": ids(r) if r.random() < .5 else None}
    return {name: value for name, value in made.items() if value is not None or r.random() < .3}


def drawn(r: random.Random, n_documents: int) -> Input:
    there = r.sample(DOCUMENTS, n_documents)
    return {name: None if name not in there else tokenizer_of(r) if name == "tokenizer" else text_of(ids(r), r)
            for name in DOCUMENTS}


def groups(seed: int, n: int) -> list[Any]:
    def group(n_documents: int, name: str, n_vectors: int) -> dict[str, Any]:
        return {"name": name, "vectors": [
            vector(number, "drawn", drawn(random.Random(f"{seed} eos {name} {number}"), n_documents))
            for number in range(1, n_vectors + 1)]}
    return [group(1, "one document", n // 2), group(2, "two documents", n // 2), group(3, "three documents", n)]


def published() -> list[Any]:
    return [{"name": "published", "vectors": [
        vector(number, comment, given) for number, (comment, given) in enumerate(PUBLISHED.items(), 1)]}]
