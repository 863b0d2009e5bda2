"""Tests of scripts/record/own: layer by layer gives the bits of the whole published model, a killed recording continues, and
engines pass what it records. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import nn

from scripts.record import bench_checkpoint
from scripts.record.media.parts import Prompt
from scripts.record.runs.truth import precision
from scripts.record.streamed import attention, loader, passes, prompts, replay, skeleton, stored
from scripts.record.support import h5
from scripts.tests.own_case import ASSAY, FIXTURES, OwnCase, assay
from scripts.tests.own_checkpoints import DRAWN, UNCUT, draw_checkpoint, draw_images_checkpoint, published_logits, wide_model

TOLERANCE = 1e-12  # relative to the largest logit: the head is computed in blocks

# Bundled checkpoints: a window, fused and split experts, several streams, inputs of layers, shared keys and values.
BUNDLED = ("llama/base", "qwen3/window", "olmo2/base", "granite/base", "gemma2/base", "phi3/base", "qwen3_moe/base",
           "gemma3n/text", "gemma4/dense", "gemma4/shared-kv", "gemma4/per-layer-inputs", "gemma4/experts", "gemma4/multimodal",
           "qwen3_vl/base", "qwen2_5_vl/base")


def ignore(_line: str) -> None:
    pass


class Toy(nn.Module):
    """Calls its layers as `order` says, and adds to the result the output of layer 0 if `skips`."""

    def __init__(self, order: list[int], skips: bool = False):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
        self.order, self.skips = order, skips

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = None
        for index in self.order:
            x = self.layers[index](x)
            first = x if first is None else first
        return x + first if self.skips else x


def replay_toy(toy: Toy) -> torch.Tensor:
    before, x = None, torch.ones(1, 2, 3)
    with torch.no_grad():
        for stage in range(3):
            one = replay.Replay(toy.layers, stage, before)
            one.run(lambda: toy(x))
            before = one.after
        return replay.Replay(toy.layers, 3, before).run(lambda: toy(x))


class Own(OwnCase):
    def streamed(self, directory: Path, tokens: list[int], whole: bool,
                 dtype: torch.dtype = torch.float64) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        place = self.work / f"passes-{whole}"
        shutil.rmtree(place, ignore_errors=True)
        sequence = passes.Sequence("one", Prompt(tokens), tuple(range(len(tokens))), ("*",))
        passes.Model(directory, dtype, whole, ignore).run([sequence], place)
        found = passes.rows(sequence, place), passes.traces(sequence, place)
        shutil.rmtree(place)
        return found

    def compare_with_published(self, directory: Path) -> None:
        config = skeleton.read_config(directory).get_text_config()
        tokens = [t * 7 % (config.vocab_size - 10) for t in range(13)]
        expected = published_logits(directory, tokens)
        found, tensors = self.streamed(directory, tokens, whole=False)
        whole, of_whole = self.streamed(directory, tokens, whole=True)
        np.testing.assert_array_equal(whole, expected)
        self.assertLessEqual(np.abs(found - expected).max(), TOLERANCE * np.abs(expected).max())
        self.assertEqual(tensors.keys(), of_whole.keys())
        self.assertIn("layer.01.out", tensors)
        for name, tensor in tensors.items():
            np.testing.assert_array_equal(tensor, of_whole[name], name)
        for dtype in (torch.float32, torch.bfloat16):
            narrow, _ = self.streamed(directory, tokens, whole=False, dtype=dtype)
            np.testing.assert_array_equal(narrow, published_logits(directory, tokens, dtype))

    def test_layer_by_layer_is_the_whole_model_for_bundled_families(self) -> None:
        for name in BUNDLED:
            with self.subTest(name):
                self.compare_with_published(FIXTURES / name / "model")

    def test_layer_by_layer_is_the_whole_model_for_other_families(self) -> None:
        for name in DRAWN:
            with self.subTest(name):
                draw_checkpoint(DRAWN[name], self.work / name)
                self.compare_with_published(self.work / name)

    def test_weights_that_are_read_in_blocks_are_the_same(self) -> None:
        with mock.patch.object(stored, "BLOCK_BYTES", 200), mock.patch.object(loader, "HEAD_BLOCK", 100), \
                mock.patch.object(loader, "LAZY_LINEAR", 1):
            for name in ("llama/base", "qwen3_vl/base", "gemma4/per-layer-inputs"):
                model, tokens = FIXTURES / name / "model", [3, 1, 4, 1, 5]
                expected = published_logits(model, tokens)
                with self.subTest(name):
                    found, _ = self.streamed(model, tokens, whole=False)
                    self.assertLessEqual(np.abs(found - expected).max(), TOLERANCE * np.abs(expected).max())

    def test_attention_in_blocks_of_rows_is_the_whole(self) -> None:
        for name in (*BUNDLED, *DRAWN):
            model, tokens = FIXTURES / name / "model", [t * 7 % 50 for t in range(23)]
            if name in DRAWN:
                model = self.work / name
                draw_checkpoint(DRAWN[name], model)
            whole, _ = self.streamed(model, tokens, whole=False)
            with self.subTest(name), mock.patch.object(attention, "SCORES_BYTES", 5000), \
                    mock.patch.object(attention, "in_blocks", side_effect=attention.in_blocks) as used:
                found, _ = self.streamed(model, tokens, whole=False)
                self.assertLessEqual(np.abs(found - whole).max(), TOLERANCE * np.abs(whole).max())
                self.assertTrue(used.called or name in ("lfm2", "opt", "gpt2", "gpt_neox"))

    def test_layers_in_order_can_be_cut(self) -> None:
        toy = Toy([0, 1, 2])
        with torch.no_grad():
            self.assertTrue(torch.equal(replay_toy(toy), toy(torch.ones(1, 2, 3))))

    def test_a_model_that_skips_or_repeats_layers_cannot_be_cut(self) -> None:
        for order in ([1, 0, 2], [0, 1, 0, 2], [0, 1]):
            with self.assertRaisesRegex(replay.CannotCut, "it calls "):
                replay_toy(Toy(order))

    def test_a_model_that_uses_an_earlier_output_again_cannot_be_cut(self) -> None:
        found = replay_toy(Toy([0, 1, 2], skips=True))
        self.assertTrue(found.isnan().any())  # which Model refuses

    def test_engines_pass_what_it_records_of_a_bundled_checkpoint(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3, 2, 7, 11, 4, 8, 6, 3]}, {"ids": [4, 2, 9]},
                           {"ids": [7, 7, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7], "case": "longer"})
        out = self.work / "out"
        self.own(FIXTURES / "qwen3/window/model", out, "--decode", "4")
        done = assay("run", *(f"--engine={name}" for name in ("ref64", "ref32", "fastpath")), out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("total     6 passed, 0 failed, 0 skipped", done.stdout)
        self.assertIn("5 recorded tensors compared", assay("run", "--verbose", "--engine=ref64", out / "longer.h5").stdout)
        done = assay("run", "--engine=fastpath", "--compute=bf16", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("catches", assay("info", out / "prompts.h5").stdout)
        self.assertEqual((out / "model" / "config.json").resolve(), (FIXTURES / "qwen3/window/model/config.json").resolve())
        self.assertFalse((out / "work").exists())

    def test_rows_and_the_sentence_are_those_of_the_command_line(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3, 2]}, {"ids": [4, 2, 9]})
        out = self.work / "out"
        self.own(FIXTURES / "llama/base/model", out, "--rows", "0,-2", "--catches", "a wrong norm", "--types", "f32")
        with h5py.File(out / "prompts.h5") as case:
            self.assertEqual(case["expect/rows"][()].tolist(), [[0, 0], [0, 3], [0, 4], [1, 0], [1, 1], [1, 2]])
            self.assertEqual(case["expect/truth/prefill"].shape[0], 6)
            self.assertNotIn("bfloat16", case["expect"])
        self.assertIn("a wrong norm", assay("info", out / "prompts.h5").stdout)
        self.assertEqual(assay("run", "--engine=ref64", out).returncode, 0)

    def test_a_changed_file_of_the_checkpoint_is_named(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3, 2]})
        copy, out = self.work / "copy", self.work / "out"
        shutil.copytree(FIXTURES / "llama/base/model", copy)
        self.own(copy, out)
        self.spoil(copy / "model.safetensors")
        done = assay("run", "--engine=ref64", out)
        self.assertEqual(done.returncode, 99, done.stdout)
        self.assertIn(f"the checkpoint is broken: {out}/model/model.safetensors: its CRC-32 is ", done.stdout)

    def test_a_family_that_the_loader_does_not_know_is_recorded_and_refused_by_name(self) -> None:
        draw_checkpoint(DRAWN["gpt_oss"], self.work / "checkpoint")
        self.write_prompts({"ids": [1, 5, 9, 3, 2]})
        self.own(self.work / "checkpoint", self.work / "out", "--decode", "2")
        done = assay("run", "--engine=ref64", "--verbose", self.work / "out")
        self.assertIn("0 passed, 0 failed, 1 skipped", done.stdout)
        self.assertIn("gpt_oss", done.stdout)

    def test_text_and_messages_are_put_through_tokenizer_and_template(self) -> None:
        model = FIXTURES / "bundle/qwen3/model"
        messages = [{"role": "user", "content": "Hello"}]
        path = self.write_prompts({"text": "Hello"}, "", {"messages": messages, "case": "chat"})
        text, chat = prompts.read_prompts(path, model, None, 1 << 20)
        tokenizer = transformers.AutoTokenizer.from_pretrained(model)
        self.assertEqual(list(text.prompt), tokenizer("Hello")["input_ids"])
        self.assertEqual(list(chat.prompt), tokenizer.apply_chat_template(messages, add_generation_prompt=True,
                                                                          return_dict=True)["input_ids"])
        self.assertEqual((text.case, chat.case, chat.place), ("prompts", "chat", f"{path}:3"))

    def test_images_pass_through_the_published_processor(self) -> None:
        model = self.work / "model"
        draw_images_checkpoint(model)
        Image.fromarray(np.random.default_rng(3).integers(0, 256, (40, 30, 3), np.uint8)).save(self.work / "one.png")
        text = "w5 w6 <boi> w9 w8"
        self.write_prompts({"text": text, "images": ["one.png"]}, {"ids": [3, 4, 5]})
        self.own(model, self.work / "out", "--images", str(self.work), "--rows", "all", "--decode", "2", "--types", "f32")
        with Image.open(self.work / "one.png") as picture:
            inputs = transformers.AutoProcessor.from_pretrained(model)(text=[text], images=[picture], return_tensors="pt")
        inputs["pixel_values"] = inputs["pixel_values"].double()
        published = wide_model(model)
        with precision(torch.float64):
            expected = published(**inputs, use_cache=False).logits[0].numpy()
        with h5py.File(self.work / "out/prompts.h5") as case:
            n = inputs["input_ids"].shape[1]
            self.assertEqual(case["input/tokens"][0].tolist(), inputs["input_ids"][0].tolist())
            found = case["expect/truth/prefill"][()][:n]
            self.assertEqual(case["input/image_sample"][()].tolist(), [0])
            self.assertEqual(case["input/pixel_values"].shape, (1, 3, 28, 28))
        self.assertEqual(found.shape, expected.shape)
        self.assertLessEqual(np.abs(found - expected).max(), TOLERANCE * np.abs(expected).max())

    def test_logits_of_a_large_vocabulary_are_written_in_chunks_that_diff_reads(self) -> None:
        logits = np.zeros((1, 33, 200_000), np.float32)
        logits[0, :, 7] = 1
        for name in ("a.h5", "b.h5"):
            h5.write(self.work / name, {"kind": "observation"}, {"/observed/prefill": logits})
        with h5py.File(self.work / "a.h5") as file:
            data = file["observed/prefill"]
            self.assertGreater(data.nbytes, 24 << 20)
            self.assertLessEqual(math.prod(data.chunks) * data.dtype.itemsize, h5.CHUNK_BYTES)
        done = assay("diff", self.work / "a.h5", self.work / "b.h5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_chunks_are_whole_rows_where_they_fit(self) -> None:
        most = h5.CHUNK_BYTES // 8
        for shape, chunk in {(3, 4, 5): (3, 4, 5), (9, most // 2): (2, most // 2), (2, 3, most // 3): (1, 3, most // 3),
                             (2, most + 1): (1, most), (most + 1,): (most,), (4, 0, 5): (4, 1, 5)}.items():
            self.assertEqual(h5.chunk_shape(shape, 8), chunk)

    def test_greedy_tokens_end_before_a_near_tie(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3, 2]})
        copy, out = self.work / "copy", self.work / "out"
        shutil.copytree(FIXTURES / "llama/base/model", copy)
        self.own(copy, out, "--decode", "4")
        with h5py.File(out / "prompts.h5") as case:
            tokens = case["expect/tokens"][0].tolist()
        path, name = copy / "model.safetensors", "lm_head.weight"
        path.chmod(0o644)
        state = load_file(path)
        name = name if name in state else "model.embed_tokens.weight"
        twin = next(t for t in range(len(state[name])) if t not in {*tokens, 1, 5, 9, 3, 2})
        step = next(k for k in range(1, 4) if tokens[k] not in tokens[:k])
        state[name][twin] = state[name][tokens[step]]  # two tokens with the same logits
        save_file(state, path)
        done = self.own(copy, out, "--decode", "4")
        self.assertIn(f"prompts.jsonl:1: greedy token {step} leads by 0.0e+00, less than ", done.stderr)
        self.assertIn(f"{step} greedy tokens", done.stdout)
        with h5py.File(out / "prompts.h5") as case:
            self.assertEqual(case["expect/tokens"][0].tolist(), tokens[:step])
            self.assertEqual(case["expect/finish"][0], b"length")
        for engine in ("ref64", "fastpath"):
            done = assay("run", f"--engine={engine}", out)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_planted_bug_is_found_in_its_layer(self) -> None:
        """The bug is a sliding window that is one position too long."""
        self.write_prompts({"ids": [1, 5, 9, 3, 2, 7, 11, 4, 8, 6, 3]})
        self.own(FIXTURES / "qwen3/window/model", self.work / "out")
        faults = ASSAY.parent / "faults/faults.so"
        environment = os.environ | {"ASSAY_FAULT": "window-wide"}
        done = subprocess.run([str(ASSAY), "run", f"--engine={faults}", str(self.work / "out")], capture_output=True,
                              text=True, env=environment, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("tensor: layer.", done.stdout)

    def test_a_wrong_prompt_is_refused_by_file_and_line(self) -> None:
        wrong = {'{"ids": [1': "Expecting", "[1]": "found list, expected an object", '{"ids": [1], "text": ""}':
                 "found text and ids, expected one of", '{"prompt": "a"}': "prompt: unknown member", "{}": "found no prompt",
                 '{"ids": [1, 99999]}': "token 1 is 99999, expected a number from 0 to 60", '{"ids": []}': "no tokens",
                 '{"ids": [1], "case": "../a"}': "case: found '../a'", '{"text": 3}': "text: found int, expected a string",
                 '{"ids": 3}': "ids: found int", '{"ids": [1], "images": ["a.png"]}': "images: expected text or messages",
                 '{"text": "a", "images": ["none.png"]}': "none.png: No such file"}
        for line, message in wrong.items():
            path = self.write_prompts({"ids": [1]}, line)
            with self.subTest(line), self.assertRaises(stored.Unsupported) as caught:
                prompts.read_prompts(path, self.work, None, 61)
            self.assertIn(f"{path}:2: ", str(caught.exception))
            self.assertIn(message, str(caught.exception))

    def test_a_broken_checkpoint_is_refused_by_file_and_member(self) -> None:
        copy = self.work / "copy"
        shutil.copytree(FIXTURES / "llama/base/model", copy)
        self.write_prompts({"ids": [1, 5, 9]})
        for path in copy.iterdir():
            path.chmod(0o644)
        config, weights = json.loads((copy / "config.json").read_text()), (copy / "model.safetensors").read_bytes()
        broken = {"config.json: quantization_config: found quant_method gptq, but no tensor is stored by it": ("config.json", json.dumps(
                      config | {"quantization_config": {"bits": 4, "quant_method": "gptq"}}).encode()),
                  "config.json: ": ("config.json", json.dumps(config | {"model_type": "no_such"}).encode()),
                  "layers.1.input_layernorm.weight: found no such tensor": (
                      "model.safetensors", weights.replace(b"layers.1.input_layernorm", b"layers.1.inqut_layernorm")),
                  "model.safetensors: ": ("model.safetensors", weights[:-40])}
        for message, (name, data) in broken.items():
            before = (copy / name).read_bytes()
            (copy / name).write_bytes(data)
            with self.subTest(message):
                self.assertIn(message, self.own(copy, self.work / "out", code=1).stderr)
            (copy / name).write_bytes(before)
            shutil.rmtree(self.work / "out", ignore_errors=True)

    def test_a_killed_recording_continues_with_the_same_bytes(self) -> None:
        self.write_prompts(*({"ids": [1 + i, 5, 9, 3, 2 + i]} for i in range(4)))
        checkpoint, out, again = FIXTURES / "qwen3/window/model", self.work / "out", self.work / "again"
        self.own(checkpoint, out, "--decode", "3")
        environment = os.environ | {"ASSAY_PYTHON": sys.executable}
        for marker in ("float64/prompt/0002/after-1.pt", "float64/decode-0001/0001/after-0.pt", "float32/0000/after-2.pt"):
            with subprocess.Popen(self.command(checkpoint, again, "--decode", "3"), stderr=subprocess.DEVNULL,
                                  env=environment) as process:
                deadline = time.monotonic() + 120
                while not (again / "work" / marker).exists() and process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.001)
                process.send_signal(signal.SIGKILL)
            self.assertEqual(process.returncode, -signal.SIGKILL, marker)
            self.assertTrue((again / "work").is_dir())
        self.assertIn("continues the recording", self.own(checkpoint, again, "--decode", "3").stderr)
        self.assertEqual((again / "prompts.h5").read_bytes(), (out / "prompts.h5").read_bytes())

    def test_what_another_request_left_is_not_continued(self) -> None:
        self.write_prompts({"ids": [1, 5, 9]})
        self.own(FIXTURES / "llama/base/model", self.work / "out", "--keep-work")
        refused = self.own(FIXTURES / "llama/base/model", self.work / "out", "--decode", "1", code=1)
        self.assertIn("work/request.json: belongs to a recording with another value of `decode`", refused.stderr)

    def test_a_model_that_cannot_be_cut_runs_whole_and_says_so(self) -> None:
        self.write_prompts({"ids": [1, 5, 9]})
        checkpoint, out = self.work / "checkpoint", self.work / "out"
        draw_checkpoint(UNCUT, checkpoint)
        done = self.own(checkpoint, out, "--rows", "all", "--types", "f32")
        self.assertRegex(done.stderr, "cannot be cut into layers: its layers share weights: model.layers.5.* is model.layers.2.*; "
                                      "it runs whole")
        with h5py.File(out / "prompts.h5") as case:
            np.testing.assert_array_equal(case["expect/truth/prefill"], published_logits(checkpoint, [1, 5, 9]))
            self.assertNotIn("layer by layer", case.attrs["source"].decode())

    def test_memory_is_that_of_a_layer(self) -> None:
        """The weights in float64 are four times as large as all memory that is allowed, libraries included."""
        bench_checkpoint.SHAPES["many"] = bench_checkpoint.SHAPES["qwen3-small"] | {
            "num_hidden_layers": 96, "max_window_layers": 96, "hidden_size": 512, "intermediate_size": 1536}
        with contextlib.redirect_stdout(io.StringIO()):
            bench_checkpoint.main(["--shape", "many", "--dtype", "bfloat16", str(self.work / "many")])
        self.write_prompts({"ids": [1, 5, 9]})
        allowed = 600 << 20
        self.assertGreater((self.work / "many" / "model.safetensors").stat().st_size * 4, 3.8 * allowed)
        done = subprocess.run(
            self.command(self.work / "many", self.work / "out", "--types", "f32"), capture_output=True, text=True, check=False,
            env=os.environ | {"ASSAY_PYTHON": sys.executable},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed)))
        self.assertEqual(done.returncode, 0, done.stderr)
