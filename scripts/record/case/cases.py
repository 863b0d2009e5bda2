"""Draws the inputs of a case until noise decides no result, and computes their truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checkpoint.checkpoint import Checkpoint
from ..media.images import compose
from ..media.parts import Part, Prompt, Shared, media_of
from ..runs import narrow
from ..runs.traces import Routing
from ..runs.truth import OneByOne, OtherOrder
from ..support import h5
from ..variants.variant import rng_for
from .drawn import Drawn, farthest_rows, largest_noise, refuses_zeros
from .plan import Case, Shape

MARGIN = 0.02  # smallest gap between the two largest logits on rows that decide tokens
ROUTER_GAP = 1e-3  # smallest gap between the shares of the last chosen expert and the first one not chosen
MOST_NOISE = 1e-4  # a float32 run further from the truth means an ill-conditioned case
N_ORDERS, MOST_GROWTH = 3, 2.0  # float32 runs with other summation orders; their noise relative to the first run's
MOST_TRACED = 3.0  # the same of one tensor; its bound is four times the noise
FLOOR = 16 * 2.0 ** -23  # lower limit of the noise, relative to the largest logit (conformance/judge/noise.h)
MOST_DRAWS = 400
MOST_NARROW_DRAWS = 2000  # with many routers only one prompt in a thousand has every expert far from a tie
LEAST_MARGIN = 0.2  # in `greedy`: a smaller margin is never enough for a run in bfloat16, so skip its cost
FOR_NARROW = ("narrow", "greedy", "image-narrow", "images-narrow", "crops-narrow", "media-narrow")  # cases that are redrawn until they have every narrower run
FEW_ROWS = (0, 1, 63, 64, 65, 127, 128)  # and the last row of each prompt
FIRST_ROWS = 4  # recorded of each prompt of a case with a row_step
WITH_ROWS = ("bfloat16", "int8")  # narrower runs whose rows are recorded; of others, the noise alone
PLACEHOLDERS = {"i": "image_token_id", "v": "video_token_id", "a": "audio_token_id"}  # of layouts


class IllConditioned(RuntimeError):
    """No input was found for these weights on which a bug can be distinguished from noise."""


def margins(rows: np.ndarray) -> np.ndarray:
    """Gaps [n] between the largest and the second largest logit of rows [n, V]."""
    best = np.sort(rows, axis=-1)[:, -2:]
    return best[:, 1] - best[:, 0]


def margin(rows: np.ndarray) -> float:
    return float(margins(rows).min())


def smallest_gap(routings: list[Routing]) -> float:
    return min((routing.gap() for routing in routings), default=1.0)


def grows(truth: np.ndarray, once: np.ndarray, again: np.ndarray) -> bool:
    """Whether a second float32 run of a tensor has more than MOST_TRACED times the noise of the first."""
    noise = max(np.abs(once - truth).max(), FLOOR * np.abs(truth).max())
    return float(np.abs(again - truth).max()) > MOST_TRACED * noise


class Drawer:
    """Draws the samples of one case from a random generator of its own."""

    def __init__(self, checkpoint: Checkpoint, case: Case):
        self.checkpoint, self.case = checkpoint, case
        self.rng = rng_for(checkpoint.seed, checkpoint.family.name, checkpoint.variant.name,
                           "case", case.name)
        self.draws = 0
        self.shared: dict[str, Prompt] = {}  # what a Shared part is, by its name

    @property
    def _words(self) -> list[int]:
        """The ids to draw text from: none that stands for media or marks them, but those that the case holds."""
        text, held = self.checkpoint.text_ids, [self.checkpoint.variant.outer[member] for member in self.case.holds]
        return text + held * (len(text) // len(held)) if held else text

    def _text(self, n: int) -> list[int]:
        text = self._words
        return [text[i] for i in self.rng.integers(0, len(text), n)]

    def _laid_out(self, layout: str) -> list[int]:
        """Tokens of the kinds that the letters name."""
        ids = {letter: self.checkpoint.variant.outer[member] for letter, member in PLACEHOLDERS.items()}
        text = [t for t in range(self.checkpoint.vocab_size) if t not in ids.values()]
        return [ids.get(letter, text[t]) for letter, t in zip(layout, self.rng.integers(0, len(text), len(layout)))]

    def _composed(self, parts: tuple[Part, ...]) -> Prompt:
        checkpoint = self.checkpoint
        if checkpoint.pictures is None:  # texts alone
            return Prompt(self._text(sum(parts)))
        return compose(checkpoint.pictures, checkpoint.variant.outer, parts, self._words, self.rng)

    def _piece(self, part: Part) -> Prompt:
        if not isinstance(part, Shared):
            return self._composed((part,))
        if part.name not in self.shared:
            self.shared[part.name] = self._composed((part.part,))
        return self.shared[part.name]

    def _prompt(self, shape: Shape) -> list[int]:
        if isinstance(shape, tuple) and self.case.shares:
            pieces = [self._piece(part) for part in shape]
            return Prompt([token for piece in pieces for token in piece], tuple(m for piece in pieces for m in media_of(piece)))
        if isinstance(shape, tuple):
            return self._composed(shape)
        return self._laid_out(shape) if isinstance(shape, str) else self._text(shape)

    def sample(self, shape: Shape, greedy: bool) -> Drawn:
        """Redraws until margin and router gap are large enough and the float32 noise is small. greedy: decode the
        truth's greedy tokens instead of drawn ones. Raises IllConditioned after too many draws."""
        most = MOST_DRAWS
        if self.case.name in FOR_NARROW:  # one budget for all samples of the case
            most = MOST_NARROW_DRAWS - self.draws
        for _ in range(most):
            if drawn := self.attempt(shape, greedy):
                return drawn
        raise IllConditioned(
            f"{self.checkpoint.family.name}/{self.checkpoint.variant.name}, case "
            f"{self.case.name}: no sample of shape {shape} with margin {MARGIN}, router gap "
            f"{ROUTER_GAP} and noise {MOST_NOISE} in {self.draws} draws")

    def attempt(self, shape: Shape, greedy: bool) -> Drawn | None:
        """One draw; None if it does not meet the conditions of `sample`."""
        self.draws += 1
        routings: list[Routing] = []
        prompt = self._prompt(shape)
        decode = None
        if not greedy:
            n_decode = self.case.n_decode
            decode = self._laid_out("." * n_decode) if isinstance(shape, str) else self._text(n_decode)
        if self.case.settles:
            tokens = self.settle(prompt + (decode or []), len(prompt) - 1)
            prompt, decode = tokens[:len(prompt)], None if greedy else tokens[len(prompt):]
        if greedy:
            decode = self.greedy(prompt)
        if decode is None:
            return None
        prefill, steps = self.checkpoint.truth.rows(prompt, decode, None, routings, self.case.limit)
        decisive = np.concatenate([prefill[-1:], steps])
        if margin(decisive) < MARGIN or smallest_gap(routings) < ROUTER_GAP:
            return None
        if self.case.name == "greedy" and margin(decisive[:-1]) < LEAST_MARGIN:
            return None
        if self.case.name in FOR_NARROW and not self.narrow_in_all(prompt, decode, routings):
            return None
        drawn = Drawn(prompt, decode, prefill, steps,
                      *self.checkpoint.float32.rows(prompt, decode, limit=self.case.limit))
        if self.case.name == "greedy" and not tokens_alike(self.checkpoint, [drawn]):
            return None
        return drawn if drawn.noise <= MOST_NOISE and self.is_typical(drawn) else None

    def twins(self) -> list[Drawn]:
        """The samples of a case whose prompts share parts, which are drawn again until all samples meet the conditions."""
        for _ in range(MOST_DRAWS):
            self.shared, samples = {}, []
            for shape in self.case.shapes:
                if drawn := self.attempt(shape, greedy=False):
                    samples.append(drawn)
                else:
                    break
            else:
                return samples
        raise IllConditioned(f"{self.checkpoint.family.name}/{self.checkpoint.variant.name}, case {self.case.name}: no samples that "
                             f"share parts with margin {MARGIN}, router gap {ROUTER_GAP} and noise {MOST_NOISE} in {self.draws} draws")

    def settle(self, tokens: list[int], decisive: int) -> list[int]:
        """Redraws single tokens, from the first to the last, at positions where an expert or, from position
        `decisive` on, the largest logit is near a tie. Returns the new tokens."""
        tokens = list(tokens)
        for _ in range(MOST_NARROW_DRAWS):
            routings: list[Routing] = []
            logits = self.checkpoint.truth.logits(tokens, None, routings, self.case.limit)
            near = margins(logits) < MARGIN
            near[:decisive] = False
            for routing in routings:
                near |= routing.gaps() < ROUTER_GAP
            if not near.any():
                break
            tokens[int(near.argmax())] = self._text(1)[0]
        return tokens

    def is_typical(self, drawn: Drawn) -> bool:
        """Whether float32 runs with other summation orders have at most MOST_GROWTH times the noise of the logits, and
        MOST_TRACED times that of the layers' outputs. In a model that amplifies rounding errors (Gemma 3n, a delta net
        whose query and key are nearly orthogonal) one run can be close to the truth by chance, and correct
        candidates would exceed four times its noise. Most bundled inputs (seed 0) were drawn without this check.
        Those of `typical` variants were drawn with torch's sums and without the check of outputs, unless they are `typical_layers`."""
        variant, bundled = self.checkpoint.variant, self.checkpoint.seed == 0
        if bundled and not variant.typical:
            return True
        logits_alone = bundled and not variant.typical_layers
        largest = max(np.abs(drawn.prefill).max(), np.abs(drawn.steps).max())
        most = MOST_GROWTH * max(drawn.noise, FLOOR * largest)
        other = OtherOrder if logits_alone else OneByOne
        truth, once = ({}, {}) if logits_alone else self.traces(drawn)
        for _ in range(N_ORDERS):
            again: dict[str, np.ndarray] = {}
            with other(self.rng):
                run = self.checkpoint.float32.rows(drawn.prompt, drawn.decode, again, limit=self.case.limit)
            if largest_noise([drawn], [run]) > most or any(
                    grows(truth[name], once[name], again[name]) for name in truth if name.endswith(".out")):
                return False
        return True

    def traces(self, drawn: Drawn) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """The traced tensors of the prompt, of the truth and in float32."""
        truth: dict[str, np.ndarray] = {}
        once: dict[str, np.ndarray] = {}
        self.checkpoint.truth.logits(drawn.prompt, truth, limit=self.case.limit)
        self.checkpoint.float32.logits(drawn.prompt, once, limit=self.case.limit)
        return truth, once

    def narrow_rows(self, name: str, prompt: list[int], decode: list[int],
                    truth: list[Routing]) -> tuple[np.ndarray, np.ndarray] | None:
        """(prefill [T, V], decode [N, V]) of a narrower run; None if its routing is not safely that of the
        truth (narrow.routes_alike)."""
        routings: list[Routing] = []
        rows = self.checkpoint.narrow[name].rows(prompt, decode, None, routings,
                                                   self.case.limit)
        return rows if narrow.routes_alike(truth, routings) else None

    def narrow_in_all(self, prompt: list[int], decode: list[int], truth: list[Routing]) -> bool:
        return all(self.narrow_rows(name, prompt, decode, truth) is not None
                   for name in self.checkpoint.narrow)

    def narrow(self, drawn: Drawn) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """The rows of each narrower run whose routing is safely that of the truth."""
        truth: list[Routing] = []
        self.checkpoint.truth.rows(drawn.prompt, drawn.decode, None, truth, self.case.limit)
        found = {name: self.narrow_rows(name, drawn.prompt, drawn.decode, truth)
                 for name in self.checkpoint.narrow}
        return {name: rows for name, rows in found.items() if rows is not None}

    def greedy(self, prompt: list[int]) -> list[int] | None:
        """The truth's greedy continuation, ignoring stop ids; None if there is a near tie, or the case's
        condition `varies` is not met."""
        tokens: list[int] = []
        for _ in range(self.case.n_decode):
            last = self.checkpoint.truth.logits(prompt + tokens)[-1:]
            if margin(last) < MARGIN:
                return None
            tokens.append(int(last.argmax()))
            if tokens[-1] in self.checkpoint.special_ids:
                return None
        if self.case.varies and self.checkpoint.idle_id in tokens:
            return None
        return tokens if len(set(tokens)) >= self.case.varies else None


