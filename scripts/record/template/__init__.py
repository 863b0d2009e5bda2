"""Vectors of kind `template`: chat templates rendered by jinja2 as transformers sets it up."""
