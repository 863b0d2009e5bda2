"""What a tap writes into a pass of the transformers adapter; on a stand-in for torch where that is not installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import unittest
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from assay import Item, Step
from assay.engine import Tap

from . import fake_torch

NAME = "assay.adapters.transformers_taps"


def toy(torch: Any, **config: Any) -> Any:
    """A decoder of two layers: attention and MLP give 10 and 20 times their input, and the embedding is the identity."""
    class Times(torch.nn.Module):
        def __init__(self, factor: float, in_tuple: bool = False):
            super().__init__()
            self.factor, self.in_tuple = factor, in_tuple

        def forward(self, x: Any) -> Any:
            return (x * self.factor, None) if self.in_tuple else x * self.factor

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.self_attn, self.mlp = Times(10.0, True), Times(20.0)

        def forward(self, hidden_states: Any) -> Any:
            after = hidden_states + self.self_attn(hidden_states)[0]
            return after + self.mlp(after)

    class Decoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.config = SimpleNamespace(**config)
            self.embed_tokens, self.norm = Times(1.0), Times(-1.0)
            self.layers = torch.nn.ModuleList([Layer(), Layer()])

        def forward(self, x: Any) -> Any:
            x = self.embed_tokens(x) * getattr(self.config, "embedding_multiplier", 1.0)
            x = self.layers[0](x)
            x = self.layers[1](hidden_states=x)
            return self.norm(x)

    class Tower(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patch_embed, self.merger, self.blocks = Times(1.0), Times(3.0), torch.nn.ModuleList([Times(2.0, True)])

        def forward(self, x: Any) -> Any:
            return self.merger(self.blocks[0](self.patch_embed(x))[0])

    return SimpleNamespace(model=Decoder(), tower=Tower())


class Writes(unittest.TestCase):
    """A sample's number is 3 or 5; the batch has three columns, of which sample 5 has the last two."""

    def setUp(self) -> None:
        if importlib.util.find_spec("torch"):
            self.torch = importlib.import_module("torch")
        else:
            self.torch = fake_torch.module()
            modules = mock.patch.dict(sys.modules, {"torch": self.torch})
            modules.start()
            self.addCleanup(modules.stop)
            sys.modules.pop(NAME, None)
        self.taps = importlib.import_module(NAME)
        self.model = toy(self.torch)
        self.steps = [Step(3, [1, 2, 3]), Step(5, [4, 5])]
        self.seen: list[tuple[int, str, np.ndarray]] = []
        self.given = np.array([[[1], [2], [4]], [[9], [3], [5]]], np.float32)

    def tensor(self, array: np.ndarray) -> Any:
        return self.torch.from_numpy(np.array(array))

    def passed(self, written: dict[tuple[int, str], Any], names: list[str] | None = None, run: Any = None, given: np.ndarray | None = None) -> np.ndarray:
        """The result of a pass with a tap that writes, by sample and name."""
        def send(sample: int, name: str, array: np.ndarray) -> np.ndarray | None:
            self.seen.append((sample, name, array.copy()))
            return None if (sample, name) not in written else np.array(written[sample, name], np.float32)
        given = self.given if given is None else given
        with self.taps.taps(self.model, Tap(names or sorted({name for _, name in written}), send), self.steps, 3):
            return np.array((run or self.model.model)(self.tensor(given)).numpy())

    def plain(self, given: np.ndarray, n_layers: int = 2) -> np.ndarray:
        """The result of n_layers layers and the norm."""
        return -(given * np.float32(11 * 21) ** n_layers)

    def test_a_tap_that_writes_nothing_changes_nothing(self) -> None:
        np.testing.assert_array_equal(self.passed({}, ["embed", "layer.00.attn", "layer.01.out", "norm"]), self.plain(self.given))
        self.assertEqual([(sample, name) for sample, name, _ in self.seen],
                         [(s, name) for name in ("embed", "layer.00.attn", "layer.01.out", "norm") for s in (3, 5)])
        self.assertEqual(self.seen[1][2].tolist(), [[3], [5]])

    def test_only_the_written_sample_goes_on_with_other_values_and_padding_stays(self) -> None:
        found = self.passed({(5, "layer.00.out"): [[7], [8]]})
        whole = self.plain(self.given)
        whole[1, 1:] = self.plain(np.array([[7], [8]], np.float32), 1)
        np.testing.assert_array_equal(found, whole)

    def test_what_is_written_to_attention_mlp_and_norm_goes_on(self) -> None:
        ones = np.ones((2, 1), np.float32)
        after = self.given[1, 1:]
        for name, expected in (("layer.00.attn", self.plain((after + 1) * 21, 1)), ("layer.00.mlp", self.plain(after * 11 + 1, 1)), ("norm", ones)):
            with self.subTest(name):
                found = self.passed({(5, name): ones})
                np.testing.assert_array_equal(found[1, 1:], expected)
                np.testing.assert_array_equal(found[0], self.plain(self.given[0]))

    def test_an_embedding_is_seen_and_written_with_its_factor(self) -> None:
        self.model = toy(self.torch, embedding_multiplier=4.0)
        found = self.passed({(3, "embed"): [[8], [16], [32]]})
        self.assertEqual(self.seen[0][2].tolist(), [[4], [8], [16]])
        np.testing.assert_array_equal(found[0], self.plain(np.array([[8], [16], [32]], np.float32)))
        np.testing.assert_array_equal(found[1], self.plain(self.given[1] * 4))

    def test_inputs_of_layers_are_written_where_a_tower_adds_features(self) -> None:
        self.model.model.visual = SimpleNamespace()
        for name, n_layers in (("embed", 2), ("layer.00.out", 1), ("layer.01.out", 0)):  # layers.1 gets its input by name
            with self.subTest(name):
                found = self.passed({(5, name): [[7], [8]]})
                np.testing.assert_array_equal(found[1, 1:], self.plain(np.array([[7], [8]], np.float32), n_layers))
                np.testing.assert_array_equal(found[0], self.plain(self.given[0]))

    def test_only_the_active_stream_is_written(self) -> None:
        self.model = toy(self.torch, altup_active_idx=1)
        given = np.stack([self.given, self.given + 100])
        found = self.passed({(3, "layer.01.out"): [[1], [2], [3]]}, given=given)
        self.assertEqual(self.seen[0][2].tolist(), (-self.plain(given[1, 0])).tolist())
        np.testing.assert_array_equal(found[0], self.plain(given[0]))
        np.testing.assert_array_equal(found[1, 0], [[-1], [-2], [-3]])
        np.testing.assert_array_equal(found[1, 1], self.plain(given[1, 1]))

    def test_the_rows_of_one_samples_images_are_written(self) -> None:
        def images(*grids: list[int]) -> list[Item]:
            return [Item("image", 0, 1, {"image_grid_thw": np.array([grid])}) for grid in grids]
        self.steps = [Step(3, [1, 2, 3], items=images([1, 2, 2], [1, 1, 2])), Step(5, [4, 5], items=images([1, 2, 1]))]
        self.model.model.visual = self.model.tower
        given = np.arange(8, dtype=np.float32)[:, None]
        found = self.passed({(5, "vision.00.out"): [[70], [80]]}, ["vision.patch", "vision.00.out", "vision.merged"], self.model.tower, given)
        self.assertEqual([(sample, name, len(rows)) for sample, name, rows in self.seen],
                         [(s, name, n) for name in ("vision.patch", "vision.00.out", "vision.merged") for s, n in ((3, 6), (5, 2))])
        self.assertEqual(found[:, 0].tolist(), [0, 6, 12, 18, 24, 30, 210, 240])

    def test_a_pass_that_fails_leaves_no_hook(self) -> None:
        def stop(*_: Any) -> None:
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError), self.taps.taps(self.model, Tap(["layer.00.out"], stop), self.steps, 3):
            self.model.model(self.tensor(self.given))
        np.testing.assert_array_equal(np.array(self.model.model(self.tensor(self.given)).numpy()), self.plain(self.given))


if __name__ == "__main__":
    unittest.main()
