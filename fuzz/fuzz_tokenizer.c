/* Input: a tokenizer.json, and after its last '}' the bytes to encode, if any.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/tokenizing.h"

/* The end of the file within the input. */
static size_t end_of_file(const uint8_t *data, size_t size)
{
    const uint8_t *last = size > 0 ? memrchr(data, '}', size) : NULL;
    return last ? (size_t)(last - data) + 1 : size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t end = end_of_file(data, size);
    (void)fuzz_write("tokenizer.json", data, end);
    tokenizer *t = NULL;
    assay_error err = {0};
    const assay_status rc = tokenizer_open(fuzz_directory(), &t, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, t == NULL);
        return 0;
    }
    fuzz_tokenize(t, (const char *)data + end, size - end);
    fuzz_tokenize(t, "Hello  w\xc3\xb6rld\xff\n 12", 18);
    tokenizer_free(t);
    return 0;
}
