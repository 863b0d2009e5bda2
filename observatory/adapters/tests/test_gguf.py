"""GGUF files: what is written is read again, and checkpoints become what llama.cpp reads. No llama.cpp is needed."""

from __future__ import annotations

import json
import struct
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from assay import BFloat16, checkpoint
from assay.adapters.gguf import convert, families, write
from assay.adapters.gguf import rope as rope_of
from assay.errors import FormatError, Unsupported

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
SCALARS = {4: "<I", 5: "<i", 6: "<f", 7: "<?"}


class Read:
    """A GGUF file, read by its specification."""

    def __init__(self, path: Path):
        self.data, self.at = path.read_bytes(), 0
        self.magic = self.data[:4]
        self.at = 4
        version, n_tensors, n_values = self.take("<IQQ")
        assert version == 3
        self.values = {self.text(): self.value(self.take("<I")[0]) for _ in range(n_values)}
        described = [(self.text(), self.take(f"<{self.take('<I')[0]}Q"), self.take("<IQ")) for _ in range(n_tensors)]
        begin = self.at + -self.at % 32
        self.tensors = {name: (kind, self.array(kind, dims[::-1], begin + offset)) for name, dims, (kind, offset) in described}

    def take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def text(self) -> str:
        size = self.take("<Q")[0]
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def value(self, kind: int) -> Any:
        if kind == 8:
            return self.text()
        if kind == 9:
            inner, count = self.take("<IQ")
            return [self.value(inner) for _ in range(count)]
        return self.take(SCALARS[kind])[0]

    def array(self, kind: int, shape: tuple[int, ...], offset: int) -> np.ndarray:
        assert offset % 32 == 0
        dtype = {0: "<f4", 1: "<f2", 30: "<u2"}[kind]
        return np.frombuffer(self.data, dtype, int(np.prod(shape)), offset).reshape(shape)


def matrix(rows: int, columns: int) -> np.ndarray:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


