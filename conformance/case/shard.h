/* Dividing cases into shards of about the same cost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_SHARD_H
#define CONFORMANCE_CASE_SHARD_H

#include "conformance/case/find.h"

/* The hash of ids, HASH_START for none, and one more. */
uint64_t conf_shard_hash_id(uint64_t hash, const char *id);

/* The hash of the places of files, HASH_START for none, and one more. index: of its shard, from 1. */
uint64_t conf_shard_hash_place(uint64_t hash, size_t index, bool no_case);

/* Numbers the cases, which are then shard 1 of 1 of themselves. */
void conf_find_number(conf_found_list *list);

/* Keeps the cases of shard `index` (1..total) of a list that conf_find_number has numbered. cost: [list->n],
 * of each case, > 0. Cases are assigned in order of falling cost, those of equal cost in the order of the
 * list, each to the shard with the smallest sum of costs so far, the first of several: the largest sum is at
 * most 4/3 of the smallest possible one (Graham 1969). Fails with ASSAY_ENOMEM. */
assay_status conf_find_shard(conf_found_list *list, const uint64_t *cost, size_t index, size_t total,
                             assay_error *err);

#endif
