/* What a GGUF file says of its tokenizer beside the tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_SETTINGS_H
#define GGUF_SETTINGS_H

#include "gguf/pretokenizers.h"
#include "gguf/vocabulary.h"

/* Tokens with a role, in the order of the table of their keys. */
typedef enum gguf_role { GGUF_BOS, GGUF_EOS, GGUF_UNK, GGUF_PAD, GGUF_EOT, GGUF_EOM, GGUF_N_ROLES } gguf_role;

typedef struct gguf_settings {
    bool from_scores;             /* SentencePiece: merges follow from the tokens' scores; pre is NULL */
    const gguf_pretokenizer *pre; /* byte-level BPE, or BPE of plain text */
    bool prefixes_blank;          /* texts begin with a blank */
    bool adds_bos, adds_eos;
    bool strips_right;          /* control tokens take the blanks after them */
    int32_t role[GGUF_N_ROLES]; /* ids; -1: none */
} gguf_settings;

/* Whether the file has a tokenizer: files of weights alone have none. */
bool gguf_has_tokenizer(const gguf *f);

/* Fails with ASSAY_EUNSUPPORTED if tokenizer.ggml.model or .pre has an unknown name; ASSAY_EFORMAT if an id
 * has no token, or bos or eos is added and there is none. */
assay_status gguf_settings_read(const gguf *f, const gguf_vocabulary *v, gguf_settings *out,
                                assay_error *err);

#endif
