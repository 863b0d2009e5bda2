"""Tests of scripts/observe: dumps that are made from the recorded float32 run of a bundled case. Prints TAP."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from observatory.dumps import names, observe, sources
from scripts.record.support import h5
from scripts.tests import tap

TOP = Path(os.environ["top_srcdir"])
SINGLE, BATCH, ROWS = (TOP / "fixtures" / name for name in ("llama/base/single.h5", "llama/base/batch.h5", "gemma4/rows/rows-single.h5"))
PROGRAM = Path(os.environ.get("top_builddir", ".")) / "conformance/assay"
NAMES = """
prefill                  logits
decode                   step{step}/logits   # one file a step
trace/layer.{layer}.out  model.layers.{layer}.output
"""


MODEL = {  # of a trace of the case: module and class of transformers' Llama
    "embed": "model.embed_tokens Embedding", "norm": "model.norm LlamaRMSNorm", "layer.{}.attn": "model.layers.{}.self_attn LlamaAttention",
    "layer.{}.mlp": "model.layers.{}.mlp LlamaMLP", "layer.{}.out": "model.layers.{} LlamaDecoderLayer"}


def modules(case: dict[str, np.ndarray]) -> Iterator[tuple[str, str, np.ndarray]]:
    """(module, class, its output) of everything that the case traces."""
    for name, value in case.items():
        if name.startswith("/trace/"):
            words = name.removeprefix("/trace/").split(".")
            layer = int(words[1]) if len(words) == 3 else 0
            key = f"layer.{{}}.{words[2]}" if len(words) == 3 else words[0]
            module, kind = MODEL[key].format(layer).split()
            yield module, kind, value[None].astype(np.float32)


def passes(case: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The logits [1, T, V] of the prompt and of each decode step."""
    return [case["/expect/float32/prefill"], *(case["/expect/float32/decode"][:, k:k + 1] for k in range(case["/input/decode"].shape[1]))]


def save_torch(path: Path, value: object) -> None:
    import torch
    path.parent.mkdir(parents=True, exist_ok=True)

    def converted(value: object) -> object:
        if isinstance(value, np.ndarray):
            return torch.from_numpy(np.ascontiguousarray(value))
        return {key: converted(inner) for key, inner in value.items()} if isinstance(value, dict) else value
    torch.save(converted(value), path)


