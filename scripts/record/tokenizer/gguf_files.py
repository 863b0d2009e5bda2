"""Records what the published systems make of texts with tokenizers that are stored in GGUF files.

`python -m scripts.record.tokenizer.gguf_files` writes fixtures/tokenizer/gguf/<shape>/model.gguf, by the published writer, from
the bundled tokenizer.json of that shape, and <shape>/vectors.json.gz. The ids are those of Hugging Face's tokenizers with the tokenizer.json,
for texts of which llama.cpp says the same with the GGUF file; the texts are those of Hugging Face's tokenizers. It prints how many texts the
two disagree on. `--check` writes nothing and compares. It needs tokenizers, gguf and llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import llama_cpp
import tokenizers
from tokenizers import Tokenizer

from ..support import archives, checksums, textual
from .__main__ import Amount, Json, drawn_groups, publisher

AMOUNT = Amount(texts=160, streams=12, long=2048, all_kinds=False)
CONTROL, USER, BYTE, NORMAL, UNKNOWN = 3, 4, 6, 1, 2  # gguf.TokenType


@dataclass(frozen=True)
class Shape:
    """How a bundled tokenizer.json becomes metadata: the model, the name of its pre-tokenizer, ids of tokens with a role by their texts."""
    model: str
    pre: str | None = None
    roles: tuple[tuple[str, str], ...] = ()
    adds_bos: bool = False
    prefix: bool | None = None
    template: str | None = None


SHAPES = {
    "gpt2": Shape("gpt2", "gpt-2", (("eos", "<|endoftext|>"), ("bos", "<|endoftext|>"))),
    "qwen": Shape("gpt2", "qwen2", (("eos", "<|im_end|>"), ("padding", "<|endoftext|>"))),
    "llama3": Shape("gpt2", "llama-bpe", (("bos", "<|begin_of_text|>"), ("eos", "<|eot_id|>")), adds_bos=True),
    "o200k": Shape("gpt2", "gpt-4o", (("bos", "<|start|>"), ("eos", "<|end|>"))),
    "deepseek": Shape("gpt2", "deepseek-v3", (("bos", "<｜begin▁of▁sentence｜>"), ("eos", "<｜end▁of▁sentence｜>"))),
    "llama2": Shape("llama", None, (("bos", "<s>"), ("eos", "</s>"), ("unknown", "<unk>")), adds_bos=True),
    "gemma": Shape("llama", None, (("bos", "<bos>"), ("eos", "<eos>"), ("unknown", "<unk>"), ("eot", "<end_of_turn>"), ("padding", "<pad>")),
                   adds_bos=True, prefix=False),
    "gemma4": Shape("gemma4", None, (("bos", "<bos>"), ("eos", "<eos>"), ("unknown", "<unk>")), adds_bos=True),
}
SOURCES = {"gemma4": "gemma"}  # the bundled tokenizer.json, where it has another name


def representable(model: Json) -> Json:
    """The tokenizer.json without the options of added tokens that the format cannot state. Its ids are 0, 1, …: those of the vocabulary
    first, which then has the added tokens, too."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    vocab = model["model"]["vocab"]
    tokens = dict.fromkeys([*sorted(vocab, key=vocab.get), *(token["content"] for token in model["added_tokens"])])
    ids = {token: id for id, token in enumerate(tokens)}
    added = [{**token, **plain, "id": ids[token["content"]]} for token in model["added_tokens"]]
    return {**model, "added_tokens": added, "model": {**model["model"], "vocab": ids}, "post_processor": renumbered(model["post_processor"], ids)}


def renumbered(processor: Json | None, ids: dict[str, int]) -> Json | None:
    """The post-processor with these ids of its special tokens."""
    if processor is None:
        return None
    if processor["type"] == "Sequence":
        return {**processor, "processors": [renumbered(part, ids) for part in processor["processors"]]}
    if processor["type"] != "TemplateProcessing":
        return processor
    special = {token: {**entry, "ids": [ids[token]]} for token, entry in processor["special_tokens"].items()}
    return {**processor, "special_tokens": special}


def token_types(model: Json, tokens: list[str]) -> list[int]:
    added = {token["id"]: token for token in model["added_tokens"]}
    unknown = model["model"]["unk_token"]
    return [UNKNOWN if token == unknown else CONTROL if id in added and added[id]["special"] else USER if id in added
            else BYTE if token.startswith("<0x") and model["model"]["byte_fallback"] else NORMAL for id, token in enumerate(tokens)]


def tokens_of(model: Json) -> list[str]:
    """By id."""
    return list(model["model"]["vocab"])


def pairs(model: Json) -> list[tuple[str, str]]:
    return [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["model"]["merges"]]


def scores(model: Json, tokens: list[str]) -> list[float]:
    """Of each token: minus the rank of the first merge that makes it; characters come after all merges, as in SentencePiece."""
    ranks: dict[str, int] = {}
    for rank, (left, right) in enumerate(pairs(model)):
        ranks.setdefault(left + right, rank)
    return [-float(ranks.get(token, len(ranks) + id)) for id, token in enumerate(tokens)]


