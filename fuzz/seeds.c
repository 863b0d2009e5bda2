/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/seeds.h"

#include "base/error.h"
#include "base/json_bytes.h"
#include "base/json_lines.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128 };

static const json_limits line_limits = {(size_t)64 << 20, 4};

void fuzz_seeds_path(const char *target, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/fuzz/seeds/%s.jsonl", fuzz_top(), target);
}

bool fuzz_seed_name_is(const char *name)
{
    const size_t n = strlen(name);
    if (n == 0 || n >= NAME_MAX_BYTES || name[0] == '.' || strchr(name, '/')) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= 0x20 || *c == 0x7f) return false;
    return true;
}

/* Reads the name, which must be greater than that of the line before. */
static assay_status read_name(const char *place, json_object *seed, char name[NAME_MAX_BYTES],
                              assay_error *err)
{
    json_object *value = NULL;
    if (!json_object_is_type(seed, json_type_object) || json_object_object_length(seed) != 2)
        return assay_fail(err, ASSAY_EFORMAT, "%s: expected an object of name, and bytes or bytes_base64",
                          place);
    const char *found = json_object_object_get_ex(seed, "name", &value) ? json_text(value) : NULL;
    if (!found || !fuzz_seed_name_is(found))
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: name: found %s, expected 1 to %d bytes without blanks and slashes, and no dot at the start",
            place, found ? found : "no text", NAME_MAX_BYTES - 1);
    if (strcmp(found, name) <= 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: name: found %s after %s, expected names in ascending order", place, found,
                          name);
    (void)strcpy(name, found);
    return ASSAY_OK;
}

static assay_status read_seed(const char *place, json_object *seed, char name[NAME_MAX_BYTES], buffer *bytes,
                              assay_error *err)
{
    const assay_status rc = read_name(place, seed, name, err);
    return rc == ASSAY_OK ? json_bytes_read(place, seed, "bytes", bytes, err) : rc;
}

/* Passes the bytes on in an allocation of their size, so that reading past their end is found. */
static void pass_on(const buffer *bytes, const char *name, fuzz_take_seed *take, void *context)
{
    uint8_t *exact = malloc(bytes->n ? bytes->n : 1);
    fuzz_require(exact != NULL, "there is memory for a seed");
    if (bytes->n) memcpy(exact, bytes->data, bytes->n);
    take(context, name, exact, bytes->n);
    free(exact);
}

assay_status fuzz_seeds_read(const char *path, fuzz_take_seed *take, void *context, assay_error *err)
{
    char name[NAME_MAX_BYTES] = "";
    json_lines *lines;
    bool more = true;
    assay_status rc = json_lines_open(path, &line_limits, &lines, err);
    if (rc != ASSAY_OK) return rc;
    while (rc == ASSAY_OK && more) {
        json_object *seed = NULL;
        buffer bytes = {0};
        rc = json_lines_next(lines, &seed, &more, err);
        if (rc == ASSAY_OK && more) rc = read_seed(json_lines_place(lines), seed, name, &bytes, err);
        if (rc == ASSAY_OK && more) pass_on(&bytes, name, take, context);
        json_object_put(seed);
        buffer_free(&bytes);
    }
    json_lines_close(lines);
    return rc;
}

typedef struct wanted {
    const char *name, *path;
} wanted;

static void write_wanted(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    wanted *w = context;
    if (strcmp(name, w->name) == 0) w->path = fuzz_write(name, bytes, n);
}

const char *fuzz_seed_write(const char *target, const char *name)
{
    char archive[4200];
    wanted w = {.name = name};
    fuzz_seeds_path(target, archive, sizeof archive);
    fuzz_require(fuzz_seeds_read(archive, write_wanted, &w, NULL) == ASSAY_OK && w.path, "the seed is there");
    return w.path;
}
