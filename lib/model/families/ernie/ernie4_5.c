/* ERNIE 4.5, dense (transformers, models/ernie4_5/modeling_ernie4_5.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/common.h"
#include "model/families/parts/ernie_decoder.h"

static void read_family(family *f)
{
    const family_decoder d = family_ernie_decoder_read(f, true);
    family_decoder_layers(f, &d);
}

/* The rows of q and k are stored as they are published. */
static const gguf_architecture GGUF = {.name = "ernie4_5"};

const family_reader family_ernie4_5 = {
    .types = {{.model_type = "ernie4_5", .read = read_family, .gguf = &GGUF}},
    .harmless = {&family_harmless_ernie},
};
