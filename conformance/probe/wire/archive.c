/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/json_bytes.h"
#include "base/json_lines.h"
#include "conformance/probe/wire/record.h"
#include "conformance/support/directories.h"

/* A body in which every byte is an escape of six, or in base64, and all arrivals, which are three values
 * each. */
static const json_limits line_limits = {8 * PROBE_BODY_MAX, 4 * PROBE_ARRIVALS_MAX};

typedef struct entry {
    char *label;
    json_lines_at at;
} entry;

struct probe_archive {
    char *path;
    FILE *out;         /* of an archive that is written; else NULL */
    json_lines *lines; /* of an archive that is read; else NULL */
    entry *entries;    /* [n], by label */
    size_t n;
};

static assay_status fail_memory(const char *path, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
}

static probe_archive *make(const char *path)
{
    probe_archive *a = calloc(1, sizeof *a);
    if (a) a->path = strdup(path);
    if (a && a->path) return a;
    free(a);
    return NULL;
}

void probe_archive_close(probe_archive *archive)
{
    if (!archive) return;
    if (archive->out) (void)fclose(archive->out);
    json_lines_close(archive->lines);
    for (size_t i = 0; i < archive->n; i++) free(archive->entries[i].label);
    free(archive->entries);
    free(archive->path);
    free(archive);
}

/* Frees the document; NULL: there was no memory for it. */
static assay_status write_line(probe_archive *a, json_object *document, assay_error *err)
{
    const int form = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
    const char *text = document ? json_object_to_json_string_ext(document, form) : NULL;
    assay_status rc = text ? ASSAY_OK : fail_memory(a->path, err);
    if (text && (fputs(text, a->out) < 0 || fputc('\n', a->out) == EOF || fflush(a->out) != 0))
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", a->path, strerror(errno));
    json_object_put(document);
    return rc;
}

assay_status probe_archive_create(const char *path, const char *url, uint32_t number, probe_archive **out,
                                  assay_error *err)
{
    probe_archive *a = make(path);
    assay_status rc = a ? conf_directories_make(path, err) : fail_memory(path, err);
    if (rc == ASSAY_OK && !(a->out = fopen(path, "wxb")))
        rc = errno == EEXIST ? assay_fail(err, ASSAY_EIO, "%s: it exists already: expected a new file", path)
                             : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    if (rc == ASSAY_OK) rc = write_line(a, probe_record_run(url, number), err);
    if (rc != ASSAY_OK) probe_archive_close(a);
    else *out = a;
    return rc;
}

assay_status probe_archive_write(probe_archive *archive, const probe_exchange *x, assay_error *err)
{
    json_object *d = probe_record_exchange(x);
    if (d && (!json_bytes_add(d, "request", x->request.data, x->request.n) ||
              !json_bytes_add(d, "response", x->body.data, x->body.n))) {
        json_object_put(d);
        d = NULL;
    }
    return write_line(archive, d, err);
}

static assay_status read_run(probe_archive *a, char **url, uint32_t *number, assay_error *err)
{
    json_object *document = NULL;
    bool more;
    assay_status rc = json_lines_next(a->lines, &document, &more, err);
    if (rc != ASSAY_OK) return rc;
    const conf_json_at at = {.name = json_lines_place(a->lines), .value = document};
    if (more) rc = probe_record_read_run(&at, url, number, err);
    else
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: found the end of the file, expected the members of a saved run", at.name);
    json_object_put(document);
    return rc;
}

/* Reads the next line into *x, which the caller frees in any case. */
static assay_status read_exchange(probe_archive *a, probe_exchange *x, bool *more, assay_error *err)
{
    json_object *document = NULL;
    *x = (probe_exchange){0};
    assay_status rc = json_lines_next(a->lines, &document, more, err);
    if (rc != ASSAY_OK || !*more) return rc;
    const conf_json_at at = {.name = json_lines_place(a->lines), .value = document};
    rc = probe_record_read_exchange(&at, true, x, err);
    json_object_put(document);
    return rc;
}

