/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/metadata.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

static assay_status fail_type(const gguf *f, const char *key, const gguf_value *v, const char *expected,
                              assay_error *err)
{
    double number;
    char shown[64] = "";
    if (!v->is_array && gguf_value_number(v, 0, &number))
        (void)snprintf(shown, sizeof shown, " (%.17g)", number);
    return assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found type %s%s%s, expected %s", gguf_path(f), key,
                      v->is_array ? "array of " : "", gguf_kind_name(v->kind), shown, expected);
}

assay_status gguf_get_unsigned(const gguf *f, const char *key, uint64_t *out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v || (!v->is_array && gguf_value_unsigned(v, 0, out))) return ASSAY_OK;
    return fail_type(f, key, v, "an integer that is not negative", err);
}

assay_status gguf_get_number(const gguf *f, const char *key, double *out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v || (!v->is_array && gguf_value_number(v, 0, out))) return ASSAY_OK;
    return fail_type(f, key, v, "a number", err);
}

assay_status gguf_get_bool(const gguf *f, const char *key, bool *out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v || (!v->is_array && gguf_value_bool(v, 0, out))) return ASSAY_OK;
    return fail_type(f, key, v, "bool", err);
}

assay_status gguf_get_text(const gguf *f, const char *key, assay_text *out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v) return ASSAY_OK;
    if (v->is_array || v->kind != GGUF_TEXT) return fail_type(f, key, v, "string", err);
    gguf_texts texts = gguf_value_texts(v);
    (void)gguf_texts_next(&texts, out);
    return ASSAY_OK;
}

assay_status gguf_get_texts(const gguf *f, const char *key, const gguf_value **out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v) return ASSAY_OK;
    if (!v->is_array || v->kind != GGUF_TEXT) return fail_type(f, key, v, "array of string", err);
    *out = v;
    return ASSAY_OK;
}

assay_status gguf_get_numbers(const gguf *f, const char *key, const gguf_value **out, assay_error *err)
{
    const gguf_value *v = gguf_get(f, key);
    if (!v) return ASSAY_OK;
    if (!v->is_array || v->kind == GGUF_TEXT || v->kind == GGUF_BOOL)
        return fail_type(f, key, v, "an array of numbers", err);
    *out = v;
    return ASSAY_OK;
}

assay_status gguf_require(const gguf *f, const char *key, assay_error *err)
{
    if (gguf_get(f, key)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found nothing, expected a value", gguf_path(f), key);
}
