"""Traces of mlx-vlm's modules, under the names of the goldens (traces.hooks, towers.hooks)."""

from __future__ import annotations

from typing import Any

import numpy as np
from assay.adapters.mlx.hooks import float32, hooked, text_places, tower_places, tower_rows


class Tracer:
    """Traces the tower and the text model of one run, by patching __call__ of their classes, as a context.

    Text tensors are those of one row of a batch, whose columns may come in several calls. Of a tower it keeps the last
    call; sample 0's images are the first ones of a call.
    """

    def __init__(self, model: Any):
        self.model = model
        self.rows: dict[str, list[np.ndarray]] = {}
        self.towers: dict[str, list[np.ndarray]] = {}
        self.traces_text = self.traces_towers = False
        self.place = (0, 0, 0, 1)

    def begin(self, row: int, length: int, columns: int, n_rows: int = 1) -> None:
        """Traces sample 0 from now on: a row of the batch, its tokens, and the columns and rows of the padded batch.
        Tensors of other batches, of a model that takes padded samples one by one, are left out."""
        self.traces_text = self.traces_towers = True
        self.place = (row, length, columns, n_rows)

    def end_towers(self) -> None:
        """The images of sample 0 have been embedded."""
        self.traces_towers = False

    def stop(self) -> None:
        self.traces_text = self.traces_towers = False

    def __enter__(self) -> Tracer:
        places = text_places(self.model.language_model.model, between=True) | tower_places(self.model)
        self.context = hooked(places, self.store)
        self.context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.context.__exit__(*error)

    def store(self, name: str, tensor: Any) -> None:
        if name.startswith("vision."):
            if self.traces_towers:
                self.towers.setdefault(name, []).append(float32(tensor).reshape(-1, tensor.shape[-1]))
        elif self.traces_text and tensor.shape[0] == self.place[3]:
            self.rows.setdefault(name, []).append(float32(tensor[self.place[0]]))

    def found(self, wanted: dict[str, int], media: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The tensors with these names and numbers of rows, of those that were traced. media: sample 0's inputs."""
        _, length, columns, _ = self.place
        made = {}
        for name, n_rows in wanted.items():
            if name in self.rows:
                made[name] = np.concatenate(self.rows[name])[columns - length:columns]
            elif name in self.towers:
                made[name] = tower_rows(self.model, name, self.towers[name][-1], media)[:n_rows]
        return {name: tensor for name, tensor in made.items() if len(tensor) == wanted[name]}
