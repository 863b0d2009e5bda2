/* Unpacks an archive of seeds, and adds files to it:
 *
 *     corpus unpack ARCHIVE DIRECTORY    writes each seed to DIRECTORY/NAME
 *     corpus add ARCHIVE FILE…           adds each file as a seed of its name; makes the archive if there is
 * none
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/json_bytes.h"
#include "fuzz/seeds.h"

#define SEED_MOST ((size_t)16 << 20)

typedef struct seed {
    char *name;
    buffer bytes;
} seed;

typedef struct seeds {
    seed *at; /* [n], by name */
    size_t n;
} seeds;

static void require_memory(bool enough)
{
    if (enough) return;
    (void)fputs("out of memory\n", stderr);
    exit(1);
}

static void append_seed(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    seeds *all = context;
    seed *grown = grow_by_one(all->at, all->n, sizeof *grown);
    require_memory(grown);
    all->at = grown;
    grown[all->n] = (seed){.name = strdup(name)};
    require_memory(grown[all->n].name && buffer_append(&grown[all->n].bytes, (const char *)bytes, n));
    all->n++;
}

static void free_seeds(seeds *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->at[i].name);
        buffer_free(&all->at[i].bytes);
    }
    free(all->at);
}

static assay_status write_file(const char *path, const char *bytes, size_t n, assay_error *err)
{
    FILE *out = fopen(path, "wb");
    if (!out) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    const bool written = n == 0 || fwrite(bytes, 1, n, out) == n;
    if (fclose(out) == 0 && written) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
}

static assay_status unpack(const seeds *all, const char *dir, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < all->n && rc == ASSAY_OK; i++) {
        char path[4200];
        (void)snprintf(path, sizeof path, "%s/%s", dir, all->at[i].name);
        rc = write_file(path, all->at[i].bytes.data, all->at[i].bytes.n, err);
    }
    return rc;
}

static int compare_seeds(const void *a, const void *b)
{
    const seed *one = a, *other = b;
    return strcmp(one->name, other->name);
}

/* Fails if no new seed can have the name of the file. */
static assay_status check_name(const seeds *all, const char *path, const char *name, assay_error *err)
{
    if (!fuzz_seed_name_is(name))
        return assay_fail(err, ASSAY_EINVAL, "%s: its name cannot be that of a seed", path);
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].name, name) == 0)
            return assay_fail(err, ASSAY_EINVAL, "%s: found the name of an older seed, expected a new one",
                              path);
    return ASSAY_OK;
}

static assay_status add_file(seeds *all, const char *path, assay_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    assay_status rc = check_name(all, path, name, err);
    if (rc == ASSAY_OK) rc = file_read(path, SEED_MOST, &bytes, &n, err);
    if (rc == ASSAY_OK) append_seed(all, name, (const uint8_t *)bytes, n);
    if (rc == ASSAY_OK) qsort(all->at, all->n, sizeof *all->at, compare_seeds);
    free(bytes);
    return rc;
}

static void append_line(buffer *out, const seed *s)
{
    json_object *line = json_object_new_object();
    require_memory(line && json_object_object_add(line, "name", json_object_new_string(s->name)) == 0 &&
                   json_bytes_add(line, "bytes", s->bytes.data, s->bytes.n));
    require_memory(
        buffer_append_string(out, json_object_to_json_string_ext(line, JSON_C_TO_STRING_SPACED |
                                                                           JSON_C_TO_STRING_NOSLASHESCAPE)) &&
        buffer_append_string(out, "\n"));
    json_object_put(line);
}

/* Writes another file and renames it: an archive is never half written. */
static assay_status write_archive(const seeds *all, const char *path, assay_error *err)
{
    buffer text = {0};
    char new[4200];
    (void)snprintf(new, sizeof new, "%s.new", path);
    for (size_t i = 0; i < all->n; i++) append_line(&text, &all->at[i]);
    assay_status rc = write_file(new, text.data, text.n, err);
    if (rc == ASSAY_OK && rename(new, path) != 0)
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    buffer_free(&text);
    return rc;
}

int main(int argc, char **argv)
{
    assay_error err;
    seeds all = {0};
    assay_status rc = ASSAY_OK;
    const bool adds = argc > 3 && strcmp(argv[1], "add") == 0;
    if (!adds && (argc != 4 || strcmp(argv[1], "unpack") != 0)) {
        (void)fputs("usage: corpus unpack ARCHIVE DIRECTORY | corpus add ARCHIVE FILE...\n", stderr);
        return 2;
    }
    if (!adds || access(argv[2], F_OK) == 0) rc = fuzz_seeds_read(argv[2], append_seed, &all, &err);
    for (int i = 3; adds && i < argc && rc == ASSAY_OK; i++) rc = add_file(&all, argv[i], &err);
    if (rc == ASSAY_OK) rc = adds ? write_archive(&all, argv[2], &err) : unpack(&all, argv[3], &err);
    if (rc != ASSAY_OK) (void)fprintf(stderr, "%s\n", err.text);
    free_seeds(&all);
    return rc == ASSAY_OK ? 0 : 1;
}
