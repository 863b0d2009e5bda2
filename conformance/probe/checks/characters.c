/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/characters.h"

#include <string.h>

#include "conformance/support/fields.h"

#define REPLACEMENT "\xEF\xBF\xBD"

enum { REPLACEMENT_BYTES = sizeof REPLACEMENT - 1 };

static bool ends_with_replacement(assay_text text)
{
    return text.n >= REPLACEMENT_BYTES &&
           memcmp(text.at + text.n - REPLACEMENT_BYTES, REPLACEMENT, REPLACEMENT_BYTES) == 0;
}

assay_text probe_characters_trim(const buffer *b)
{
    assay_text text = conf_field_strip(buffer_text(b));
    while (ends_with_replacement(text))
        text = conf_field_strip((assay_text){text.at, text.n - REPLACEMENT_BYTES});
    return text;
}

size_t probe_characters_replaced(assay_text text)
{
    const char *at;
    size_t n = 0;
    while (text.n && (at = memmem(text.at, text.n, REPLACEMENT, REPLACEMENT_BYTES))) {
        at += REPLACEMENT_BYTES;
        text = (assay_text){at, text.n - (size_t)(at - text.at)};
        n++;
    }
    return n;
}

size_t probe_characters_cut(const probe_truth *truth, const probe_prompt *p)
{
    for (size_t n = 1; n < p->n_greedy && n < p->n_safe; n++) {
        buffer text = {0};
        const bool cut = probe_vocab_decode(truth->vocab, p->greedy, n, true, &text, NULL) == ASSAY_OK &&
                         ends_with_replacement(buffer_text(&text));
        buffer_free(&text);
        if (cut) return n;
    }
    return 0;
}
