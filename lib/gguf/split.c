/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/split.h"

#include "base/error.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 65535 /* the key is a u16 */

static const char KEY_NO[] = "split.no", KEY_COUNT[] = "split.count", KEY_TENSORS[] = "split.tensors.count";

static assay_status read_integer(const gguf_part *p, const char *key, uint64_t *out, assay_error *err)
{
    const gguf_value *v = gguf_entries_get(&p->metadata, key);
    if (!v || (!v->is_array && gguf_value_unsigned(v, 0, out))) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: key '%s': found a value of type %s%s, expected an integer that is not negative",
                      p->path, key, v->is_array ? "array of " : "", gguf_kind_name(v->kind));
}

assay_status gguf_split_read(const gguf_part *p, gguf_split *out, assay_error *err)
{
    gguf_split split = {.count = 1, .has_n_tensors = gguf_entries_get(&p->metadata, KEY_TENSORS) != NULL};
    assay_status rc = read_integer(p, KEY_COUNT, &split.count, err);
    if (rc == ASSAY_OK) rc = read_integer(p, KEY_NO, &split.no, err);
    if (rc == ASSAY_OK) rc = read_integer(p, KEY_TENSORS, &split.n_tensors, err);
    if (rc == ASSAY_OK && (split.count == 0 || split.count > COUNT_MAX))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found %" PRIu64 ", expected 1 to %d", p->path,
                        KEY_COUNT, split.count, COUNT_MAX);
    if (rc == ASSAY_OK && split.no >= split.count)
        rc =
            assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found %" PRIu64 ", expected less than %s, %" PRIu64,
                       p->path, KEY_NO, split.no, KEY_COUNT, split.count);
    if (rc == ASSAY_OK) *out = split;
    return rc;
}

/* Length of "-00001-of-00003.gguf" at the end of path; 0 if it ends otherwise. */
static size_t suffix_length(const char *path)
{
    static const char FORM[] = "-00000-of-00000.gguf";
    const size_t n = strlen(path), size = sizeof FORM - 1;
    if (n < size) return 0;
    for (size_t i = 0; i < size; i++) {
        const char c = path[n - size + i];
        if (FORM[i] == '0' ? !isdigit((unsigned char)c) : c != FORM[i]) return 0;
    }
    return size;
}

char *gguf_split_path(const char *path, size_t index, uint64_t count)
{
    char *out = NULL;
    const size_t suffix = suffix_length(path);
    if (suffix == 0) return NULL;
    if (asprintf(&out, "%.*s-%05zu-of-%05" PRIu64 ".gguf", (int)(strlen(path) - suffix), path, index + 1,
                 count) < 0)
        return NULL;
    return out;
}

assay_status gguf_split_check_first(const gguf_part *p, const gguf_split *split, assay_error *err)
{
    if (split->count == 1) return ASSAY_OK;
    if (suffix_length(p->path) == 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: found file %" PRIu64 " of %" PRIu64
                          ", expected a name that ends in -00001-of-%05" PRIu64 ".gguf",
                          p->path, split->no + 1, split->count, split->count);
    char *first = gguf_split_path(p->path, 0, split->count);
    if (!first) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", p->path);
    assay_status rc = ASSAY_OK;
    if (split->no != 0 || strcmp(first, p->path) != 0)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: found file %" PRIu64 " of %" PRIu64 ", expected the first, %s", p->path,
                        split->no + 1, split->count, first);
    free(first);
    return rc;
}

assay_status gguf_split_check_other(const gguf_part *p, size_t index, const gguf_split *first,
                                    assay_error *err)
{
    gguf_split split = {0};
    const assay_status rc = gguf_split_read(p, &split, err);
    if (rc != ASSAY_OK || (split.no == index && split.count == first->count)) return rc;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found file %" PRIu64 " of %" PRIu64 ", expected file %zu of %" PRIu64
                      ", as its name says",
                      p->path, split.no + 1, split.count, index + 1, first->count);
}

assay_status gguf_split_check_total(const gguf_part *parts, size_t n, const gguf_split *first,
                                    assay_error *err)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += parts[i].tensors.n;
    if (!first->has_n_tensors || first->n_tensors == found) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found %zu tensors in %zu files, expected the %" PRIu64 " of key '%s'",
                      parts[0].path, found, n, first->n_tensors, KEY_TENSORS);
}
