"""Engines in Python for Assay: docs/protocol.md over two pipes. Needs numpy.

SPDX-License-Identifier: Apache-2.0
"""

from pkgutil import extend_path

from .engine import Engine, StepOptions, Tap
from .errors import EngineError, FileUnreadable, FormatError, Invalid, ProtocolError, Stopped, Unsupported
from .pipes import claim
from .requests import Item, ModelOptions, SessionOptions, Step
from .serve import serve
from .tensors import BFloat16

__path__ = extend_path(__path__, __name__)  # assay.adapters is in observatory/adapters, unless both are installed
__version__ = "1.0"
__all__ = ["BFloat16", "Engine", "EngineError", "FileUnreadable", "FormatError", "Invalid", "Item", "ModelOptions", "ProtocolError",
           "SessionOptions", "Step", "StepOptions", "Stopped", "Tap", "Unsupported", "claim", "serve"]
