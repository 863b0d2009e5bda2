"""Published servers, installed from PyPI and started on the bundle."""