def write_gguf(path: Path, model: Json, shape: Shape) -> None:
    tokens = tokens_of(model)
    types = token_types(model, tokens)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(shape.model)
    if shape.pre:
        writer.add_tokenizer_pre(shape.pre)
    # As the published converter writes them: U+2581 of a user-defined token is the blank that it stands for.
    writer.add_token_list([t.replace("▁", " ") if kind == USER and shape.model == "llama" else t for t, kind in zip(tokens, types)])
    if shape.model == "llama":
        writer.add_token_scores(scores(model, tokens))
    else:
        writer.add_token_merges([" ".join(pair) for pair in pairs(model)])
    writer.add_token_types(types)
    for role, token in shape.roles:
        writer.add_uint32(f"tokenizer.ggml.{role}_token_id", tokens.index(token))
    writer.add_add_bos_token(shape.adds_bos)
    if shape.prefix is not None:
        writer.add_add_space_prefix(shape.prefix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


@llama_cpp.llama_log_callback
def silent(level: int, text: bytes, data: Any) -> None:
    """llama.cpp's log."""


class Published:
    """llama.cpp's tokenizer of a GGUF file."""

    def __init__(self, path: Path):
        llama_cpp.llama_log_set(silent, ctypes.c_void_p(0))
        settings = llama_cpp.llama_model_default_params()
        settings.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), settings)
        if not self.model:
            raise RuntimeError(f"{path}: llama.cpp does not open it")
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    def encode(self, text: str, add_special: bool) -> list[int]:
        data = text.encode()
        ids = (ctypes.c_int32 * (2 * len(data) + 16))()
        return list(ids[:llama_cpp.llama_tokenize(self.vocab, data, len(data), ids, len(ids), add_special, True)])


def agreed(groups: dict[str, list[Json]], other: Published) -> tuple[dict[str, list[Json]], int]:
    """The groups without the texts that llama.cpp encodes otherwise, numbered again; and how many those are."""
    kept = [v for v in groups["encode"] if other.encode(v["input"]["text"], v["input"]["add_special_tokens"]) == v["expect"]["ids"]]
    dropped = len(groups["encode"]) - len(kept)
    return {**groups, "encode": [{**vector, "id": number} for number, vector in enumerate(kept, 1)]}, dropped


def made_of(name: str, fixtures: Path, path: Path) -> tuple[Json, int]:
    """Writes the GGUF file. Returns the vectors, and the number of texts that the published systems disagree on."""
    source = fixtures / SOURCES.get(name, name) / "model" / "tokenizer.json"
    model = representable(json.loads(source.read_text(encoding="utf-8")))
    write_gguf(path, model, SHAPES[name])
    tokenizer: Tokenizer = publisher(model)
    groups, dropped = agreed(drawn_groups(random.Random(f"gguf {name}"), tokenizer, model, AMOUNT), Published(path))
    return {"schema": "assay/1", "kind": "tokenizer", "model": "model.gguf",
            "source": f"tokenizers {tokenizers.__version__}, llama-cpp-python {llama_cpp.__version__}",
            "recorder": f"scripts/record/tokenizer/gguf_files.py, {name}",
            "catches": "an id or a text that is not the published tokenizer's, with a tokenizer from a GGUF file",
            "groups": [{"name": group, "vectors": vectors} for group, vectors in groups.items() if vectors]}, dropped


def record(out: Path, fixtures: Path, is_check: bool) -> int:
    differing = 0
    for name in SHAPES:
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        path, vectors = folder / ("unchecked.gguf" if is_check else "model.gguf"), folder / "vectors.json.gz"
        made, dropped = made_of(name, fixtures, path)
        counts = ", ".join(f"{len(group['vectors'])} {group['name']}" for group in made["groups"])
        print(f"tokenizer/gguf/{name}: {counts}; the published systems disagree on {dropped} texts", flush=True)
        if is_check:
            differing += path.read_bytes() != (folder / "model.gguf").read_bytes()
            differing += gzip.decompress(vectors.read_bytes()).decode() != textual.text(made, ascii_only=False)
            path.unlink()
        else:
            checksums.write(path)
            textual.write(vectors, made, ascii_only=False)
    if is_check:
        print(f"{differing} files differ")
    return 1 if differing else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.tokenizer.gguf_files", description="Records tokenizers of GGUF files.")
    parser.add_argument("--fixtures", type=Path, default=Path("fixtures/tokenizer"), help="directory of the bundled tokenizers")
    parser.add_argument("--out", type=Path, help="directory that receives the shapes (default: gguf below it)")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args(arguments)
    out = options.out or options.fixtures / "gguf"
    status = record(out, options.fixtures, options.check)
    if not options.check:
        archives.store(out)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
