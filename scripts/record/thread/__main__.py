"""Records programs of threads: `python -m scripts.record.thread`."""

from __future__ import annotations

import sys

from .recording import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
