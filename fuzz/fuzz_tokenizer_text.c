/* Input: one byte that chooses a bundled tokenizer, and bytes to encode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/tokenizing.h"

/* Seeds hold indices into this table: add to its end only. */
static const char *const TOKENIZERS[] = {"gpt2",   "qwen",       "llama3",   "o200k",   "deepseek",
                                         "llama2", "mistral",    "gemma",    "unigram", "unigram-bytes",
                                         "bert",   "bert-cased", "word-end", "words"};
enum { N_TOKENIZERS = sizeof TOKENIZERS / sizeof *TOKENIZERS };

static const tokenizer *tokenizer_number(size_t i)
{
    static tokenizer *opened[N_TOKENIZERS];
    char dir[4200];
    assay_error err = {0};
    (void)snprintf(dir, sizeof dir, "%s/fixtures/tokenizer/%s/model", fuzz_top(), TOKENIZERS[i]);
    if (!opened[i]) fuzz_require(tokenizer_open(dir, &opened[i], &err) == ASSAY_OK, err.text);
    return opened[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) fuzz_tokenize(tokenizer_number(data[0] % N_TOKENIZERS), (const char *)data + 1, size - 1);
    return 0;
}
