/* Input: a GGUF file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"
#include "gguf/document.h"
#include "gguf/metadata.h"

#include <string.h>

static const char *const KEYS[] = {"general.alignment",     "general.architecture",  "split.count",
                                   "tokenizer.ggml.tokens", "tokenizer.ggml.scores", "a"};

static void touch(const void *data, size_t n)
{
    volatile unsigned char touched;
    if (n == 0) return;
    touched = ((const unsigned char *)data)[0];
    touched = ((const unsigned char *)data)[n - 1];
    (void)touched;
}

/* Reads every element of a value. */
static void read_value(const gguf_value *v)
{
    uint64_t integer;
    double number;
    bool is;
    if (v->kind == GGUF_TEXT) {
        assay_text text;
        gguf_texts texts = gguf_value_texts(v);
        size_t n = 0;
        for (; gguf_texts_next(&texts, &text); n++) touch(text.at, text.n);
        fuzz_require(n == v->count, "an array has as many texts as it says");
        return;
    }
    for (size_t i = 0; i < v->count; i++) {
        const bool is_bool = gguf_value_bool(v, i, &is), is_number = gguf_value_number(v, i, &number);
        fuzz_require(is_bool != is_number, "an element is a number or a truth value");
        fuzz_require(is_number || !gguf_value_unsigned(v, i, &integer), "an integer is a number");
    }
}

static void read_tensors(const gguf *f, size_t size)
{
    size_t total = 0;
    for (size_t i = 0; i < gguf_count(f); i++) {
        const gguf_tensor *t = gguf_at(f, i);
        fuzz_require(gguf_find(f, t->name) == t, "a tensor is found by its name");
        fuzz_require(t->n_dims <= GGUF_DIMS_MAX && t->type->n_bytes > 0,
                     "a tensor has dimensions and a type");
        fuzz_require(t->ne[0] % t->type->block == 0, "a row is a whole number of blocks");
        touch(t->data, t->n_bytes);
        total += t->n_bytes;
        fuzz_require(total <= size, "the tensors do not hold more than the file");
    }
}

/* A document that is written is strict JSON. */
static void read_documents(const char *path)
{
    static const char *const NAMES[] = {"tokenizer.json", "tokenizer_config.json", "generation_config.json"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        gguf_document d;
        assay_error err = {0};
        const assay_status rc = gguf_document_read(path, NAMES[i], JSON_SIZE_MAX, &d, &err);
        if (rc != ASSAY_OK) fuzz_require_refusal(rc, &err, d.text == NULL);
        else if (d.text)
            fuzz_require(json_check(d.label, d.text, d.n, NULL) == ASSAY_OK, "a document is JSON");
        gguf_document_free(&d);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_write("model.gguf", data, size);
    gguf *f = NULL;
    assay_error err = {0};
    const assay_status rc = gguf_open(path, &f, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, f == NULL);
        return 0;
    }
    fuzz_require(gguf_is_file(path), "a file that opens is one by its first bytes");
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const gguf_value *v = gguf_get(f, KEYS[i]);
        fuzz_require((gguf_require(f, KEYS[i], NULL) == ASSAY_OK) == (v != NULL), "a key is there or not");
        if (v) read_value(v);
    }
    read_tensors(f, size);
    gguf_free(f);
    read_documents(path);
    return 0;
}
