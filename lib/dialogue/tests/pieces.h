/* A sink that records what it receives, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TESTS_PIECES_H
#define DIALOGUE_TESTS_PIECES_H

#include <assay/serving.h>

#include <stdbool.h>

/* Zeroed by the caller first, freed with pieces_free. */
typedef struct pieces {
    char *script; /* terminated: "R{…}" for reasoning, "C{…}" for content; adjacent pieces of one part are
                     joined */
    size_t n, capacity;
    size_t n_bytes, n_pieces;
    bool under_way; /* a piece was received, of part `part` */
    assay_part part;
    bool cut; /* a piece ended within a character */
} pieces;

assay_sink pieces_sink(pieces *p);

/* The script, with the closing brace of its last part. */
const char *pieces_script(pieces *p);
void pieces_free(pieces *p);

#endif
