"""ONNX models of checkpoints, written by the published model builder (onnxruntime_genai.models.builder) in float32 for the CPU.

The builder is called as its command line calls it, except that it does not save a tokenizer, which a checkpoint need not have, and
that weights of the checkpoint that do not fit are an error. For the CPU it writes GroupQueryAttention, whose kernel refuses heads of
some sizes. A checkpoint with such heads gets the next of GRAPHS, all of which the builder contains.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir
import onnxruntime_genai as og
import transformers
from onnxruntime_genai.models import builder

from assay.errors import Unsupported

from . import shared


@dataclass(frozen=True)
class Graph:
    """replaced: methods of the builder's models, with what they return instead. chunks: whether tokens can be appended to a
    cache several at a time."""

    name: str
    options: dict[str, bool]
    replaced: dict[str, bool]
    chunks: bool = True


GRAPHS = (Graph("GroupQueryAttention", {}, {}),
          Graph("GroupQueryAttention-RotaryEmbedding", {"fuse_qkv": False}, {"is_fused_rope_supported": False}),
          Graph("MultiHeadAttention", {"fuse_qkv": False}, {"is_gqa_supported": False, "is_packed_attn_supported": False}, chunks=False))


@dataclass(frozen=True)
class Export:
    model: Any  # og.Model
    graph: Graph
    vocab: int
    context: int
    window: int  # of some layers, or 0; no Generator may have a smaller cache
    pad_id: int
    stop_ids: list[int]


def config_of(directory: str) -> transformers.PretrainedConfig:
    file = Path(directory) / "config.json"
    given = json.loads(file.read_text())
    shared.refuse_quantised(given)
    try:
        config = transformers.AutoConfig.from_pretrained(directory)
    except ValueError as error:
        raise Unsupported(f"{file.name}: {error}") from error
    if not config.architectures:
        raise Unsupported(f"{file.name}: no architectures, by which the builder chooses")
    return config


@contextlib.contextmanager
def replacing(owner: Any, methods: dict[str, Any]) -> Iterator[None]:
    originals = {name: owner.__dict__[name] for name in methods}
    for name, method in methods.items():
        setattr(owner, name, method)
    try:
        yield
    finally:
        for name, method in originals.items():
            setattr(owner, name, method)


def checked(original: Any) -> classmethod[Any, Any, Any]:
    """from_pretrained that fails where the original would go on with random weights."""
    def from_pretrained(cls: Any, directory: str, *args: Any, **kwargs: Any) -> Any:
        kwargs |= {"output_loading_info": True, "ignore_mismatched_sizes": True, "local_files_only": True}
        model, info = original.__func__(cls, directory, *args, **kwargs)
        shared.refuse_random_weights(directory, cls.__name__, info)
        return model
    return classmethod(from_pretrained)


def build(directory: str, graph: Graph, out: Path) -> None:
    config = config_of(directory)
    details = {"extra_kwargs": {}, "hf_name": directory, "hf_config": config}
    methods = {name: lambda _self, value=value: value for name, value in graph.replaced.items()}
    methods["save_processing"] = lambda *_: None
    pretrained = transformers.PreTrainedModel
    loading = {"from_pretrained": checked(pretrained.__dict__["from_pretrained"])}
    with replacing(builder.Model, methods), replacing(pretrained, loading), contextlib.redirect_stdout(None):
        try:
            builder.create_model("", directory, str(out), "fp32", "cpu", str(out / "cache"), hf_details=details,
                                 shared_embeddings=False, **graph.options)
        except NotImplementedError as error:
            raise Unsupported(f"model builder: {str(error).replace(directory, config.architectures[0])}") from error


def needs_grouped(out: Path) -> list[str]:
    """What the GroupQueryAttention of a graph does and MultiHeadAttention of the builder does not."""
    found = set()
    for node in onnx_ir.load(out / "model.onnx").graph:
        if node.op_type != "GroupQueryAttention":
            continue
        if node.attributes.get_int("local_window_size", -1) > 0:
            found.add("windows")
        if node.attributes.get_float("softcap", 0.0):
            found.add("a softcap of scores")
        if len(node.inputs) > 11 and node.inputs[11] is not None:
            found.add("sinks")
    return sorted(found)


def opened(out: Path, graph: Graph) -> Export:
    """Opens an export, and evaluates one token. Of the ids only the padding ends a sequence, since some id must: which token comes next
    is the harness's choice."""
    file = out / "genai_config.json"
    config = json.loads(file.read_text())
    described, decoder = config["model"], config["model"]["decoder"]
    ids, pad_id = described["eos_token_id"], described["pad_token_id"]
    described["eos_token_id"] = pad_id
    if threads := int(os.environ.get("OMP_NUM_THREADS", "0")):
        decoder["session_options"]["intra_op_num_threads"] = threads
    file.write_text(json.dumps(config))
    sliding = decoder.get("sliding_window", {})
    model, window = og.Model(str(out)), sliding["window_size"] if sliding.get("layers") else 0
    one = generator(model, 1, min(max(2, window), described["context_length"]))
    one.append_tokens(np.array([0 if pad_id else 1], np.int32))  # a single token of padding is refused
    return Export(model, graph, one.get_output("logits").shape[-1], described["context_length"], window, pad_id,
                  sorted({ids} if isinstance(ids, int) else set(ids)))


def generator(model: Any, n_rows: int, n_tokens: int) -> Any:
    params = og.GeneratorParams(model)
    params.set_search_options(batch_size=n_rows, max_length=n_tokens, min_length=0, do_sample=False, num_beams=1,
                              repetition_penalty=1.0, no_repeat_ngram_size=0)
    return og.Generator(model, params)


def export(directory: str, scratch: Path) -> Export:
    needs: list[str] = []
    refused = ""
    for graph in GRAPHS:
        if needs and "is_gqa_supported" in graph.replaced:
            raise Unsupported(f"{refused}; {graph.name} of the model builder lacks {', '.join(needs)}")
        out = Path(tempfile.mkdtemp(dir=scratch))
        build(directory, graph, out)
        needs = needs_grouped(out)
        try:
            return opened(out, graph)
        except RuntimeError as error:
            if "head_size" not in str(error):
                raise
            refused = str(error).split("Status Message: ")[-1]
    raise Unsupported(f"onnxruntime: {refused}")


class Exports:
    """One export for each checkpoint, until the process ends."""

    def __init__(self) -> None:
        self.scratch = tempfile.TemporaryDirectory(prefix="assay-onnxruntime-genai-")
        self.known: dict[tuple[Any, ...], Export] = {}

    def open(self, directory: str) -> Export:
        files = sorted(Path(directory).iterdir())
        key = (os.path.realpath(directory), *((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files))
        if key not in self.known:
            self.known[key] = export(directory, Path(self.scratch.name))
        return self.known[key]
