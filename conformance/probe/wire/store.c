/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/wire/archive.h"
#include "conformance/probe/wire/directory.h"

static const char suffix[] = ".jsonl";

struct probe_store {
    probe_archive *archive; /* NULL: a directory */
    char *dir;              /* NULL: an archive */
};

static size_t length_of_stem(const char *path)
{
    const size_t n = strlen(path), n_suffix = sizeof suffix - 1;
    return n > n_suffix && strcmp(path + n - n_suffix, suffix) == 0 ? n - n_suffix : 0;
}

bool probe_store_is_archive(const char *path)
{
    return length_of_stem(path) && !strstr(path, "://");
}

bool probe_store_is(const char *path)
{
    return probe_store_is_archive(path) || probe_directory_is(path);
}

/* *out: a store without an archive. */
static assay_status make(const char *path, probe_store **out, assay_error *err)
{
    probe_store *s = calloc(1, sizeof *s);
    if (s && !probe_store_is_archive(path)) s->dir = strdup(path);
    if (!s || (!s->dir && !probe_store_is_archive(path))) {
        free(s);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    *out = s;
    return ASSAY_OK;
}

assay_status probe_store_create(const char *path, const char *url, uint32_t number, probe_store **out,
                                assay_error *err)
{
    probe_store *s = NULL;
    assay_status rc = make(path, &s, err);
    if (rc == ASSAY_OK)
        rc = s->dir ? probe_directory_create(path, url, number, err)
                    : probe_archive_create(path, url, number, &s->archive, err);
    if (rc != ASSAY_OK) probe_store_close(s);
    else *out = s;
    return rc;
}

assay_status probe_store_open(const char *path, probe_store **out, char **url, uint32_t *number,
                              assay_error *err)
{
    probe_store *s = NULL;
    assay_status rc = make(path, &s, err);
    if (rc == ASSAY_OK)
        rc = s->dir ? probe_directory_open(path, url, number, err)
                    : probe_archive_open(path, &s->archive, url, number, err);
    if (rc != ASSAY_OK) probe_store_close(s);
    else *out = s;
    return rc;
}

void probe_store_close(probe_store *store)
{
    if (!store) return;
    probe_archive_close(store->archive);
    free(store->dir);
    free(store);
}

assay_status probe_store_write(probe_store *store, const probe_exchange *x, assay_error *err)
{
    return store->dir ? probe_directory_write(store->dir, x, err)
                      : probe_archive_write(store->archive, x, err);
}

assay_status probe_store_read(probe_store *store, probe_exchange *x, assay_error *err)
{
    return store->dir ? probe_directory_read(store->dir, x, err) : probe_archive_read(store->archive, x, err);
}

char *probe_store_observations(const char *path)
{
    char *out = NULL;
    const int n = probe_store_is_archive(path)
                      ? asprintf(&out, "%.*s.observations", (int)length_of_stem(path), path)
                      : asprintf(&out, "%s/observations", path);
    return n < 0 ? NULL : out;
}
