"""The cases that a variant can name: prompts, decode steps, and what is recorded of them."""

from __future__ import annotations

from dataclasses import dataclass

from ..media.parts import Audio, Part, Picture, Shared
from ..runs.truth import Limit
from ..variants.variant import Variant

Shape = int | str | tuple[Part, ...]  # of a prompt: its length, its layout, or its texts and pictures
N_GREEDY = 7
KEPT = 4  # attention sink tokens that mlx-lm keeps with max_kv_size


@dataclass(frozen=True)
class Case:
    """The shape of a case: prompt lengths without padding, and the number of decode steps.

    limit: capacity of the caches; None: unlimited.
    traces: `none`, `layers` (embed and layer.NN.out) or `fine`.
    settles: redraw single tokens instead of whole prompts, because nearly every draw of a long prompt
    has a near tie somewhere.
    varies: every greedy stream has at least this many different tokens, and no stop id; 0: no such condition.
    few_rows: of each prompt only the rows of FEW_ROWS and the last are recorded.
    row_step: above 0, of each prompt only the first rows, every row_step-th and the last are recorded.
    layouts: the kinds of each prompt's tokens, one letter of PLACEHOLDERS for each, `.` for text; decoded tokens
    are text. Empty: any tokens.
    prompts: the texts and pictures of each prompt, with their pixels; empty: there are none. Of a case whose prompts
    share parts all prompts are drawn until each is far from a tie.
    holds: members around text_config whose ids half of the text has; empty: it has none that stands for media.
    """

    name: str
    lengths: tuple[int, ...]
    n_decode: int
    kind: str = "logits"
    limit: Limit | None = None
    traces: str = "layers"
    settles: bool = False
    varies: int = 0
    few_rows: bool = False
    row_step: int = 0
    layouts: tuple[str, ...] = ()
    prompts: tuple[tuple[Part, ...], ...] = ()
    holds: tuple[str, ...] = ()

    @property
    def shares(self) -> bool:
        return any(isinstance(part, Shared) for prompt in self.prompts for part in prompt)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return self.prompts or self.layouts or self.lengths


def laid_out(name: str, *layouts: str, n_decode: int = 3, **more) -> Case:
    """A case whose prompts have tokens of these kinds."""
    return Case(name, tuple(len(layout) for layout in layouts), n_decode, layouts=layouts, **more)


def pictured(name: str, *prompts: tuple[Part, ...], n_decode: int = 3, **more) -> Case:
    """A case whose prompts are made of texts and pictures."""
    return Case(name, (), n_decode, prompts=prompts, **more)


# Two images, four images; adjacent but for the tokens between them; at the start and at the end
TWO = (2, Picture(2, 3), 3, Picture(3, 1), 2)
FOUR = (Picture(2, 1), 2, Picture(1, 3), Picture(3, 2), 1, Picture(1, 1))
IMAGES = (
    pictured("image", (3, Picture(3, 2), 4), traces="fine"),
    pictured("images", TWO, n_decode=4, traces="fine"),
    pictured("images-batch", (6,), (1, Picture(2, 2), 3), TWO, FOUR, n_decode=4),
    pictured("images-decode", (2, Picture(1, 4), Picture(4, 2), 1), n_decode=12, traces="none"),
    pictured("images-generate", (4,), (2, Picture(2, 3), 2), (Picture(1, 2), 1, Picture(3, 2), 2),
             n_decode=N_GREEDY, kind="generate"),
    pictured("videos", (2, Picture(2, 4, frames=3), 2), (1, Picture(1, 2, frames=2), 2, Picture(2, 1), 1)),
    # Images first and last, adjacent but for the tokens between them, and without marks
    pictured("positions", (5,), (1, Picture(2, 3), 2), (2, Picture(2, 2), 1, Picture(3, 1), 2, Picture(1, 4), 1),
             (Picture(3, 2), Picture(1, 3), Picture(2, 1), 1),
             (Picture(2, 2, bare=True), 3, Picture(4, 3, bare=True)), kind="positions"),
    pictured("positions-videos", (1, Picture(2, 4, frames=3), 2), (Picture(1, 3, frames=2), Picture(2, 2), 1),
             (1, Picture(2, 2, bare=True), Picture(2, 3, frames=2, bare=True), 2, Picture(1, 2, frames=2), 3),
             kind="positions"),
)

PICTURES = tuple(case.name for case in IMAGES)

