/* Finding cases below directories.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_FIND_H
#define CONFORMANCE_CASE_FIND_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the file name is that of a case: .h5, .json or .json.gz. *stem (stem may be NULL) is then set
 * to the length of the path without the extension. */
bool conf_case_is_named(const char *path, size_t *stem);

typedef struct conf_found {
    char *id;        /* without extension; see conf_find_all. Without control characters */
    char *path;      /* relative to the working directory, or absolute if the argument was */
    bool scanned;    /* found in a directory, not named by the user */
    bool no_case;    /* an observation or a schedule that was found in a directory, if it has been divided
                      * into shards */
    size_t position; /* among the selected cases of all shards; see conf_find_number */
} conf_found;

/* A part of the selected cases.
 * selection: a hash of the ids of the cases of all shards, in their order (conf_shard_hash_id).
 * division: a hash of the shard of each, and of whether it is a case (conf_shard_hash_place); 0 for 1 of 1.
 */
typedef struct conf_shard {
    size_t index, total; /* 1 <= index <= total; 1 of 1: all cases */
    size_t n_selected;   /* cases of all shards */
    uint64_t selection, division;
} conf_shard;

typedef struct conf_found_list {
    conf_found *at;
    size_t n;
    conf_shard shard; /* set by conf_find_number */
} conf_found_list;

/* Adds the cases of `argument`: the file itself, or every file below the directory that has a case's
 * name (conf_case_is_named), sorted bytewise by id. Checkpoints (directories with a config.json, or
 * called model) and hidden entries are skipped; links to directories are not followed. Fails with
 * ASSAY_EIO, ASSAY_ENOMEM, and ASSAY_EINVAL for a file without a case's name. conf_found_free frees the
 * list, also after a failure. */
assay_status conf_find(const char *argument, conf_found_list *list, assay_error *err);

/* The same for several arguments. The id of a case is its path below the named directory. With several
 * directories, ids begin after their common prefix, so that cases of the same name in different directories
 * have different ids: "a/x" and "b/x" for the arguments dir/a and dir/b. The id of a named file is its
 * path. */
assay_status conf_find_all(const char *const *arguments, size_t n, conf_found_list *list, assay_error *err);

/* Keeps the cases whose id matches the pattern: a glob in which '*' also matches '/', or a substring of
 * the id if the pattern has none of the characters "*?[". */
void conf_find_filter(conf_found_list *list, const char *pattern);

/* FNV-1a (64 bits) over the bytes of an id. */
uint64_t conf_find_hash(const char *id);

/* Keeps the cases for which `keep` returns true; i: the index in the list so far. */
void conf_found_keep(conf_found_list *list,
                     bool (*keep)(size_t i, const conf_found *found, const void *context),
                     const void *context);

/* Frees the cases; list->shard stays. */
void conf_found_free(conf_found_list *list);

#endif
