/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/families.h"

#include <stdio.h>
#include <string.h>

const family_type *family_type_find(const char *model_type, const family_reader **reader)
{
    for (const family_reader *const *r = family_readers; *r; r++)
        for (const family_type *t = (*r)->types; t->model_type; t++)
            if (strcmp(t->model_type, model_type) == 0) {
                *reader = *r;
                return t;
            }
    return NULL;
}

const family_type *family_type_of_gguf(const char *architecture, size_t n)
{
    for (const family_reader *const *r = family_readers; *r; r++)
        for (const family_type *t = (*r)->types; t->model_type; t++)
            if (t->gguf && strlen(t->gguf->name) == n && memcmp(t->gguf->name, architecture, n) == 0)
                return t;
    return NULL;
}

size_t family_gguf_names(char *out, size_t size)
{
    size_t used = 0;
    for (const family_reader *const *r = family_readers; *r; r++)
        for (const family_type *t = (*r)->types; t->model_type && used < size; t++)
            if (t->gguf)
                used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", t->gguf->name);
    return used;
}

const char *family_type_similar(const char *model_type)
{
    const char *best = family_readers[0]->types[0].model_type;
    size_t n_best = 0;
    for (const family_reader *const *r = family_readers; *r; r++)
        for (const family_type *t = (*r)->types; t->model_type; t++) {
            size_t n = 0;
            while (model_type[n] && model_type[n] == t->model_type[n]) n++;
            if (n > n_best) {
                best = t->model_type;
                n_best = n;
            }
        }
    return best;
}

static bool is_text_type(const family_type *t, const char *type)
{
    return (t->text_type && strcmp(type, t->text_type) == 0) ||
           (t->older_text_type && strcmp(type, t->older_text_type) == 0);
}

const char *family_type_around(const char *text_type)
{
    for (const family_reader *const *r = family_readers; *r; r++)
        for (const family_type *t = (*r)->types; t->model_type; t++)
            if (is_text_type(t, text_type)) return t->model_type;
    return NULL;
}
