"""The parts of the adapters of mlx-lm and mlx-vlm that need no checkpoint; skipped where mlx or mlx-vlm is not installed."""

from __future__ import annotations

import importlib.util
import unittest
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay import FormatError, Item, ModelOptions, SessionOptions, Step, StepOptions, Unsupported

MLX, MLX_VLM = (importlib.util.find_spec(name) is not None for name in ("mlx", "mlx_vlm"))


def toy(n_layers: int) -> Any:
    """A decoder whose layers add 1, and whose attention and MLP give 10 and 20 times their input."""
    import mlx.nn as nn

    class Times(nn.Module):
        def __init__(self, factor: float):
            super().__init__()
            self.factor = factor

        def __call__(self, x: Any) -> Any:
            return x * self.factor

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.self_attn, self.mlp = Times(10.0), Times(20.0)

        def __call__(self, x: Any) -> Any:
            self.self_attn(x)
            self.mlp(x)
            return x + 1

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers, self.norm = [Layer() for _ in range(n_layers)], Times(-1.0)

        def __call__(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x) + 100  # what DeepStack adds between layers
            return self.norm(x)

    return Decoder()


@unittest.skipUnless(MLX, "mlx is not installed")
class Hooks(unittest.TestCase):
    def seen(self, between: bool) -> dict[str, float]:
        import mlx.core as mx
        from assay.adapters.mlx.hooks import hooked, text_places
        text, found = toy(2), {}
        with hooked(text_places(text, between), lambda name, tensor: found.__setitem__(name, float(tensor.item()))):
            text(mx.array([0.0]))
        text(mx.array([5.0]))
        return found

    def test_places_have_the_tensors_of_their_modules(self) -> None:
        self.assertEqual(self.seen(False), {"embed": 0, "layer.00.attn": 0, "layer.00.mlp": 0, "layer.00.out": 1, "layer.01.attn": 1010,
                                            "layer.01.mlp": 2020, "layer.01.out": 102, "norm": -202})

    def test_features_between_layers_are_in_the_layer_before(self) -> None:
        found = self.seen(True)
        self.assertEqual([found[name] for name in ("embed", "layer.00.out", "layer.01.out", "norm")], [0, 101, 202, -202])

    def test_classes_are_as_before(self) -> None:
        from assay.adapters.mlx.hooks import hooked, text_places
        text = toy(1)
        before = type(text.norm).__call__
        with self.assertRaises(ZeroDivisionError), hooked(text_places(text), lambda name, tensor: None):
            raise ZeroDivisionError
        self.assertIs(type(text.norm).__call__, before)


@dataclass
class Tokens:
    """A sample that has nothing but its tokens."""

    tokens: list[int]

    def copy(self) -> Tokens:
        return Tokens(list(self.tokens))


