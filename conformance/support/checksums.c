/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/checksums.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"

#define LIST_BYTES_MAX ((size_t)16 << 20)
#define DIGITS         "0123456789abcdef"

/* Of the files from which engines read weights, settings and texts. */
#define SUFFIXES ".safetensors .bin .gguf .npz .pth .json .jinja .model .txt"

enum { N_DIGITS = 8, N_SPACES = 2, BLOCK = 1 << 16 };

static assay_status sum_file(const char *path, uint32_t *sum, assay_error *err)
{
    unsigned char block[BLOCK];
    int fd;
    size_t size;
    assay_status rc = file_open(path, &fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    *sum = 0;
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) *sum = libdeflate_crc32(*sum, block, (size_t)n);
    if (n < 0) rc = assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    (void)close(fd);
    return rc;
}

/* A line of the list. name: borrowed from the text of the list. */
typedef struct listed_file {
    const char *name;
    uint32_t sum;
} listed_file;

/* The list of a checkpoint, or the lines of the checkpoint in an index. path: borrowed. */
typedef struct checksum_list {
    const char *path;
    char *text;
    listed_file *files; /* [n] */
    size_t n;
} checksum_list;

static void free_list(checksum_list *l)
{
    free(l->files);
    free(l->text);
}

static bool parse_line(const char *line, listed_file *out)
{
    if (strspn(line, DIGITS) != N_DIGITS || strspn(line + N_DIGITS, " ") != N_SPACES) return false;
    const char *name = line + N_DIGITS + N_SPACES;
    *out = (listed_file){name, (uint32_t)strtoul(line, NULL, 16)};
    return *name;
}

static bool is_file_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, "..") != 0;
}

/* Adds a line to the list. below: the names of the checkpoint's files start with it, and lines of other files
 * are left out. */
static assay_status add_line(checksum_list *l, const char *line, const char *below, assay_error *err)
{
    listed_file file;
    const bool valid = parse_line(line, &file);
    if (valid && strncmp(file.name, below, strlen(below)) != 0) return ASSAY_OK;
    if (valid) file.name += strlen(below);
    if (!valid || !is_file_name(file.name))
        return assay_fail(err, ASSAY_EFORMAT, "%s: found \"%.80s\", expected a checksum and a file", l->path,
                          line);
    listed_file *grown = grow_by_one(l->files, l->n, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", l->path);
    l->files = grown;
    l->files[l->n++] = file;
    return ASSAY_OK;
}

/* Reads the lines of l->path whose names start with `below`. */
static assay_status read_list(checksum_list *l, const char *below, assay_error *err)
{
    size_t size = 0;
    assay_status rc = file_read(l->path, LIST_BYTES_MAX, &l->text, &size, err);
    if (rc == ASSAY_EUNSUPPORTED) return ASSAY_EFORMAT; /* too large */
    for (char *line = l->text, *end; rc == ASSAY_OK && line < l->text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(l->text + size - line));
        if (!end) end = l->text + size;
        *end = '\0';
        rc = add_line(l, line, below, err);
    }
    return rc;
}

static assay_status compare_file(const char *dir, const char *list, const listed_file *f, assay_error *err)
{
    char path[PATH_MAX];
    uint32_t found = 0;
    const int n = snprintf(path, sizeof path, "%s/%s", dir, f->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the path of %.80s is too long", list, f->name);
    const assay_status rc = sum_file(path, &found, err);
    if (rc != ASSAY_OK || found == f->sum) return rc;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: its CRC-32 is %08" PRIx32 ", recorded was %08" PRIx32
                      ": not the file that the case was recorded with",
                      path, found, f->sum);
}

/* Whether the name ends with one of SUFFIXES. */
static int needs_line(const struct dirent *entry)
{
    const char *suffix = strrchr(entry->d_name, '.');
    const size_t n = suffix ? strlen(suffix) : 0;
    for (const char *s = SUFFIXES; n && (s = strstr(s, suffix)); s += n)
        if (s[n] == ' ' || s[n] == '\0') return 1;
    return 0;
}

static const listed_file *find_line(const checksum_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->files[i].name, name) == 0) return &l->files[i];
    return NULL;
}