def choose_stop(streams: list[list[int]]) -> int | None:
    """A token that first occurs in some stream at its second step or later, but not at its last, and that
    does not occur in another stream; None if there is no such token."""
    for stream in streams:
        for step, token in enumerate(stream[:-1]):
            if step >= 1 and token not in stream[:step] and token != 0:
                if any(token not in other for other in streams):
                    return token
    return None


@dataclass
class Recording:
    """A case's samples, and for `generate` the chosen stop id.

    idle_id: another stop id of the checkpoint, which no stream contains.
    """

    case: Case
    samples: list[Drawn]
    draws: int
    idle_id: int
    stop_id: int | None = None


def draw(checkpoint: Checkpoint, case: Case, idle_id: int, others: Sequence[Recording] = ()) -> Recording:
    """others: of the same checkpoint, which has the stop ids of all of them."""
    drawer = Drawer(checkpoint, case)
    if case.shares:
        return Recording(case, drawer.twins(), drawer.draws, idle_id)
    if case.kind == "logits":
        samples = [drawer.sample(shape, greedy=False) for shape in case.shapes]
        return Recording(case, samples, drawer.draws, idle_id)
    for _ in range(MOST_DRAWS):
        samples = [drawer.sample(shape, greedy=True) for shape in case.shapes]
        streams = [s.decode for s in samples]
        if any(idle_id in stream for stream in streams):
            continue
        stop_id = None if case.varies else choose_stop(streams)
        recording = Recording(case, samples, drawer.draws, idle_id, stop_id)
        if case.name == "greedy" and not (tokens_alike(checkpoint, samples) and len(narrow_runs(checkpoint, recording)) == 2 * len(checkpoint.narrow)):
            continue
        if any(goes_past(recording, other) or goes_past(other, recording) for other in others):
            continue
        if stop_id is not None or case.varies or case.name == "random":
            return recording
    raise IllConditioned(f"{checkpoint.family.name}/{checkpoint.variant.name}: no stop id ends one stream and spares another")


