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

#define LIST_BYTES_MAX ((size_t)1 << 20)
#define DIGITS         "0123456789abcdef"

/* Of the files from which engines read weights, settings and texts. */
#define SUFFIXES ".safetensors .bin .gguf .npz .pth .json .jinja .model .txt"

enum { N_DIGITS = 8, N_SPACES = 2, BLOCK = 1 << 16 };

assay_status conf_checksums_sum(const char *path, uint32_t *sum, assay_error *err)
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

/* The list of a checkpoint. path: borrowed. */
typedef struct checksum_list {
    const char *path;
    char *text;
    listed_file *files; /* [n] */
    size_t n;
} checksum_list;

static bool parse_line(const char *line, listed_file *out)
{
    if (strspn(line, DIGITS) != N_DIGITS || strspn(line + N_DIGITS, " ") != N_SPACES) return false;
    const char *name = line + N_DIGITS + N_SPACES;
    if (!*name || strchr(name, '/') || strcmp(name, "..") == 0) return false;
    *out = (listed_file){name, (uint32_t)strtoul(line, NULL, 16)};
    return true;
}

static assay_status parse_lines(checksum_list *l, size_t size, assay_error *err)
{
    for (char *line = l->text, *end; line < l->text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(l->text + size - line));
        if (!end) end = l->text + size;
        *end = '\0';
        listed_file *grown = grow_by_one(l->files, l->n, sizeof *grown);
        if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", l->path);
        l->files = grown;
        if (!parse_line(line, &l->files[l->n]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: found \"%.80s\", expected a checksum and a file",
                              l->path, line);
        l->n++;
    }
    return ASSAY_OK;
}

static assay_status compare_file(const char *dir, const char *list, const listed_file *f, assay_error *err)
{
    char path[PATH_MAX];
    uint32_t found = 0;
    const int n = snprintf(path, sizeof path, "%s/%s", dir, f->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the path of %.80s is too long", list, f->name);
    const assay_status rc = conf_checksums_sum(path, &found, err);
    if (rc != ASSAY_OK || found == f->sum) return rc;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: its CRC-32 is %08" PRIx32 ", recorded was %08" PRIx32
                      ": not the file that the case was recorded with",
                      path, found, f->sum);
}

bool conf_checksums_cover(const char *name)
{
    const char *suffix = strrchr(name, '.');
    const size_t n = suffix ? strlen(suffix) : 0;
    for (const char *s = SUFFIXES; n && (s = strstr(s, suffix)); s += n)
        if (s[n] == ' ' || s[n] == '\0') return true;
    return false;
}

static int needs_line(const struct dirent *entry)
{
    return conf_checksums_cover(entry->d_name);
}

static bool has_line(const checksum_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->files[i].name, name) == 0) return true;
    return false;
}

static assay_status check_complete(const char *dir, const checksum_list *l, assay_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(dir, &entries, needs_line, alphasort);
    if (n < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", dir, strerror(errno));
    assay_status rc = ASSAY_OK;
    for (int i = 0; i < n; i++) {
        if (rc == ASSAY_OK && !has_line(l, entries[i]->d_name))
            rc = assay_fail(err, ASSAY_EFORMAT,
                            "%s: found no line for %s/%s, expected one for each file with a name in %s",
                            l->path, dir, entries[i]->d_name, SUFFIXES);
        free(entries[i]);
    }
    free(entries);
    return rc;
}

/* A checkpoint that is a file, of a GGUF checkpoint the first: its own line is required, and those of other
 * parts are compared if there are any. */
static assay_status check_own_line(const char *file, const char *name, const checksum_list *l,
                                   assay_error *err)
{
    if (has_line(l, name)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: found no line for %s, expected one", l->path, file);
}

/* Compares the files of the list, which lie in `dir`. file: the checkpoint, if it is a file. */
static assay_status compare_files(const char *dir, const char *file, const checksum_list *l, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < l->n; i++) rc = compare_file(dir, l->path, &l->files[i], err);
    if (rc != ASSAY_OK) return rc;
    return file ? check_own_line(file, basename(file), l, err) : check_complete(dir, l, err);
}

/* The directory of a file, which the caller frees; NULL if out of memory. */
static char *directory_of(const char *file)
{
    const char *name = basename(file);
    if (name == file) return strdup(".");
    return name - file == 1 ? strdup("/") : strndup(file, (size_t)(name - file) - 1);
}

static assay_status compare_list(const char *checkpoint, const checksum_list *l, assay_error *err)
{
    struct stat s;
    if (stat(checkpoint, &s) != 0 || !S_ISREG(s.st_mode)) return compare_files(checkpoint, NULL, l, err);
    char *dir = directory_of(checkpoint);
    if (!dir) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    const assay_status rc = compare_files(dir, checkpoint, l, err);
    free(dir);
    return rc;
}

assay_status conf_checksums_compare(const char *checkpoint, const char *path, assay_error *err)
{
    checksum_list l = {.path = path};
    size_t size = 0;
    assay_status rc = file_read(path, LIST_BYTES_MAX, &l.text, &size, err);
    if (rc != ASSAY_OK) return rc == ASSAY_EUNSUPPORTED ? ASSAY_EFORMAT : rc; /* too large */
    rc = parse_lines(&l, size, err);
    if (rc == ASSAY_OK) rc = compare_list(checkpoint, &l, err);
    free(l.files);
    free(l.text);
    return rc;
}

/* Writes the path of the list of `checkpoint`: of a file of the directory `named`, or its own. A list exists
 * unless the system says that it does not: a list that cannot be read is an error. */
static assay_status find_list(const char *named, char path[PATH_MAX], bool *exists, assay_error *err)
{
    struct stat s;
    const int n = snprintf(path, PATH_MAX, "%s" CONF_CHECKSUMS_SUFFIX, named);
    if (n < 0 || n >= PATH_MAX)
        return assay_fail(err, ASSAY_EIO, "%s" CONF_CHECKSUMS_SUFFIX ": %s", named, strerror(ENAMETOOLONG));
    *exists = lstat(path, &s) == 0 || (errno != ENOENT && errno != ENOTDIR);
    return ASSAY_OK;
}

assay_status conf_checksums_check(const char *dir, assay_error *err)
{
    char path[PATH_MAX];
    struct stat s;
    bool exists = false;
    assay_status rc = find_list(dir, path, &exists, err);
    if (rc == ASSAY_OK && !exists && stat(dir, &s) == 0 && S_ISREG(s.st_mode)) {
        char *around = directory_of(dir);
        if (!around) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
        rc = find_list(around, path, &exists, err);
        free(around);
    }
    return rc == ASSAY_OK && exists ? conf_checksums_compare(dir, path, err) : rc;
}
