/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/shard.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/saturate.h"

uint64_t conf_shard_hash_id(uint64_t hash, const char *id)
{
    /* With its final zero byte, so that "ab", "c" differs from "a", "bc". */
    for (const char *at = id;; at++) {
        hash = hash_add(hash, (unsigned char)*at);
        if (!*at) return hash;
    }
}

uint64_t conf_shard_hash_place(uint64_t hash, size_t index, bool no_case)
{
    return hash_add(hash_add(hash, (uint32_t)index), no_case);
}

void conf_find_number(conf_found_list *list)
{
    conf_shard *s = &list->shard;
    *s = (conf_shard){.index = 1, .total = 1, .n_selected = list->n, .selection = HASH_START};
    for (size_t i = 0; i < list->n; i++) {
        list->at[i].position = i;
        s->selection = conf_shard_hash_id(s->selection, list->at[i].id);
    }
}

/* A case in the order in which cases are assigned to shards. */
typedef struct weighed {
    uint64_t cost;
    size_t at; /* its index in the list */
} weighed;

static int compare_weighed(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Shards are a heap (Williams 1964) whose first element has the smallest sum, of equal sums the smallest
 * number: cost and at are sum and number. */
static bool is_before(const weighed *a, const weighed *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->at < b->at);
}

/* Moves the first element, whose sum has grown, to its place. */
static void sift_first(weighed *heap, size_t n)
{
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (is_before(&heap[child], &heap[least])) least = child;
        if (least == i) return;
        const weighed moved = heap[i];
        heap[i] = heap[least];
        heap[least] = moved;
        i = least;
    }
}

/* shard: [n], receives the number of each case's shard, from 0. */
static void assign_shards(weighed *cases, size_t n, weighed *shards, size_t total, size_t *shard)
{
    for (size_t i = 0; i < total; i++) shards[i] = (weighed){.at = i};
    qsort(cases, n, sizeof *cases, compare_weighed);
    for (size_t i = 0; i < n; i++) {
        shard[cases[i].at] = shards[0].at;
        shards[0].cost = add_saturating(shards[0].cost, cases[i].cost);
        sift_first(shards, total);
    }
}

/* The shards of all cases, and the one to keep. */
typedef struct assignment {
    const size_t *shard;
    size_t wanted;
} assignment;

static bool is_in_shard(size_t i, const conf_found *found, const void *context)
{
    const assignment *a = context;
    (void)found;
    return a->shard[i] == a->wanted;
}

assay_status conf_find_shard(conf_found_list *list, const uint64_t *cost, size_t index, size_t total,
                             assay_error *err)
{
    assert(index >= 1 && index <= total);
    weighed *cases = calloc(list->n + 1, sizeof *cases), *shards = calloc(total, sizeof *shards);
    size_t *shard = calloc(list->n + 1, sizeof *shard);
    const bool ok = cases && shards && shard;
    if (ok) {
        for (size_t i = 0; i < list->n; i++) cases[i] = (weighed){cost[i], i};
        assign_shards(cases, list->n, shards, total, shard);
        list->shard.division = total > 1 ? HASH_START : 0;
        for (size_t i = 0; i < list->n && total > 1; i++)
            list->shard.division =
                conf_shard_hash_place(list->shard.division, shard[i] + 1, list->at[i].no_case);
        conf_found_keep(list, is_in_shard, &(assignment){shard, index - 1});
        list->shard.index = index;
        list->shard.total = total;
    }
    free(cases);
    free(shards);
    free(shard);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%zu shards: out of memory", total);
}