def goes_past(recording: Recording, other: Recording) -> bool:
    """Whether a stream of greedy tokens has the stop id of another recording before its end."""
    return recording.case.kind != "logits" and not recording.case.shares and any(
        other.stop_id in row[row >= 0][:-1] for row in expected_tokens(recording)[0])


def listed_rows(case: Case, lengths: list[int]) -> np.ndarray | None:
    """The recorded rows (sample, position) [R, 2] of prompts of these lengths; None if all are recorded."""
    if not case.few_rows and not case.row_step:
        return None
    few = set(FEW_ROWS) if case.few_rows else set(range(FIRST_ROWS))
    step = case.row_step
    return np.array([(sample, position) for sample, length in enumerate(lengths)
                     for position in sorted({*few, *(range(0, length, step) if step else ()), length - 1})
                     if position < length], np.int32)


def recorded_prefill(case: Case, prefill: list[np.ndarray]) -> np.ndarray:
    """Rows [T_b, V] of the prompts as a case stores them: [B, T, V] with NaN on padding, or the listed rows
    [R, V]."""
    rows = listed_rows(case, [len(rows) for rows in prefill])
    if rows is None:
        return h5.left_pad(prefill, np.nan)
    return np.stack([prefill[sample][position] for sample, position in rows])


def expected_tokens(recording: Recording) -> tuple[np.ndarray, list[str]]:
    """Greedy tokens [B, M], including the stop id, -1 after it; and each stream's reason to end: stop or
    length."""
    tokens = np.full((len(recording.samples), recording.case.n_decode), -1, dtype=np.int32)
    finish = []
    for row, sample in zip(tokens, recording.samples):
        stream = sample.decode
        stopped = recording.stop_id in stream
        kept = stream[:stream.index(recording.stop_id) + 1] if stopped else stream
        row[:len(kept)] = kept
        finish.append("stop" if stopped else "length")
    return tokens, finish


