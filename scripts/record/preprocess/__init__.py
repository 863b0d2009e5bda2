"""Records what the published image and video processors make of sizes and pixels: `python -m scripts.record.preprocess`.

`processors` asks the published classes, `draw` draws configs and sizes, `pixels` records small arrays for the tests of
`lib/image/`.
"""
