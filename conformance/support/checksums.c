/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/checksums.h"

#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

#define LIST_BYTES_MAX ((size_t)1 << 20)
#define DIGITS         "0123456789abcdef"

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

/* The name of a file in a line of the list; NULL if the line is malformed. */
static const char *parse_line(const char *line, uint32_t *sum)
{
    if (strspn(line, DIGITS) != N_DIGITS || strspn(line + N_DIGITS, " ") != N_SPACES) return NULL;
    const char *name = line + N_DIGITS + N_SPACES;
    if (!*name || strchr(name, '/') || strcmp(name, "..") == 0) return NULL;
    *sum = (uint32_t)strtoul(line, NULL, 16);
    return name;
}

static assay_status check_line(const char *dir, const char *list, const char *line, assay_error *err)
{
    char path[PATH_MAX];
    uint32_t expected = 0, found = 0;
    const char *name = parse_line(line, &expected);
    if (!name)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found \"%.80s\", expected a checksum and a file", list,
                          line);
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the path of %.80s is too long", list, name);
    const assay_status rc = sum_file(path, &found, err);
    if (rc != ASSAY_OK || found == expected) return rc;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: its CRC-32 is %08" PRIx32 ", recorded was %08" PRIx32
                      ": not the file that the case was recorded with",
                      path, found, expected);
}

assay_status conf_checksums_compare(const char *dir, const char *path, assay_error *err)
{
    char *list = NULL;
    size_t size = 0;
    assay_status rc = file_read(path, LIST_BYTES_MAX, &list, &size, err);
    if (rc != ASSAY_OK) return rc == ASSAY_EUNSUPPORTED ? ASSAY_EFORMAT : rc; /* too large */
    for (char *line = list, *end; rc == ASSAY_OK && line < list + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(list + size - line));
        if (!end) end = list + size;
        *end = '\0';
        rc = check_line(dir, path, line, err);
    }
    free(list);
    return rc;
}

assay_status conf_checksums_check(const char *dir, assay_error *err)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s.crc32", dir);
    if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0) return ASSAY_OK;
    return conf_checksums_compare(dir, path, err);
}
