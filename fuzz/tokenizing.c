/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/tokenizing.h"

#include <string.h>

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "tokenizer/detokenizer.h"
#include "tokenizer/encode.h"

/* Appends all pieces of the ids, and the rest at the end, to *out. */
static assay_status join_pieces(const tokenizer *t, const tokenizer_ids *ids, bool skip_special, buffer *out)
{
    detokenizer *d = NULL;
    assay_error err = {0};
    assay_status rc = detokenizer_open(t, skip_special, &d, &err);
    for (size_t i = 0; rc == ASSAY_OK && i <= ids->n; i++) {
        const char *piece = NULL;
        size_t n = 0;
        rc = i < ids->n ? detokenizer_push(d, ids->ids[i], &piece, &n, &err)
                        : detokenizer_end(d, &piece, &n, &err);
        if (rc != ASSAY_OK) break;
        fuzz_require(utf8_valid_prefix(piece, n) == n, "a piece is UTF-8");
        fuzz_require(buffer_append(out, piece, n), "memory can be had");
    }
    detokenizer_free(d);
    return rc;
}

static void check_decoding(const tokenizer *t, const tokenizer_ids *ids, bool skip_special)
{
    buffer text = {0}, joined = {0};
    assay_error err = {0};
    const assay_status rc = tokenizer_decode(t, ids->ids, ids->n, skip_special, &text, &err);
    if (rc == ASSAY_OK) {
        fuzz_require(text.n == 0 || utf8_valid_prefix(text.data, text.n) == text.n,
                     "a decoded text is UTF-8");
        fuzz_require(join_pieces(t, ids, skip_special, &joined) == ASSAY_OK,
                     "what can be decoded can be streamed");
        fuzz_require(joined.n == text.n && (text.n == 0 || memcmp(joined.data, text.data, text.n) == 0),
                     "pieces make the text");
    } else {
        fuzz_require_refusal(rc, &err, text.n == 0);
    }
    buffer_free(&text);
    buffer_free(&joined);
}

void fuzz_tokenize(const tokenizer *t, const char *text, size_t n)
{
    tokenizer_ids ids = {0};
    for (int special = 0; special < 2; special++) {
        assay_error err = {0};
        const assay_status rc = tokenizer_encode(t, text, n, special, &ids, &err);
        if (rc != ASSAY_OK) fuzz_require_refusal(rc, &err, ids.n == 0);
        for (size_t i = 0; i < ids.n; i++) fuzz_require(ids.ids[i] >= 0, "an id is not negative");
        check_decoding(t, &ids, special);
    }
    tokenizer_ids_free(&ids);
}