@unittest.skipUnless(MLX, "mlx is not installed")
class Sessions(unittest.TestCase):
    def setUp(self) -> None:
        from assay.adapters.mlx import sessions

        class Sums(sessions.Engine):
            """Its logits are the sums of the tokens so far; token 13 fails after it was appended."""

            name = "sums"

            def load(self, directory: Path) -> Any:
                if not directory.exists():
                    raise ValueError(f"{directory.name}\nnot found")
                return SimpleNamespace(module=SimpleNamespace(set_dtype=types.append))

            def sample(self, session: Any) -> Tokens:
                return Tokens([])

            def check(self, session: Any, step: Step) -> None:
                if step.items:
                    raise Unsupported("items")

            def evaluate(self, model: Any, sample: Tokens, step: Step, tap: Any) -> np.ndarray:
                before = len(sample.tokens)
                sample.tokens += step.tokens
                if 13 in step.tokens:
                    raise ZeroDivisionError
                return np.cumsum(sample.tokens)[before:, None]

            def rewound(self, session: Any, sample: Tokens, n_tokens: int) -> Tokens:
                return Tokens(sample.tokens[:n_tokens])

        types: list[Any] = []
        self.types, self.engine = types, Sums()

    def opened(self, n_samples: int) -> Any:
        return self.engine.session_open(self.engine.model_open(".", ModelOptions()), SessionOptions(n_samples))

    def stepped(self, session: Any, *steps: tuple[int, list[int], int]) -> list[list[int]]:
        given = [Step(sample, tokens, None, [], n_last) for sample, tokens, n_last in steps]
        return [rows[:, 0].tolist() for rows in self.engine.step(session, given, StepOptions())]

    def test_rows_are_those_that_were_asked_for(self) -> None:
        session = self.opened(2)
        self.assertEqual(self.stepped(session, (1, [1, 2, 3], 2), (0, [5], 0)), [[3, 6]])
        self.assertEqual(self.stepped(session, (0, [1], 1), (1, [1], 1)), [[6], [7]])

    def test_a_step_that_fails_leaves_every_sample_as_it_was(self) -> None:
        session = self.opened(2)
        self.stepped(session, (0, [1], 1), (1, [2], 1))
        with self.assertRaises(ZeroDivisionError):
            self.stepped(session, (0, [4], 1), (1, [13], 1))
        with self.assertRaises(Unsupported):
            self.engine.step(session, [Step(0, [4], None, [Item("image", 0, 1, {})], 1)], StepOptions())
        self.assertEqual([session.samples[n].tokens for n in (0, 1)], [[1], [2]])

    def test_samples_join_leave_fork_and_are_rewound(self) -> None:
        session, other = self.opened(2), self.opened(1)
        self.stepped(session, (0, [1, 2], 1), (1, [5], 1))
        self.engine.leave(session, 0)
        self.assertEqual(self.engine.join(session), 0)
        self.assertEqual(self.engine.fork(session, 1, session), 2)
        self.assertEqual(self.engine.fork(session, 1, other), 1)
        self.stepped(session, (0, [7], 1), (1, [8, 9], 1))
        self.engine.rewind(session, 1, 2)
        self.assertEqual([session.samples[n].tokens for n in range(3)], [[7], [5, 8], [5]])
        self.assertEqual([other.samples[n].tokens for n in range(2)], [[], [5]])

    def test_types_limits_and_files_are_refused_by_name(self) -> None:
        self.engine.model_open(".", ModelOptions(compute="BF16"))
        self.assertIn("bfloat16", str(self.types[0]))
        for make, kind, text in ((lambda: self.engine.model_open(".", ModelOptions(compute="I8")), Unsupported, "compute I8 is not supported"),
                                 (lambda: self.engine.model_open("nowhere", ModelOptions()), FormatError, "^sums: nowhere$"),
                                 (lambda: self.engine.model_open("Model type x", ModelOptions()), Unsupported, "^sums: Model type x$"),
                                 (lambda: self.engine.session_open(None, SessionOptions(1, limit=8, sink_tokens=1)), Unsupported, "with 1 attention sink")):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                make()
        self.assertEqual(self.engine.session_open(None, SessionOptions(1, limit=8, sink_tokens=4)).limit, 8)


