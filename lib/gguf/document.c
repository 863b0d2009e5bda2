/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/document.h"

#include "base/error.h"
#include "base/file.h"
#include "gguf/configs.h"
#include "gguf/settings.h"
#include "gguf/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct writer {
    const char *name;
    assay_status (*write)(const gguf *f, buffer *to, assay_error *err);
} WRITERS[] = {
    {"tokenizer.json", gguf_tokenizer_write},
    {"tokenizer_config.json", gguf_tokenizer_config_write},
    {"generation_config.json", gguf_generation_config_write},
};

static const struct writer *find_writer(const char *name)
{
    for (size_t i = 0; i < sizeof WRITERS / sizeof WRITERS[0]; i++)
        if (strcmp(name, WRITERS[i].name) == 0) return &WRITERS[i];
    return NULL;
}

/* NULL if out of memory. */
static char *label_of(const char *checkpoint, bool is_gguf, const char *name)
{
    char *label = NULL;
    return asprintf(&label, "%s%s%s", checkpoint, is_gguf ? ": " : "/", name) < 0 ? NULL : label;
}

static assay_status write_document(const char *path, const struct writer *w, size_t most, gguf_document *out,
                                   assay_error *err)
{
    gguf *f = NULL;
    buffer text = {0};
    assay_status rc = gguf_open(path, &f, err);
    const bool exists = rc == ASSAY_OK && gguf_has_tokenizer(f);
    if (exists) rc = w->write(f, &text, err);
    if (rc == ASSAY_OK && text.n > most)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found %zu bytes, expected at most %zu", out->label,
                        text.n, most);
    gguf_free(f);
    if (rc != ASSAY_OK) {
        buffer_free(&text);
        return rc;
    }
    out->text = text.data;
    out->n = text.n;
    return ASSAY_OK;
}

assay_status gguf_document_read(const char *checkpoint, const char *name, size_t most, gguf_document *out,
                                assay_error *err)
{
    const bool is_gguf = gguf_is_file(checkpoint);
    const struct writer *w = find_writer(name);
    *out = (gguf_document){.label = label_of(checkpoint, is_gguf, name)};
    if (!out->label) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    if (is_gguf) return w ? write_document(checkpoint, w, most, out, err) : ASSAY_OK;
    return access(out->label, F_OK) == 0 ? file_read(out->label, most, &out->text, &out->n, err) : ASSAY_OK;
}

assay_status gguf_document_require(const char *checkpoint, const char *name, size_t most, gguf_document *out,
                                   assay_error *err)
{
    const assay_status rc = gguf_document_read(checkpoint, name, most, out, err);
    if (rc != ASSAY_OK || out->text) return rc;
    if (gguf_is_file(checkpoint))
        return assay_fail(err, ASSAY_EIO, "%s: found nothing, expected the metadata of a tokenizer",
                          out->label);
    return file_read(out->label, most, &out->text, &out->n, err); /* for the system's reason */
}

void gguf_document_free(gguf_document *d)
{
    free(d->label);
    free(d->text);
}

assay_status gguf_document_parse(const char *checkpoint, const char *name, const json_limits *limits,
                                 json_object **out, assay_error *err)
{
    static const json_limits usual = {.bytes = JSON_SIZE_MAX, .values = JSON_VALUES_MAX};
    gguf_document d;
    json_object *value = NULL;
    if (!limits) limits = &usual;
    assay_status rc = gguf_document_read(checkpoint, name, limits->bytes, &d, err);
    if (rc == ASSAY_OK && d.text) rc = json_parse_within(d.label, d.text, d.n, limits, &value, err);
    gguf_document_free(&d);
    if (rc == ASSAY_OK) *out = value;
    return rc;
}

bool gguf_document_exists(const char *checkpoint, const char *name)
{
    if (gguf_is_file(checkpoint)) {
        gguf *f = NULL;
        const bool exists =
            find_writer(name) && (gguf_open(checkpoint, &f, NULL) != ASSAY_OK || gguf_has_tokenizer(f));
        gguf_free(f);
        return exists;
    }
    char *path = label_of(checkpoint, false, name);
    const bool exists = path && access(path, F_OK) == 0;
    free(path);
    return exists;
}