# Twins: of a cache that outlives its session, and that is found by less than what it depends on, one prompt gets what
# another has left. The same tokens with the same two images in another order, and with one other image
ONE, OTHER = Shared("one", Picture(2, 3)), Shared("other", Picture(2, 3))
FIRST, BETWEEN, LAST = Shared("first", 2), Shared("between", 2), Shared("last", 3)
# The same blocks of 256 tokens in another order; the third follows other tokens
BLOCKS = tuple(Shared(f"block {i}", 256) for i in range(3))
TWINS = (
    pictured("twins-images", (FIRST, ONE, BETWEEN, OTHER, LAST), (FIRST, OTHER, BETWEEN, ONE, LAST),
             (FIRST, Picture(2, 3), BETWEEN, OTHER, LAST), n_decode=2),
    pictured("twins-blocks", (*BLOCKS, 5), (BLOCKS[1], BLOCKS[0], BLOCKS[2], 5), n_decode=1, traces="none", row_step=64),
)
OTHER_IMAGES = (
    # Grids that windows of 2 x 2 and of 3 x 3 divide, and grids that they do not
    pictured("windows", (1, Picture(5, 3), 2, Picture(4, 6), 1), (Picture(3, 7), 2), n_decode=2, traces="fine"),
    # The longest first: an engine that sorts samples by length must sort their features with them
    pictured("images-descending", FOUR, TWO, (1, Picture(2, 2), 3), (6,)),
    # Videos of more frames than rows or columns, before text, an image and another video, and at the end
    pictured("positions-tall", (1, Picture(1, 2, frames=5), 3), (Picture(2, 1, frames=4), Picture(2, 2), 2),
             (Picture(2, 2, frames=3, bare=True), 1, Picture(1, 1, frames=4, bare=True)), kind="positions"),
    # One image in each prompt, which alone mlx-vlm places in Falcon-OCR; and two of the same size
    pictured("image-batch", (6,), (1, Picture(2, 2), 3), (Picture(3, 1), 2), (2, Picture(1, 4), 1), n_decode=4),
    pictured("image-decode", (2, Picture(4, 2), 1), n_decode=12, traces="none"),
    pictured("image-generate", (1, Picture(1, 3), 3), (2, Picture(2, 3), 2), (Picture(3, 2), 2), n_decode=N_GREEDY, kind="generate"),
    pictured("image-then-text", (1, Picture(2, 2), 3), (6,), n_decode=4),
    pictured("images-alike", (2, Picture(2, 3), 3, Picture(2, 3), 2), n_decode=4, traces="fine"),
    pictured("positions-alone", (5,), (1, Picture(2, 3), 2), (Picture(3, 2), 1), (2, Picture(1, 4), 1, Picture(2, 2), 3),
             kind="positions"),
    pictured("image-narrow", (1, Picture(1, 2), 1), n_decode=1),
    # An image first, seen whole and in rows x columns of crops; (0, 0): without crops
    pictured("crops", (Picture(2, 3), 4), traces="fine"),
    pictured("crops-batch", (6,), (Picture(0, 0), 3), (Picture(3, 1), 2), (Picture(1, 2), 5), n_decode=4),
    pictured("crops-ids", (6,), (Picture(1, 2), 5), (Picture(0, 0), 2), n_decode=4, holds=("image_token_id",)),
    pictured("crops-borders", (Picture(2, 1), 2), (Picture(3, 3), 1), (Picture(1, 4), 1), (Picture(1, 1), 1), n_decode=1),
    pictured("crops-decode", (Picture(2, 2), 1), n_decode=12, traces="none"),
    pictured("crops-generate", (4,), (Picture(1, 3), 3), (Picture(0, 0), 2), n_decode=N_GREEDY, kind="generate"),
    pictured("crops-narrow", (Picture(1, 2), 1), n_decode=1),
    pictured("images-narrow", (Picture(1, 2), Picture(1, 1), 1), n_decode=1, traces="fine"),
    # Images before, across and after 512 positions, and across 1,024
    pictured("images-1024", (5, Picture(3, 2), 480, Picture(6, 6), 480, Picture(4, 5), 4), n_decode=1, traces="none", row_step=64),
)