static assay_status add_entry(probe_archive *a, const char *label, json_lines_at at, assay_error *err)
{
    entry *grown = grow_by_one(a->entries, a->n, sizeof *grown);
    if (!grown) return fail_memory(a->path, err);
    a->entries = grown;
    grown[a->n] = (entry){strdup(label), at};
    if (!grown[a->n].label) return fail_memory(a->path, err);
    a->n++;
    return ASSAY_OK;
}

static int compare_labels(const void *a, const void *b)
{
    const entry *one = a, *other = b;
    return strcmp(one->label, other->label);
}

static int compare_entries(const void *a, const void *b)
{
    const entry *one = a, *other = b;
    const int order = compare_labels(a, b);
    return order ? order : one->at.number < other->at.number ? -1 : 1;
}

/* Puts the entries in the order of their labels. */
static assay_status sort_entries(probe_archive *a, assay_error *err)
{
    if (a->n) qsort(a->entries, a->n, sizeof *a->entries, compare_entries);
    for (size_t i = 1; i < a->n; i++) {
        const entry *first = &a->entries[i - 1], *again = &a->entries[i];
        if (strcmp(first->label, again->label) != 0) continue;
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s, line %zu: label: found %s, which line %zu has, expected a new one", a->path,
                          again->at.number, again->label, first->at.number);
    }
    return ASSAY_OK;
}

static assay_status read_entries(probe_archive *a, assay_error *err)
{
    for (bool more = true; more;) {
        probe_exchange x;
        const json_lines_at at = json_lines_tell(a->lines);
        assay_status rc = read_exchange(a, &x, &more, err);
        if (rc == ASSAY_OK && more) rc = add_entry(a, x.label, at, err);
        probe_exchange_free(&x);
        if (rc != ASSAY_OK) return rc;
    }
    return sort_entries(a, err);
}

assay_status probe_archive_open(const char *path, probe_archive **out, char **url, uint32_t *number,
                                assay_error *err)
{
    char *found = NULL;
    probe_archive *a = make(path);
    assay_status rc = a ? json_lines_open(path, &line_limits, &a->lines, err) : fail_memory(path, err);
    if (rc == ASSAY_OK) rc = read_run(a, &found, number, err);
    if (rc == ASSAY_OK) rc = read_entries(a, err);
    if (rc != ASSAY_OK) {
        free(found);
        probe_archive_close(a);
        return rc;
    }
    *url = found;
    *out = a;
    return ASSAY_OK;
}

size_t probe_archive_count(const probe_archive *archive)
{
    return archive->n;
}

assay_status probe_archive_get(probe_archive *archive, size_t i, probe_exchange *x, assay_error *err)
{
    bool more;
    json_lines_seek(archive->lines, archive->entries[i].at);
    const assay_status rc = read_exchange(archive, x, &more, err);
    if (rc != ASSAY_OK || (more && strcmp(x->label, archive->entries[i].label) == 0)) return rc;
    return assay_fail(err, ASSAY_EIO,
                      "%s: found no exchange %s in line %zu, where it was: the file has changed",
                      archive->path, archive->entries[i].label, archive->entries[i].at.number);
}

assay_status probe_archive_read(probe_archive *archive, probe_exchange *x, assay_error *err)
{
    const entry key = {.label = x->label};
    const entry *found =
        archive->n ? bsearch(&key, archive->entries, archive->n, sizeof key, compare_labels) : NULL;
    if (!found) {
        probe_exchange_end(x, PROBE_NOT_SAVED, "the saved run has no exchange of this label");
        return ASSAY_OK;
    }
    probe_exchange stored;
    const assay_status rc = probe_archive_get(archive, (size_t)(found - archive->entries), &stored, err);
    if (rc == ASSAY_OK) probe_record_answer(x, &stored);
    probe_exchange_free(&stored);
    return rc;
}
