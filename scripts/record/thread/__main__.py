"""Records programs of threads: `python -m scripts.record.thread`."""

import sys

from .recording import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
