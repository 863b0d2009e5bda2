"""Runs mlx-vlm on recorded cases with images: observations to compare, never goldens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import h5
from .cases import left_pad
from .mlx_lm_observation import distance, install_hooks, prompts, refusal

SYSTEM = "mlx-vlm"
KINDS = ("image", "video")


def observe(case: Path) -> str:
    """Writes observed/<case>.mlx-vlm.h5 beside a case and, if it has several samples, <case>.mlx-vlm-alone.h5, in
    which each sample was evaluated alone; .txt with mlx-vlm's error message instead. Returns text for the log."""
    golden, attributes = h5.read(case)
    found = [observe_as(case, golden, attributes, SYSTEM, whole=True)]
    if len(golden["/input/length"]) > 1:
        found.append(observe_as(case, golden, attributes, f"{SYSTEM}-alone", whole=False))
    return "; ".join(found)


def observe_as(case: Path, golden: dict[str, np.ndarray], attributes: dict[str, Any], name: str, whole: bool) -> str:
    place = case.parent / "observed" / f"{case.stem}.{name}"
    for old in (place.with_name(place.name + suffix) for suffix in (".h5", ".txt")):
        old.unlink(missing_ok=True)
    try:
        datasets = run(case.parent / "model", golden, whole)
    except Exception as error:  # any error of mlx-vlm is its result
        reason = refusal(error, case)
        place.parent.mkdir(exist_ok=True)
        place.with_name(place.name + ".txt").write_text(f"{versions()}: {reason}\n")
        return f"{name} cannot: {reason[:90]}"
    batch = "all samples in one batch" if whole else "each sample alone"
    h5.write(place.with_name(place.name + ".h5"), {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{versions()}; stored weights upcast to float32; its BatchGenerator, {batch}; "
                  "traces of sample 0 alone"}, datasets)
    far = distance(golden, datasets, "/observed")
    return f"{name} {far / distance(golden, golden, '/expect/float32'):.3g} x noise"


def versions() -> str:
    import mlx.core as mx
    import mlx_vlm
    return f"{SYSTEM} {mlx_vlm.__version__}, mlx {mx.__version__} on a CPU"


def run(model_directory: Path, golden: dict[str, np.ndarray], whole: bool) -> dict[str, np.ndarray]:
    """The datasets of an observation, as mlx_lm_observation.run gives them; whole: all samples in one batch."""
    import mlx.core as mx
    from mlx_vlm import utils
    mx.set_default_device(mx.cpu)
    samples = list(range(len(golden["/input/length"])))
    batches = [samples] if whole else [[sample] for sample in samples]

    def fresh() -> Any:
        model = utils.load_model(model_directory)
        model.set_dtype(mx.float32)
        return model

    prefill, decode, tokens = {}, {}, {}
    stops = utils.load_config(model_directory).get("eos_token_id") if "/expect/tokens" in golden else None
    for batch in batches:
        n_decode = golden["/input/decode"].shape[1]
        forced = Generation(fresh(), golden, batch)
        forced.run(n_decode, force=golden["/input/decode"][batch])
        prefill |= dict(zip(batch, forced.prefill))
        decode |= dict(zip(batch, forced.steps))
        if stops is not None:
            free = Generation(fresh(), golden, batch)
            tokens |= dict(zip(batch, free.run(n_decode, stops=[stops] if isinstance(stops, int) else stops)))
    datasets = {"/observed/prefill": left_pad([prefill[sample] for sample in samples], np.nan),
                "/observed/decode": np.stack([decode[sample] for sample in samples])}
    if stops is not None:
        datasets["/observed/tokens"] = np.array([tokens[sample] for sample in samples], np.int32)
    wanted = [name.removeprefix("/trace/") for name in golden if name.startswith("/trace/")]
    if wanted and (not whole or len(samples) == 1):
        traced = Generation(fresh(), golden, [0]).trace()
        datasets |= {f"/observed/trace/{name}": traced[name] for name in wanted if name in traced}
    return datasets


def media(golden: dict[str, np.ndarray], samples: list[int]) -> dict[str, np.ndarray]:
    """The inputs besides tokens that belong to these samples, under their published names."""
    found: dict[str, np.ndarray] = {}
    for kind in KINDS:
        owner = golden.get(f"/input/{kind}_sample")
        if owner is None or not np.isin(owner, samples).any():
            continue
        ours = np.isin(owner, samples)
        grid = golden.get(f"/input/{kind}_grid_thw")
        rows = ours if grid is None else np.repeat(ours, grid.prod(1))
        pixels = "pixel_values" if kind == "image" else "pixel_values_videos"
        for path, array in golden.items():
            name = path.removeprefix("/input/")
            if name == pixels:
                found[name] = array[rows]
            elif name.startswith(f"{kind}_") and name != f"{kind}_sample" or \
                    kind == "video" and name.startswith("second_per"):
                found[name] = array[ours]
    return found