@unittest.skipUnless(MLX_VLM, "mlx-vlm is not installed")
class Samples(unittest.TestCase):
    def setUp(self) -> None:
        vision, text = SimpleNamespace(spatial_merge_size=2), SimpleNamespace()
        self.model = SimpleNamespace(config=SimpleNamespace(image_token_id=7, vision_config=vision, text_config=text))

    def step(self, tokens: list[int], *grids: tuple[int, int, int]) -> Step:
        return Step(0, tokens, None, [Item("image", 0, 0, {"image_grid_thw": np.array([grid])}) for grid in grids], 1)

    def refused(self, sample: Any, step: Step, text: str) -> None:
        from assay.adapters.mlx import samples
        with self.assertRaisesRegex(Unsupported, text):
            samples.check(self.model, sample, step)

    def test_images_come_whole_and_first(self) -> None:
        from assay.adapters.mlx import samples
        new, old = samples.Sample([]), samples.Sample([], [1])
        samples.check(self.model, new, self.step([1, 7, 7, 2], (1, 2, 4)))
        self.refused(new, self.step([1, 7], (1, 2, 4)), "divides the placeholder tokens")
        self.refused(old, self.step([1, 7, 7, 2], (1, 2, 4)), "after the first step")

    def test_placeholder_tokens_without_images_are_tokens(self) -> None:
        from assay.adapters.mlx import samples
        samples.check(self.model, samples.Sample([], [1]), self.step([7]))
        with_image = samples.Sample([], [7], self.step([7], (1, 2, 2)).items)
        self.refused(with_image, self.step([7]), "placeholder tokens")
        self.model.config.text_config.use_bidirectional_attention = "vision"
        self.refused(samples.Sample([], [1]), self.step([7]), "placeholder tokens")

    def test_patches_of_paddleocr_vl_have_the_axes_of_its_processor(self) -> None:
        from assay.adapters.mlx.processors import of_step
        step = Step(0, [7], None, [Item("image", 0, 0, {"pixel_values": np.zeros((4, 3, 2, 2))}) for _ in range(2)], 1)
        self.assertEqual(of_step(self.model.config, step)["pixel_values"].shape, (8, 3, 2, 2))
        self.model.config.model_type = "paddleocr_vl"
        self.assertEqual(of_step(self.model.config, step)["pixel_values"].shape, (1, 8, 3, 2, 2))

    def test_positions_of_hunyuan_vl_are_those_of_its_processor(self) -> None:
        from assay.adapters.mlx.processors import of_step
        self.model.config.model_type = "hunyuan_vl"
        tokens = [1, *[7] * 8, 2, *[7] * 5]  # images of 2 x 2 and 1 x 2 blocks: rows with an end, between two marks
        axes = of_step(self.model.config, self.step(tokens, (1, 4, 4), (1, 2, 4)))["position_ids"][0]
        self.assertEqual(axes[0].tolist(), list(range(15)))
        self.assertEqual(axes[1:, 2:8].tolist(), [[0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1], [0] * 6])
        self.assertEqual(axes[1:, 8:12].tolist(), [[8, 9, 10, 0], [8, 9, 10, 0], [8, 9, 10, 0]])
        self.assertEqual(axes[1:, 12:].tolist(), [[1, 2, 14], [0, 0, 14], [0, 0, 14]])

    def test_images_of_falcon_ocr_are_whole(self) -> None:
        from assay.adapters.mlx.processors import of_step
        self.model.config.model_type, self.model.config.vision_config.spatial_patch_size = "falcon_ocr", 2
        patches = np.stack([np.full(12, i) for i in range(2)])
        given = of_step(self.model.config, Step(0, [7], None, [Item("image", 0, 0, {
            "pixel_values": patches, "image_grid_thw": np.array([[1, 1, 2]])})], 1))
        self.assertEqual(given["image_grid_hw"].tolist(), [[1, 2]])
        self.assertEqual(given["pixel_values"][0, :, :, 0].tolist(), [[0, 0, 1, 1]] * 2)

    def test_audio_clips_of_a_prompt_have_the_length_of_the_longest(self) -> None:
        from assay.adapters.mlx.processors import of_step
        items = [Item("audio", 0, 0, {"input_features": np.ones((1, 3, n)), "feature_attention_mask": np.ones((1, n))}) for n in (2, 4)]
        given = of_step(self.model.config, Step(0, [7], None, items, 1))
        self.assertEqual(given["feature_attention_mask"].tolist(), [[1, 1, 0, 0], [1, 1, 1, 1]])
        self.assertEqual(given["input_features"].shape, (2, 3, 4))

    def test_each_sample_keeps_what_its_prompt_leaves_in_the_language_model(self) -> None:
        import mlx.core as mx
        from assay.adapters.mlx import samples

        class Language:
            """Positions and deltas of a prompt are its first token, and stay until the next prompt."""

            def __init__(self) -> None:
                self._rope_deltas = self._position_ids = None

            def __call__(self, ids: Any, cache: list, logits_to_keep: int, rope_deltas: Any = None) -> Any:
                if ids.shape[1] > 1:
                    self._rope_deltas = self._position_ids = ids[:, :1]
                given = self._rope_deltas if rope_deltas is None else rope_deltas
                return SimpleNamespace(logits=mx.stack([given, self._rope_deltas, self._position_ids], axis=-1).astype(mx.float32))

        self.model.language_model = Language()
        self.model.get_input_embeddings = lambda ids, pixels, mask: SimpleNamespace(to_dict=dict)
        first, second = samples.Sample([]), samples.Sample([])
        for sample, token in ((first, 3), (second, 5)):
            samples.evaluate(self.model, sample, self.step([token, 1]), None)
        self.assertEqual([samples.evaluate(self.model, sample, self.step([1]), None)[0].tolist() for sample in (first, second)],
                         [[3, 3, 3], [5, 5, 5]])


if __name__ == "__main__":
    unittest.main()
