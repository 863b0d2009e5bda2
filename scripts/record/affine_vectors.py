"""Writes lib/model/numerics/tests/vectors/affine.safetensors: mlx's results for every bit width and group size.

`python -m scripts.record.affine_vectors`. For each `bBITS.gGROUP`: weight, scales and biases as
mx.quantize stores them; codes [rows, cols], which are mx.dequantize's result for scale 1 and bias 0;
and values, its float32 result with scales and biases upcast. The value ranges of all groups differ.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlx.core as mx
import numpy as np

BITS, GROUPS = (2, 3, 4, 5, 6, 8), (32, 64, 128)
TYPES = (mx.float32, mx.bfloat16, mx.float16)
N_ROWS, N_GROUPS = 2, 2


def vectors(seed: int) -> dict[str, mx.array]:
    made: dict[str, mx.array] = {}
    rng = np.random.default_rng(seed)
    for index, bits in enumerate(BITS):
        for group in GROUPS:
            name = f"b{bits}.g{group}"
            spread = rng.uniform(0.5, 3, (N_ROWS, N_GROUPS, 1))
            values = rng.standard_normal((N_ROWS, N_GROUPS, group)) * spread + spread
            drawn = mx.array(values.reshape(N_ROWS, -1).astype(np.float32))
            weight, scales, biases = mx.quantize(drawn.astype(TYPES[index % 3]), group, bits)
            wide = [part.astype(mx.float32) for part in (scales, biases)]
            plain = mx.ones(scales.shape), mx.zeros(scales.shape)
            codes = mx.dequantize(weight, *plain, group, bits).astype(mx.uint8)
            made |= {f"{name}.weight": weight, f"{name}.scales": scales, f"{name}.biases": biases,
                     f"{name}.codes": codes,
                     f"{name}.values": mx.dequantize(weight, *wide, group, bits)}
    return made


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "lib/model/numerics/tests/vectors/affine.safetensors")
    path.parent.mkdir(parents=True, exist_ok=True)
    mx.save_safetensors(str(path), vectors(0), metadata={"mlx": mx.__version__})
    path.chmod(0o644)