@contextlib.contextmanager
def all_logits(language: Any, receive: Callable[[Any], None]) -> Iterator[None]:
    """Calls `receive` with each output of a language model, which gives the logits of all tokens, although the
    generator asks for the last ones of a prompt."""
    kind = type(language)
    original = kind.__call__

    def wrapped(module: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("logits_to_keep", None)
        out = original(module, *args, **kwargs)
        receive(out)
        return out

    kind.__call__ = wrapped
    try:
        yield
    finally:
        kind.__call__ = original


class Criteria:
    """Ends a stream at one of these ids, as mlx-vlm's tokenizers do."""

    def __init__(self, ids: list[int]):
        self.ids = ids

    def add_eos_token_ids(self, _ids: Any) -> None:
        """Called by BatchGenerator with its own stop tokens, which are none."""

    def __call__(self, token: int) -> bool:
        return token in self.ids


class Generation:
    """One batch of samples in mlx-vlm's BatchGenerator, as mlx_vlm.generate prepares it (generate/ar.py,
    _generate_batch)."""

    def __init__(self, model: Any, golden: dict[str, np.ndarray], samples: list[int]):
        import mlx.core as mx
        self.model, self.language = model, model.language_model
        rows = [prompts(golden)[sample] for sample in samples]
        self.prompts = rows
        self.lengths = [len(row) for row in rows]
        self.ids = mx.array(left_pad([np.array(row, np.int32) for row in rows], 0))
        self.mask = mx.array(left_pad([np.ones(len(row), np.int32) for row in rows], 0))
        self.data = {name: mx.array(array) for name, array in media(golden, samples).items()}
        self.pixels = self.data.pop("pixel_values", None)
        if hasattr(model.config, "vision_soft_tokens_per_image"):  # Gemma 4's processor also gives the kinds of tokens
            self.data["mm_token_type_ids"] = (self.ids == model.config.image_token_id).astype(mx.int32)
        self.prefill: list[np.ndarray] = []
        self.steps: list[np.ndarray] = []

    def embed(self) -> dict[str, Any]:
        """The arguments of the language model besides ids."""
        features = self.model.get_input_embeddings(self.ids, self.pixels, mask=self.mask, **self.data)
        return {**self.data, **{name: value for name, value in features.to_dict().items() if value is not None}}

    def run(self, n_tokens: int, force: np.ndarray | None = None, stops: list[int] | None = None) -> list[list[int]]:
        """Generates; returns tokens [B][n_tokens], -1 after a stop id. force: the tokens [B, n_tokens] that are fed
        instead of generated ones; then prefill [T, V] and steps [n_tokens, V] hold the logits of each sample."""
        import mlx.core as mx
        from mlx_vlm.generate.ar import BatchGenerator, _split_prompt_kwargs_per_row
        calls: list[np.ndarray] = []  # logits of each call of the language model
        before: list[int] = []  # number of calls before each sampling
        order = sorted(range(len(self.lengths)), key=lambda i: self.lengths[i])  # as the generator sorts them

        def sampler(logprobs: Any) -> Any:
            before.append(len(calls))
            column = force[order, len(before) - 1] if len(before) <= n_tokens else np.zeros(len(order), np.int32)
            return mx.array(column.astype(np.int32))

        count = len(self.lengths)
        criteria = SimpleNamespace(stopping_criteria=Criteria(stops or []))
        with all_logits(self.language, lambda out: calls.append(np.array(out.logits))):
            generator = BatchGenerator(self.language, criteria, prefill_batch_size=count, completion_batch_size=count,
                                       sampler=None if force is None else sampler)
            uids = generator.insert(self.ids, n_tokens, attention_mask=self.mask,
                                    prompt_kwargs=_split_prompt_kwargs_per_row(self.embed(), count))
            made: dict[int, list[int]] = {uid: [] for uid in uids}
            while generator.has_work:
                for response in generator.next()[1]:
                    made[response.uid].append(response.token)
            generator.close()
        if force is not None:
            whole = np.concatenate(calls[:before[0]], axis=1)
            later = np.stack([call[:, -1] for call in calls[before[0]:before[0] + n_tokens]], axis=1)
            self.prefill = [whole[order.index(i)][-length:] for i, length in enumerate(self.lengths)]
            self.steps = [later[order.index(i)] for i in range(count)]
        return [(made[uid] + [-1] * n_tokens)[:n_tokens] for uid in uids]

    def trace(self) -> dict[str, np.ndarray]:
        """Tensors of the first sample, under the names of the goldens."""
        import mlx.core as mx
        found: dict[str, np.ndarray] = {}

        def record(name: str) -> Callable:
            def store(tensor: Any) -> None:
                tensor = tensor[0] if isinstance(tensor, (tuple, list)) else tensor
                found[name] = np.array(tensor).reshape(-1, tensor.shape[-1])
            return store

        text = self.language.model
        names = ["embed", *(f"layer.{i:02d}.out" for i in range(len(text.layers)))]
        hooks = {id(layer): (record(names[i]), record(names[i + 1]))
                 for i, layer in enumerate(text.layers)}
        hooks |= self.tower_hooks(record)
        kinds = {type(layer) for layer in text.layers} | {type(module) for module in self.tower_modules()}
        with install_hooks(kinds, hooks):
            self.language(self.ids, cache=None, **self.embed())
        mx.synchronize()
        return found

    def tower_modules(self) -> list[Any]:
        tower = self.model.vision_tower
        if not hasattr(tower, "blocks"):
            return []
        return [tower.patch_embed, tower.merger, *tower.blocks, *getattr(tower, "deepstack_merger_list", ())]

    def tower_hooks(self, record: Callable) -> dict[int, tuple]:
        modules = self.tower_modules()
        if not modules:
            return {}
        n_layers = len(self.model.vision_tower.blocks)
        names = ["vision.patch", "vision.merged", *(f"vision.{i:02d}.out" for i in range(n_layers)),
                 *(f"vision.deepstack.{i}" for i in range(len(modules) - 2 - n_layers))]
        return {id(module): (None, record(name)) for module, name in zip(modules, names)}
