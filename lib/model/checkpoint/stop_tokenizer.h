/* The id of the token that a checkpoint's tokenizer calls its end of sequence. Used only by
 * model/checkpoint/stop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_STOP_TOKENIZER_H
#define MODEL_CHECKPOINT_STOP_TOKENIZER_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct stop_token {
    char *text; /* NULL: dir has no tokenizer_config.json, or it names no eos_token; the caller frees it */
    bool found; /* a document gives it an id */
    int64_t id; /* clamped to its type */
    char written[32]; /* the id as the document spells it, truncated; empty if it is the index of a list */
} stop_token;

assay_status stop_tokenizer_read(const char *dir, stop_token *out, assay_error *err);

#endif
