/* Finding cases below directories.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_FIND_H
#define CONFORMANCE_CASE_FIND_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a file of this name can hold a case: .h5, .json, .json.gz. *stem: the length without the extension.
 */
bool conf_case_is_named(const char *path, size_t *stem);

typedef struct conf_found {
    char *id;     /* without extension: conf_find_all */
    char *path;   /* as the user would write it */
    bool scanned; /* found in a directory, not named by the user */
} conf_found;

typedef struct conf_found_list {
    conf_found *at;
    size_t n;
} conf_found_list;

/* Adds the cases that `argument` stands for: a file itself, or every file below a directory that is named
 * like one, sorted bytewise by id. Checkpoints (directories with a config.json, or called model) and hidden
 * entries are not searched, links to directories not followed. Fails with ASSAY_EIO; ASSAY_EINVAL for a file
 * whose name no case has. */
assay_status conf_find(const char *argument, conf_found_list *list, assay_error *err);

/* The same of several arguments. The id of a case is its path below the directory that was named; with
 * several directories it begins behind what all of them have in common, so that cases of the same name below
 * different ones have different ids: "a/x" and "b/x" below a and b, also where the user wrote dir/a and
 * dir/b. The id of a named file is its path. */
assay_status conf_find_all(const char *const *arguments, size_t n, conf_found_list *list, assay_error *err);

/* Keeps the cases whose id matches: a glob in which '*' also stands for '/', or, without '*', '?' and '[', a
 * part of the id. */
void conf_find_filter(conf_found_list *list, const char *pattern);

/* Where a case belongs when a suite is split: FNV-1a over the bytes of its id (Fowler, Noll, Vo; 64 bits:
 * offset basis 0xcbf29ce484222325, prime 0x100000001b3). */
uint64_t conf_find_hash(const char *id);

/* Keeps the cases of shard `index` (from 1 on) of n: those with conf_find_hash(id) mod n = index - 1. It
 * depends on nothing but the id, so that a case stays in its shard whatever is added beside it. */
void conf_find_shard(conf_found_list *list, size_t index, size_t n);

void conf_found_free(conf_found_list *list);

/* Whether `dir` holds a config.json. */
bool conf_is_checkpoint(const char *dir);

#endif