# Images and audio clips, also several and in turns; audio clips shorter and longer than a chunk of 100 frames, and a whole one
MEDIA = (
    pictured("sound", (3, Audio(37), 4), traces="fine"),
    pictured("sounds", (1, Audio(135), 2, Audio(28), 1), n_decode=4, traces="fine"),
    pictured("media", (Audio(20), 2, Picture(2, 2), 1, Audio(104), Picture(1, 3), 2), n_decode=4, traces="fine"),
    # The longest audio clip alone in a sample, so that chunks of the others are extended if they see it
    pictured("media-batch", (6,), (1, Audio(52), 3), (2, Audio(130), 1), (1, Picture(2, 1), 2, Audio(9), 2), n_decode=3),
    pictured("media-decode", (2, Audio(31), Picture(2, 2), 1), n_decode=12, traces="none"),
    pictured("media-generate", (4,), (2, Audio(27), 2), (Picture(1, 2), 1, Audio(110), 2), n_decode=N_GREEDY,
             kind="generate"),
    # Windows of two chunks: of an audio clip of three and a part of a fourth, and of one that they divide
    pictured("sound-windows", (1, Audio(325), 2), (Audio(200), 1), n_decode=2, traces="fine"),
    pictured("positions-media", (5,), (1, Audio(40), 2), (2, Picture(2, 3), 1, Audio(110), 2, Picture(1, 4), Audio(8), 1),
             (Audio(100), Picture(3, 2), 3, Picture(2, 1)), kind="positions"),
    pictured("media-narrow", (Picture(1, 1), Audio(10), 1), n_decode=1, traces="fine"),
    # Videos beside images and audio clips; at the end, and with more and with fewer frames than rows and columns
    pictured("media-videos", (2, Picture(1, 2, frames=3), 2), (1, Audio(12), 1, Picture(2, 1, frames=2), Picture(2, 1), 1)),
    pictured("positions-media-videos", (5,), (1, Picture(2, 4, frames=3), 2), (Picture(1, 3, frames=5), Audio(20), 1, Picture(2, 2), 1),
             (Audio(9), Picture(3, 2, frames=1), 1, Picture(2, 2), 2, Picture(1, 2, frames=2)), kind="positions"),
    # Audio clips among the tokens of videos: longer than the video; shorter, beside an image and an audio clip on its own
    pictured("videos-sound", (2, Picture(1, 2, frames=3, audio=130), 2),
             (1, Picture(2, 1, frames=2, audio=20), 1, Picture(1, 2), Audio(9), 1), traces="fine"),
    # Also shorter than a frame has rows, and with an audio clip of one token
    pictured("positions-videos-sound", (4,), (1, Picture(1, 3, frames=3, audio=120), 2, Picture(2, 2, frames=2, audio=50), 1),
             (Picture(4, 1, frames=1, audio=9), 1, Audio(30), Picture(2, 3), 1), (1, Picture(1, 2, frames=4, audio=5), 2),
             (2, Picture(2, 1, frames=3, audio=101)), kind="positions"),
)


def plan(variant: Variant) -> list[Case]:
    """The cases of a variant, with lengths on either side of its window or limit."""
    window = variant.config.get("sliding_window") or 6
    limit = variant.length_limit or 12
    known = {
        "single": Case("single", (7,), 3, traces="fine"),
        "batch": Case("batch", (3, 9, 6), 3),
        "window": Case("window", (window + 5, window - 2), 4),
        # after the third decoded token the window has moved past a cache page of 64 positions
        "pages": Case("pages", (window + 124, window + 60), 4),
        # the decode goes around the ring three times; one prompt is shorter than the attention sink tokens
        "limit": Case("limit", (9, 3), 25, limit=Limit(11, KEPT)),
        "long": Case("long", (limit + 4,), 3),
        "crossing": Case("crossing", (limit - 2,), 4),
        "narrow": Case("narrow", (2, 1), 1),
        "generate": Case("generate", (3, 6, 5), N_GREEDY, "generate"),
        "greedy": Case("greedy", (2, 4), 4, "generate"),
        "random": Case("random", (4, 9), 4, "generate"),
        "forced": Case("forced", (4, 66, 9), 4),  # the longest needs a second page of 64 positions
        # Prompts and decodes that cross 64, 128, 256 and 1,024 positions (conformance/tests/lengths.test)
        "long-single": Case("long-single", (61,), 200, traces="none", settles=True),
        "long-batch": Case("long-batch", (67, 125, 259), 6, settles=True),
        "long-generate": Case("long-generate", (62, 126, 254), 10, "generate", traces="none",
                              settles=True, varies=2),
        "prefill-1024": Case("prefill-1024", (1029,), 1, traces="none", settles=True),
        "prefill-4096": Case("prefill-4096", (4101,), 1, traces="none", settles=True),
        "decode-1024": Case("decode-1024", (1021,), 6, traces="none", settles=True),
        "rows-decode-1024": Case("rows-decode-1024", (1021,), 6, traces="none", settles=True, few_rows=True),
        "rows-single": Case("rows-single", (131,), 3, traces="none", settles=True, few_rows=True),
        "rows-generate": Case("rows-generate", (67, 9), 4, "generate", traces="none", settles=True,
                              few_rows=True),
        # Blocks longer and shorter than the window, at the start, at the end, of images and videos together; one
        # image token alone, and audio clips, which are no block
        "blocks": laid_out("blocks", "i" * (window + 5) + "...ii.", "....." + "v" * (window - 2),
                           "..iivv.aaa.i.vi..", "." + "i" * (2 * window + 3) + "..", traces="fine"),
        # No block crosses a multiple of 7 tokens or the middle of its prompt: chunks of 7 tokens, a rewound and a
        # forked sample divide no block. The first tokens are text, since forks are given the tokens in reverse.
        "blocks-steps": laid_out("blocks-steps", "....iii...iiii.iiii.", "....iii.."),
        # A block across pages of 64 positions, longer than the rows that an engine evaluates at once
        "blocks-long": laid_out("blocks-long", "." * 13 + "i" * 290 + "." * 9, traces="none", few_rows=True),
    }
    known |= {case.name: case for case in (*IMAGES, *OTHER_IMAGES, *MEDIA, *TWINS)}
    known["pictures"] = pictured("pictures", *variant.prompts, n_decode=4)
    return [known[name] for name in variant.cases]
