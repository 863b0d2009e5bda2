"""scripts/rates: the statistics against known values, replays of the cases of llama/base, and the document against its data.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from scripts.judging import data, measure, tail
from scripts.judging.replays import Replay

TOP, BUILD = Path(os.environ["top_srcdir"]).resolve(), Path(os.environ["ASSAY_BUILD"]).resolve()
SHAPE, SCALE = 0.2, 0.4


def drawn(n: int) -> dict[int, int]:
    """Bins of errors whose excesses over 1 have the tail of SHAPE and SCALE, and of as many errors below 1."""
    draw = random.Random(1)
    errors = [1 + SCALE / SHAPE * (draw.random() ** -SHAPE - 1) for _ in range(n)] + [draw.uniform(0.1, 1) for _ in range(n)]
    return dict(Counter(math.floor(tail.PER_OCTAVE * math.log2(x)) for x in errors))


def replayed(order: str, kept: Path, compute: str = "") -> data.Run:
    replay = Replay(f"{compute} {order}", "test", compute, order=order)
    measure.measure([replay], kept, BUILD, TOP / "fixtures/llama/base", sys.executable)
    return data.summed([replay], kept)[0][0]


class Rates(unittest.TestCase):
    def test_a_known_tail_is_fitted(self) -> None:
        bins = drawn(100_000)
        scale, shape = tail.fit(bins, 1.0) or (0.0, 0.0)
        assert abs(scale - SCALE) < 0.02 and abs(shape - SHAPE) < 0.03, (scale, shape)
        rate, true = tail.rate_above(bins, 200_000, 1.0, 4.0), 0.5 * (1 + SHAPE * 3 / SCALE) ** (-1 / SHAPE)
        assert abs(rate / true - 1) < 0.2, (rate, true)
        assert tail.fit({-8: 5}, 1.0) is None and tail.rate_above({-8: 5}, 5, 1.0, 4.0) == 0

    def test_intervals_of_rates_are_the_exact_ones(self) -> None:
        for k, n, low, high in ((0, 10, 0.0, 0.3085), (3, 18, 0.0358, 0.4142), (10, 10, 0.6915, 1.0)):
            found = tail.interval(k, n)
            assert abs(found[0] - low) < 1e-4 and abs(found[1] - high) < 1e-4, (k, n, found)

    def test_intervals_over_clusters_hold_the_mean(self) -> None:
        clusters = [({8: i}, 100) for i in range(1, 20)]
        low, high = tail.bootstrap(clusters, lambda bins, n: tail.above(bins, 2.0) / n, 400)
        assert 0.05 < low < 0.1 < high < 0.15, (low, high)

    def test_a_sound_replay_agrees_and_a_planted_error_is_counted(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            sound, wrong = replayed("lanes:4,parts:2", Path(name)), replayed("planted:6", Path(name))
        assert sound.cases == wrong.cases > 2 and sound.rows == wrong.rows > 10 and sound.tensors > 2, (sound, wrong)
        assert sound.cases_above == 0 and not sound.alarms, sound
        assert wrong.cases_above == wrong.cases and wrong.rows_above == wrong.rows, wrong

    def test_a_replay_that_cannot_run_is_left_out(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            replay = Replay("no such order", "test", order="sideways")
            measure.measure([replay], Path(name), BUILD, TOP / "fixtures/llama/base", sys.executable)
            assert not list(measure.counts(replay, Path(name)))

    def test_the_document_is_what_its_data_gives(self) -> None:
        run = subprocess.run([TOP / "scripts/rates", "report", "--check"], capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"scripts/rates report:\n{run.stdout}{run.stderr}"