def narrow_runs(checkpoint: Checkpoint, recording: Recording) -> dict[str, np.ndarray]:
    """Datasets of the runs in narrower types. A run is left out for the whole case if its noise could change an
    expert or the end of a stream, or is so large that logits of zero would agree: it could not judge a
    candidate of that type."""
    drawer = Drawer(checkpoint, recording.case)
    found = [drawer.narrow(sample) for sample in recording.samples]
    datasets = {}
    for name in checkpoint.narrow:
        if not all(name in one for one in found):
            continue
        rows = [one[name] for one in found]
        if recording.case.kind == "generate" and not ends_alike(recording, rows):
            continue
        if not refuses_zeros(recording.samples, rows):
            continue
        if name not in WITH_ROWS:
            datasets[f"/expect/{name}/noise"] = farthest_rows(recording.samples, rows)
            continue
        prefill, steps = ([row[part].astype(np.float32) for row in rows] for part in (0, 1))
        datasets |= {f"/expect/{name}/prefill": recorded_prefill(recording.case, prefill),
                     f"/expect/{name}/decode": np.stack(steps)}
    return datasets


def ends_alike(recording: Recording, rows: list[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Whether the noise of a narrower run cannot change where a stream ends; rows: the run's logits."""
    noise = largest_noise(recording.samples, rows)
    stops = [i for i in (recording.idle_id, recording.stop_id) if i is not None]
    return all(narrow.stops_alike(np.concatenate([s.prefill[-1:], s.steps]), noise, row[row >= 0], stops)
               for s, row in zip(recording.samples, expected_tokens(recording)[0]))


def tokens_alike(checkpoint: Checkpoint, samples: list[Drawn]) -> bool:
    """Whether no narrower run's noise can change a token: on every deciding row the truth's largest logit leads
    by more than 2 * APART times the noise."""
    least = min(margin(np.concatenate([s.prefill[-1:], s.steps[:-1]])) for s in samples)
    return all(least > 2 * narrow.APART * largest_noise(
        samples, [run.rows(s.prompt, s.decode) for s in samples])
        for run in checkpoint.narrow.values())
