/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pnm_plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BLOCK ((size_t)1 << 20) /* Pillow's: what follows the image in the last block is checked as well */

typedef struct reading {
    const pnm_head *head;
    const uint8_t *data; /* [n], not read yet */
    size_t n;
    bool in_comment;
    uint8_t *text; /* [n_text] without comments; owned */
    size_t n_text;
    size_t n_samples; /* that are missing */
    void (*put)(void *user, size_t sample);
    void *user;
} reading;

static assay_status refuse(const reading *r)
{
    return assay_fail(r->head->err, ASSAY_EFORMAT, "%s: sample: expected a whole number from 0 to %zu",
                      r->head->name, r->head->kind == PNM_BIT ? 1 : r->head->maxval);
}

/* Appends the next block to the text, but for its comments; at the end of the data white space. Returns false
 * if the text has ended before. */
static bool read_block(reading *r)
{
    const size_t n = r->n < BLOCK ? r->n : BLOCK;
    if (n == 0 && r->n_text == 0) return false;
    if (n == 0) r->text[r->n_text++] = ' ';
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = r->data[i];
        if (r->in_comment) r->in_comment = c != '\n' && c != '\r';
        else if (c == '#') r->in_comment = true;
        else r->text[r->n_text++] = c;
    }
    r->data += n;
    r->n -= n;
    return true;
}

static assay_status read_bits(reading *r)
{
    for (size_t i = 0; i < r->n_text; i++) {
        const uint8_t c = r->text[i];
        if (pnm_is_space(c)) continue;
        if (c != '0' && c != '1') return refuse(r);
        if (r->n_samples == 0) continue;
        r->put(r->user, (size_t)(c - '0'));
        r->n_samples--;
    }
    r->n_text = 0;
    return ASSAY_OK;
}

static assay_status read_token(reading *r, const uint8_t *token, size_t n)
{
    long long value;
    if (n > PNM_TOKEN_MAX || !pnm_parse_integer(token, n, &value) || value < 0 ||
        value > (long long)r->head->maxval)
        return refuse(r);
    r->put(r->user, (size_t)value);
    r->n_samples--;
    return ASSAY_OK;
}

/* The last token of the text may continue in the next block, and stays. */
static assay_status read_tokens(reading *r)
{
    size_t end = r->n_text;
    while (end > 0 && !pnm_is_space(r->text[end - 1])) end--;
    if (r->n_text - end > PNM_TOKEN_MAX) return refuse(r);
    for (size_t i = 0, start; i < end && r->n_samples > 0;) {
        while (i < end && pnm_is_space(r->text[i])) i++;
        for (start = i; i < end && !pnm_is_space(r->text[i]);) i++;
        const assay_status rc = i > start ? read_token(r, r->text + start, i - start) : ASSAY_OK;
        if (rc != ASSAY_OK) return rc;
    }
    memmove(r->text, r->text + end, r->n_text - end);
    r->n_text -= end;
    return ASSAY_OK;
}

assay_status pnm_plain_read(const pnm_head *head, const uint8_t *data, size_t n, size_t n_samples,
                            void (*put)(void *user, size_t sample), void *user)
{
    reading r = {.head = head, .data = data, .n = n, .n_samples = n_samples, .put = put, .user = user};
    assay_status rc = ASSAY_OK;
    r.text = malloc((n < BLOCK ? n : BLOCK) + PNM_TOKEN_MAX + 1);
    if (!r.text) return assay_fail(head->err, ASSAY_ENOMEM, "%s: out of memory", head->name);
    while (rc == ASSAY_OK && r.n_samples > 0 && read_block(&r))
        rc = head->kind == PNM_BIT ? read_bits(&r) : read_tokens(&r);
    free(r.text);
    if (rc == ASSAY_OK && r.n_samples > 0)
        rc = assay_fail(head->err, ASSAY_EFORMAT, "%s: the file is truncated: samples are missing",
                        head->name);
    return rc;
}