def write_safetensors(path: Path, tensors: dict[str, np.ndarray], kind: str = "F32") -> None:
    header, body = {}, b""
    for name, array in tensors.items():
        data = array.tobytes()
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class Dumps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.dump = self.work / "dump"
        self.dump.mkdir()

    def made(self, case: Path, table: str = NAMES, dump: Path | None = None) -> tuple[int, str]:
        """(exit status, what is printed) of the command. table: the text of one, or the name of a bundled one."""
        (self.work / "names").write_text(table)
        chosen = table if table in names.bundled() else str(self.work / "names")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = observe.main(["--case", str(case), "--names", chosen, "--out", str(self.work / "seen.h5"),
                                   str(dump or self.dump)])
        return status, out.getvalue() + err.getvalue()

    def judged(self, case: Path, *parts: str) -> None:
        if not PROGRAM.exists():
            self.skipTest("assay is not built")
        command = [str(PROGRAM), "diff", *(word for part in parts for word in ("--part", part)), str(case), str(self.work / "seen.h5")]
        answer = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_files_of_numpy_become_an_observation_that_agrees(self) -> None:
        case, _ = h5.read(SINGLE)
        np.save(self.dump / "logits.npy", case["/expect/float32/prefill"])
        for step in range(case["/input/decode"].shape[1]):
            (self.dump / f"step{step}").mkdir()
            np.save(self.dump / f"step{step}" / "logits.npy", case["/expect/float32/decode"][:, step])
        layers = [name for name in case if name.startswith("/trace/layer.") and name.endswith(".out")]
        for name in layers:
            np.save(self.dump / f"model.layers.{int(name.split('.')[1])}.output.npy", case[name][None].astype(np.float32))
        status, text = self.made(SINGLE)
        self.assertEqual(status, 0, text)
        self.assertIn("--part logits --part traces", text)
        self.assertEqual(len([name for name in h5.read(self.work / "seen.h5")[0] if "/trace/" in name]), len(layers))
        self.judged(SINGLE, "logits", "traces")

    def test_batches_are_padded_as_the_case_is(self) -> None:
        case, _ = h5.read(BATCH)
        write_safetensors(self.dump / "all.safetensors", {"p": case["/expect/float32/prefill"], "d": case["/expect/float32/decode"]})
        status, text = self.made(BATCH, "prefill p\ndecode d\n")
        self.assertEqual(status, 0, text)
        self.judged(BATCH, "logits")
        for b, length in enumerate(case["/input/length"]):
            np.save(self.dump / f"s{b}.npy", case["/expect/float32/prefill"][b, -length:])
        status, text = self.made(BATCH, "prefill s{sample}\ndecode d\n")
        self.assertEqual(status, 0, text)
        self.judged(BATCH, "logits")

    def test_listed_rows_are_taken_from_whole_prompts(self) -> None:
        case, _ = h5.read(ROWS)
        rows, length = case["/expect/rows"], int(case["/input/length"][0])
        whole = np.zeros((length, case["/expect/float32/prefill"].shape[1]), np.float32)
        for row, (_, position) in zip(case["/expect/float32/prefill"], rows):
            whole[position] = row
        np.save(self.dump / "p.npy", whole)
        status, text = self.made(ROWS, "prefill p\n")
        self.assertEqual(status, 0, text)
        np.testing.assert_array_equal(h5.read(self.work / "seen.h5")[0]["/observed/prefill"], case["/expect/float32/prefill"])

    def test_bfloat16_is_widened(self) -> None:
        values = np.array([[1.5, -2.0], [0.0, 3.140625]], "<f4")
        write_safetensors(self.dump / "x.safetensors", {"a": (values.view("<u4") >> 16).astype("<u2")}, "BF16")
        np.testing.assert_array_equal(sources.open_dump(self.dump)["a"](), values)

    def test_what_does_not_fit_is_named(self) -> None:
        case, _ = h5.read(SINGLE)
        np.save(self.dump / "logits.npy", case["/expect/float32/prefill"][0, 1:])
        length = int(case["/input/length"][0])
        np.save(self.dump / "cube.npy", np.zeros((2, 3, 4), np.float32))
        (self.dump / "torn.npy").write_bytes(b"\x93NUMPY\x01")
        (self.dump / "long.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
        for table, reason in (("prefill logits", f"prefill: found {length - 1} rows of sample 0, expected those of its {length} tokens"),
                              ("prefill other", "prefill: found no tensor 'other', expected one of "),
                              ("prefill cube", "prefill: found shape [2, 3, 4], expected rank 2"),
                              ("prefill torn", "torn.npy: "),
                              ("prefill x{step}", "'step' cannot be filled in here"),
                              ("hidden logits", "names:1: found member 'hidden', expected prefill, decode, tokens or trace/NAME"),
                              ("prefill", "names:1: found 1 words, expected a member and the name of a tensor"),
                              ("trace/layer.{layer}.in logits", "trace/layer.{layer}.in: the case has no such trace")):
            (self.dump / "long.safetensors").unlink(missing_ok=True)
            with self.subTest(table):
                status, text = self.made(SINGLE, table)
                self.assertEqual(status, 1)
                self.assertIn(reason, text)
        (self.dump / "long.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
        self.assertIn("found a header of 1099511627776 bytes in a file of 10, expected a safetensors file", self.made(SINGLE, "prefill logits")[1])
        self.assertIn("no such file or directory", self.made(SINGLE, "prefill logits", self.work / "nonesuch")[1])

    def bundled_table(self, table: str, traces: int, dump: Path | None = None) -> None:
        """The dump of SINGLE is whole but for the traces that the system does not write."""
        status, text = self.made(SINGLE, table, dump)
        self.assertEqual(status, 0, text)
        self.assertIn("--part logits --part traces", text)
        self.assertEqual(len([name for name in h5.read(self.work / "seen.h5")[0] if "/trace/" in name]), traces)
        self.judged(SINGLE, "logits", "traces")

    @unittest.skipUnless(find_spec("torch"), "python3 has no torch")
    def test_a_dump_of_sglangs_dumper_is_read(self) -> None:
        """The names and contents of files as sglang 0.5.23 wrote them, of a Llama of transformers with non_intrusive_mode `all`."""
        case, _ = h5.read(SINGLE)
        index = 0

        def dump(step: int, name: str, value: np.ndarray, tags: str = "") -> None:
            nonlocal index
            index += 1
            meta = {"step": step, "rank": 0, "dump_index": index, "name": name, "recompute_status": "disabled", "world_rank": 0, "world_size": 1}
            save_torch(self.dump / f"step={step}___rank=0___dump_index={index}___name={name}___recompute_status=disabled{tags}.pt",
                       {"value": value, "meta": meta})

        for step, logits in enumerate(passes(case)):
            dump(step, "input_ids", np.zeros((1, logits.shape[1]), np.int64))
            for module, _, value in modules(case):
                layer = module.split(".")[2] if module.startswith("model.layers.") else ""
                inside = f"___layer_id={layer}" if layer and not module.endswith(f".{layer}") else ""
                for part in ("inputs.0", "o_proj.output", "output.0", "output.1") if module.endswith("self_attn") else ("inputs.0", "output"):
                    dump(step, f"non_intrusive__{module}.{part}", value, inside)
            dump(step, "non_intrusive__lm_head.output", logits)
        self.bundled_table("sglang", 11)
        save_torch(self.dump / "step=0___rank=1___dump_index=1___name=non_intrusive__lm_head.output___recompute_status=disabled.pt",
                   {"value": np.zeros((1, 7, 101), np.float32), "meta": {}})
        status, text = self.made(SINGLE, "sglang")
        self.assertEqual(status, 1)
        self.assertIn("prefill: found 2 tensors 'step=0___*name=non_intrusive__lm_head.output___*', expected one: step=0___rank=0___", text)

    @unittest.skipUnless(find_spec("torch"), "python3 has no torch")
    def test_a_dump_of_sglangs_passes_is_read(self) -> None:
        """As sglang 0.5.23 wrote it with --debug-tensor-dump-output-folder's hooks: a file is written when `model` ends, with the
        logits of the pass before."""
        case, _ = h5.read(SINGLE)
        logits = passes(case)
        for number in range(len(logits) + 1):
            tensors = {f"{module}.o_proj" if module.endswith("self_attn") else f"{module}.down_proj" if module.endswith("mlp") else module: value
                       for module, kind, value in modules(case) if kind != "LlamaDecoderLayer"}
            tensors |= {"lm_head": logits[number - 1]} if number else {}
            save_torch(self.dump / f"Pass{number:05d}.pt", tensors)
        self.bundled_table("sglang-passes", 8)
        (self.dump / f"Pass{len(logits):05d}.pt").unlink()
        status, text = self.made(SINGLE, "sglang-passes")
        self.assertEqual(status, 0, text)
        self.assertIn(f"left out: decode: found no tensor 'Pass{len(logits):05d}/lm_head'", text)
        self.assertIn("assay diff --part traces ", text)

    @unittest.skipUnless(find_spec("torch"), "python3 has no torch")
    def test_a_dump_of_msprobe_is_read(self) -> None:
        """The names of files as mindstudio-probe 26.2.0 wrote them, of a Llama of transformers with task `tensor`, level `mix`."""
        case, _ = h5.read(SINGLE)
        for step, logits in enumerate(passes(case)):
            folder = self.dump / f"step{step}" / "proc29150" / "dump_tensor_data"
            for module, kind, value in [*modules(case), ("lm_head", "Linear", logits)]:
                for part in ("input.0", "output.0"):
                    save_torch(folder / f"Module.{module}.{kind}.forward.0.{part}.pt", value)
                save_torch(folder / f"Functional.linear.{len(module)}.forward.output.0.pt", value)
            save_torch(folder / "Module.lm_head.Linear.forward.0.parameters.weight.pt", np.zeros((2, 2), np.float32))
            (folder.parent / "dump.json").write_text('{"task": "tensor", "level": "mix", "data": {}}')
        self.bundled_table("msprobe", 11)

    def test_tensors_of_a_callback_in_llama_cpp_are_read(self) -> None:
        """As docs/dumps.md has them written."""
        case, _ = h5.read(SINGLE)
        theirs = {"Embedding": "embd", "LlamaRMSNorm": "result_norm", "LlamaMLP": "ffn_out-{}", "LlamaDecoderLayer": "l_out-{}"}
        for step, logits in enumerate(passes(case)):
            folder = self.dump / "sample0" / f"pass{step}"
            folder.mkdir(parents=True)
            np.save(folder / "result_output.npy", logits[0])
            for module, kind, value in modules(case):
                if kind in theirs:
                    np.save(folder / f"{theirs[kind].format(module.split('.')[2] if '.layers.' in module else '')}.npy", value[0])
        self.bundled_table("llama.cpp", 8)

    def test_samples_without_padding_are_divided(self) -> None:
        case, _ = h5.read(BATCH)
        rows = [case["/expect/float32/prefill"][b, -length:] for b, length in enumerate(case["/input/length"])]
        write_safetensors(self.dump / "all.safetensors", {"p": np.concatenate(rows), "d": case["/expect/float32/decode"]})
        traced = case["/trace/layer.00.out"].astype(np.float32)
        np.save(self.dump / "t.npy", np.concatenate([traced, np.zeros((sum(map(len, rows)) - len(traced), traced.shape[1]), np.float32)]))
        status, text = self.made(BATCH, "prefill p\ndecode d\ntrace/layer.00.out t\n")
        self.assertEqual(status, 0, text)
        self.judged(BATCH, "logits", "traces")

    def test_listed_rows_alone_are_enough(self) -> None:
        case, _ = h5.read(ROWS)
        np.save(self.dump / "p.npy", case["/expect/float32/prefill"])
        status, text = self.made(ROWS, "prefill p\n")
        self.assertEqual(status, 0, text)
        np.testing.assert_array_equal(h5.read(self.work / "seen.h5")[0]["/observed/prefill"], case["/expect/float32/prefill"])

    def test_names_of_one_file_are_unique_and_of_several_have_its_path(self) -> None:
        for name in ("a", "b"):
            write_safetensors(self.dump / f"{name}.safetensors", {"x": np.zeros(1, "f4"), name: np.zeros(2, "f4")})
        self.assertEqual(sorted(sources.open_dump(self.dump)), ["a", "a/a", "a/x", "b", "b/b", "b/x"])

    def test_numbers_of_a_table_are_filled_in(self) -> None:
        self.assertEqual(names.filled("{layer:02d}-{step+1:05d}.{step}", {"layer": 3, "step": 1}), "03-00002.1")
        self.assertEqual(names.lookup("a.*.c", ["a.b.c", "a.b.b.c", "a.b/b.c"]), "a.b.c")
        with self.assertRaisesRegex(sources.BadDump, "--names nonesuch: found no such file, expected a table of names, or one of llama.cpp, msprobe, "):
            names.find("nonesuch")

    def test_nothing_of_an_optional_table_is_an_error(self) -> None:
        np.save(self.dump / "x.npy", np.zeros(1))
        status, text = self.made(SINGLE, "msprobe")
        self.assertEqual(status, 1)
        self.assertIn("found no member of the observation\n  prefill: found no tensor 'step0/*/dump_tensor_data/Module.lm_head.*.forward.0.output.0', "
                      "expected one of x", text)


if __name__ == "__main__":
    sys.exit(tap.run(Dumps))