static assay_status check_complete(const char *dir, const checksum_list *l, assay_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(dir, &entries, needs_line, alphasort);
    if (n < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", dir, strerror(errno));
    assay_status rc = ASSAY_OK;
    for (int i = 0; i < n; i++) {
        if (rc == ASSAY_OK && !find_line(l, entries[i]->d_name))
            rc = assay_fail(err, ASSAY_EFORMAT,
                            "%s: found no line for %s/%s, expected one for each file with a name in %s",
                            l->path, dir, entries[i]->d_name, SUFFIXES);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static assay_status compare_files(const char *dir, const checksum_list *l, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < l->n; i++) rc = compare_file(dir, l->path, &l->files[i], err);
    return rc == ASSAY_OK ? check_complete(dir, l, err) : rc;
}

assay_status conf_checksums_compare(const char *dir, const char *path, assay_error *err)
{
    checksum_list l = {.path = path};
    assay_status rc = read_list(&l, "", err);
    if (rc == ASSAY_OK) rc = compare_files(dir, &l, err);
    free_list(&l);
    return rc;
}

/* Whether each line of `a` is in `b`, too. */
static assay_status check_same(const checksum_list *a, const checksum_list *b, assay_error *err)
{
    for (size_t i = 0; i < a->n; i++) {
        const listed_file *f = &a->files[i], *same = find_line(b, f->name);
        if (!same || same->sum != f->sum)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: found %08" PRIx32 "  %.80s, expected the same line in %s", a->path, f->sum,
                              f->name, b->path);
    }
    return ASSAY_OK;
}

/* Finds the index for a checkpoint. full: its path without symbolic links. Writes the path of the index.
 * Returns the checkpoint's path below the directory of the index, with '/' at its end, within `full`; NULL if
 * there is no index. */
static const char *find_index(const char *full, char path[PATH_MAX])
{
    struct stat s;
    for (size_t n = strlen(full) - 1; n-- > 0;) {
        if (full[n] != '/') continue;
        const int size = snprintf(path, PATH_MAX, "%.*s/%s", (int)n, full, CONF_CHECKSUMS_INDEX);
        if (size > 0 && size < PATH_MAX && lstat(path, &s) == 0) return full + n + 1;
    }
    return NULL;
}

/* The path of a directory, with '/' at its end: symbolic links above it are resolved, itself need not exist.
 * NULL if the directory above it does not exist, or out of memory. */
static char *resolve_parent(const char *dir)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/') n--;
    size_t at = n;
    while (at > 0 && dir[at - 1] != '/') at--;
    char *above = at ? strndup(dir, at) : strdup("."), *full = NULL;
    char *parent = above ? realpath(above, NULL) : NULL;
    if (parent && asprintf(&full, "%s/%.*s/", parent, (int)(n - at), dir + at) < 0) full = NULL;
    free(above);
    free(parent);
    return full;
}

/* Reads the lines of the checkpoint in the index. None if there is no index. path: receives that of the
 * index. */
static assay_status read_index(const char *dir, char path[PATH_MAX], checksum_list *l, assay_error *err)
{
    char *full = resolve_parent(dir);
    if (!full && errno == ENOMEM) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    const char *below = full ? find_index(full, path) : NULL;
    l->path = path;
    const assay_status rc = below ? read_list(l, below, err) : ASSAY_OK;
    free(full);
    return rc;
}

/* A list exists unless the system says that it does not: a list that cannot be read is an error. */
assay_status conf_checksums_check(const char *dir, assay_error *err)
{
    char path[PATH_MAX], index[PATH_MAX];
    struct stat s;
    const int n = snprintf(path, sizeof path, "%s.crc32", dir);
    if (n < 0 || (size_t)n >= sizeof path)
        return assay_fail(err, ASSAY_EIO, "%s.crc32: %s", dir, strerror(ENAMETOOLONG));
    const bool beside = lstat(path, &s) == 0 || (errno != ENOENT && errno != ENOTDIR);
    checksum_list own = {.path = path}, indexed = {0};
    assay_status rc = read_index(dir, index, &indexed, err);
    if (rc == ASSAY_OK && beside) rc = read_list(&own, "", err);
    if (rc == ASSAY_OK && beside && indexed.n) rc = check_same(&own, &indexed, err);
    if (rc == ASSAY_OK && beside && indexed.n) rc = check_same(&indexed, &own, err);
    if (rc == ASSAY_OK && (beside || indexed.n)) rc = compare_files(dir, beside ? &own : &indexed, err);
    free_list(&own);
    free_list(&indexed);
    return rc;
}