class Temporary(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def converted(self, variant: str, kind: str = "F32") -> Read:
        path = self.place / "model.gguf"
        convert.write(FIXTURES / variant / "model", path, kind)
        return Read(path)

    def refuse(self, variant: str, text: str) -> None:
        with self.assertRaisesRegex(Unsupported, text):
            self.converted(variant)


class Files(Temporary):
    def test_values_and_tensors_are_read_as_they_were_written(self) -> None:
        file = write.File(self.place / "file", "tiny")
        values = {"n": 7, "x": 0.5, "yes": True, "name": "é", "list": [1, -2], "flags": [True, False], "texts": ["a", ""]}
        for key, value in values.items():
            file.value(f"{{arch}}.{key}", value)
        file.tensor("vector", np.ones(3, np.float32), "BF16")
        file.tensor("half", matrix(2, 3), "F16")
        file.tensor("whole", matrix(3, 5))
        file.write()
        found = Read(file.path)
        self.assertEqual((found.magic, found.values.pop("general.architecture")), (b"GGUF", "tiny"))
        self.assertEqual(found.values, {f"tiny.{key}": value for key, value in values.items()})
        self.assertEqual([(name, kind, array.shape) for name, (kind, array) in found.tensors.items()],
                         [("vector", 0, (3,)), ("half", 1, (2, 3)), ("whole", 0, (3, 5))])
        np.testing.assert_array_equal(found.tensors["whole"][1], matrix(3, 5))

    def test_rounding_to_bfloat16_is_to_nearest_and_ties_to_even(self) -> None:
        given = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -1 - 2**-8, np.inf, np.nan], np.float32)
        found = BFloat16(write.rounded(given)).widened()
        np.testing.assert_array_equal(found, np.array([1, 1, 1 + 2**-6, 1 + 2**-7, -1, np.inf, np.nan], np.float32))

    def test_a_stored_bfloat16_matrix_stays_as_it_is(self) -> None:
        found = self.converted("llama/biases", "BF16")
        kind, bits = found.tensors["output.weight"]
        stored = checkpoint.checkpoint(FIXTURES / "llama/biases/model")["lm_head.weight"]
        self.assertEqual((kind, bits.tobytes()), (30, stored.values.tobytes()))

    def test_a_tensor_beyond_the_end_of_its_file_is_refused(self) -> None:
        header = json.dumps({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
        path = self.place / "model.safetensors"
        path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(12))
        with self.assertRaisesRegex(FormatError, "a: data_offsets"):
            checkpoint.checkpoint(self.place)


class Families(Temporary):
    def test_rows_of_llama_are_reordered_so_that_pairs_are_neighbours(self) -> None:
        found = convert.interleaved(np.arange(12).reshape(12, 1), 2)[:, 0]
        np.testing.assert_array_equal(found, [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11])

    def test_norms_of_gemma_multiply_by_one_more(self) -> None:
        stored = checkpoint.checkpoint(FIXTURES / "gemma/base/model")["model.norm.weight"].float32()
        np.testing.assert_array_equal(self.converted("gemma/base").tensors["output_norm.weight"][1], stored + np.float32(1))

    def test_tied_heads_are_not_written_and_stored_ones_are_ignored(self) -> None:
        self.assertNotIn("output.weight", self.converted("llama/tied-stored").tensors)

    def test_experts_are_stacked_whatever_their_layout(self) -> None:
        for variant in ("qwen3_moe/base", "qwen3_moe/fused", "qwen3_moe/transposed"):
            with self.subTest(variant):
                tensors = self.converted(variant).tensors
                shapes = [tensors[f"blk.0.ffn_{part}_exps.weight"][1].shape for part in ("gate", "up", "down")]
                self.assertEqual(shapes, [(5, 15, 28), (5, 15, 28), (5, 28, 15)])

    def test_a_transposed_stack_has_gate_before_up(self) -> None:
        stored = checkpoint.checkpoint(FIXTURES / "qwen3_moe/transposed/model")["model.layers.0.mlp.experts.gate_up_proj"].float32()
        found = self.converted("qwen3_moe/transposed").tensors["blk.0.ffn_up_exps.weight"][1]
        np.testing.assert_array_equal(found[3], stored[3, :, 15:].T)

    def test_llama3_divides_low_frequencies_by_the_factor_and_keeps_high_ones(self) -> None:
        factors = self.converted("llama/llama3").tensors["rope_freqs.weight"][1]
        self.assertEqual((factors[0], factors[-1]), (1, 8))
        self.assertTrue(np.all(np.diff(factors) >= 0))

    def test_yarn_states_what_is_left_of_the_attention_factor(self) -> None:
        values = self.converted("llama/yarn-given-factor-old").values
        given = json.loads((FIXTURES / "llama/yarn-given-factor-old/model/config.json").read_text())["rope_scaling"]
        found = values["llama.rope.scaling.attn_factor"] * rope_of.magnitude(given["factor"])
        self.assertAlmostEqual(found, given["attention_factor"], 6)

    def test_gemma4_has_head_sizes_of_its_own_in_sliding_layers(self) -> None:
        for variant in ("gemma4/k-eq-v", "gemma4/k-eq-v-new"):
            with self.subTest(variant):
                values = self.converted(variant).values
                self.assertEqual([values[f"gemma4.attention.{key}"] for key in ("key_length", "key_length_swa", "head_count_kv")],
                                 [16, 10, [2, 2, 1, 2, 2, 1]])

    def test_what_llama_cpp_has_no_word_for_is_refused_by_name(self) -> None:
        for variant, text in {
                "llama/act-relu": "hidden_act: 'relu'", "llama/dynamic": "rope_type 'dynamic'", "llama/yarn-untruncated-old": "truncate",
                "qwen2/window": "sliding_window", "qwen3/window-old": "sliding_window", "qwen3_moe/unnormalised": "norm_topk_prob",
                "qwen3_moe/mlp-only": "mlp_only_layers", "gemma/untied": "tie_word_embeddings", "gemma2/logit-cap": "softcapping",
                "olmo2/base": "head_dim", "gemma3n/text": "LAuReL", "qwen3_5/base": "heads of keys", "llama/mlx-4bit": "quantization"}.items():
            with self.subTest(variant):
                self.refuse(variant, text)

    def test_a_family_that_is_not_known_is_refused_by_name(self) -> None:
        with self.assertRaisesRegex(Unsupported, "'mamba' is not supported"):
            families.find({"model_type": "mamba"})
        with self.assertRaisesRegex(Unsupported, "model_type 'moondream3' is not supported"):  # whose text_config has none of its own
            families.find(families.text_config({"model_type": "moondream3", "vision_config": {}, "text_config": {}}, True))

    def test_documents_with_towers_give_the_decoder_and_its_placeholders(self) -> None:
        for variant, architecture in (("qwen2_vl/base", "qwen2vl"), ("qwen3_vl/base", "qwen3vl"), ("gemma4/tower", "gemma4")):
            with self.subTest(variant):
                document = json.loads((FIXTURES / variant / "model/config.json").read_text())
                text = families.text_config(document, True)
                self.assertIn(document["image_token_id"], text["placeholders"])
                found = self.converted(variant)
                self.assertEqual(found.values["general.architecture"], architecture)
                self.assertFalse([name for name in found.tensors if name.startswith(("visual", "v."))])

    def test_no_tensor_of_a_checkpoint_is_left_out(self) -> None:
        for name, family in families.FAMILIES.items():
            if "_vl" in name:
                continue  # towers are left out
            variant = {"gemma4_text": "gemma4/dense", "olmo2": "olmo2/defaults"}.get(name, f"{name}/base")
            with self.subTest(variant):
                n_stored = sum(tensor.values.size for tensor in checkpoint.checkpoint(FIXTURES / variant / "model").values())
                found = self.converted(variant)
                rope = sum(array.size for tensor, (_, array) in found.tensors.items() if tensor.startswith("rope_"))
                self.assertEqual(sum(array.size for _, array in found.tensors.values()) - rope, n_stored)
                self.assertEqual(found.values["general.architecture"], family.architecture)


if __name__ == "__main__":
    unittest.main()
