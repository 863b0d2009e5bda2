/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "conformance/case/shard.h"
#include "conformance/report/attempts.h"
#include "conformance/report/machines.h"
#include "conformance/report/profiles.h"
#include "conformance/report/read.h"

#define NAMED_MAX 16 /* ranges of missing shards that a message names */

/* The shards that were read so far: [total], path NULL where there is none yet. */
typedef struct merging {
    conf_attempt *shard;
    size_t total;
    conf_strings *remarks;
} merging;

static void merging_free(merging *m)
{
    for (size_t i = 0; i < m->total; i++) conf_results_free(&m->shard[i].results);
    free(m->shard);
}

static assay_status remark(const merging *m, const conf_attempt *kept, const conf_attempt *dropped,
                           assay_error *err)
{
    const conf_shard *s = &kept->results.shard;
    char *text;
    const char *why = dropped->results.interrupted && !kept->results.interrupted
                          ? "the second was interrupted, the first counts"
                          : "they agree, and the first was completed first and counts";
    if (asprintf(&text, "shard %zu/%zu has two attempts, %s and %s: %s", s->index, s->total, kept->path,
                 dropped->path, why) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const bool ok = conf_strings_add(m->remarks, text);
    free(text);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

/* Whether the new attempt replaces the one that is there: times are UTC in one form, and sort as text. */
static bool is_better(const conf_attempt *new, const conf_attempt *old)
{
    if (new->results.interrupted != old->results.interrupted) return old->results.interrupted;
    return strcmp(new->results.finished, old->results.finished) < 0;
}

/* Takes ownership of the attempt's results. */
static assay_status add_attempt(merging *m, conf_attempt *attempt, assay_error *err)
{
    conf_attempt *place = &m->shard[attempt->results.shard.index - 1];
    assay_status rc = ASSAY_OK;
    if (place->path) {
        rc = conf_attempts_agree(place, attempt, err);
        if (rc == ASSAY_OK && is_better(attempt, place)) {
            const conf_attempt moved = *place;
            *place = *attempt;
            *attempt = moved;
        }
        if (rc == ASSAY_OK) rc = remark(m, place, attempt, err);
        conf_results_free(&attempt->results);
    } else {
        *place = *attempt;
    }
    return rc;
}

/* Reads a file. first: a shard with which it must agree in cases and options; NULL: it is the first, and says
 * how many shards there are. */
static assay_status read_attempt(merging *m, const char *path, size_t expected, const conf_attempt *first,
                                 conf_attempt *out, assay_error *err)
{
    conf_attempt attempt = {.path = path};
    assay_status rc = conf_results_read(path, &attempt.results, err);
    if (rc != ASSAY_OK) return rc;
    const size_t total = attempt.results.shard.total;
    if (expected && total != expected)
        rc =
            assay_fail(err, ASSAY_EFORMAT, "%s: shard.total: found %zu, expected %zu", path, total, expected);
    if (rc == ASSAY_OK && first) rc = conf_attempts_match(first, &attempt, err);
    if (rc == ASSAY_OK && !m->shard) {
        m->shard = calloc(total, sizeof *m->shard);
        if (m->shard) m->total = total;
        else rc = assay_fail(err, ASSAY_ENOMEM, "%zu shards: out of memory", total);
    }
    if (rc == ASSAY_OK) *out = attempt;
    else conf_results_free(&attempt.results);
    return rc;
}

/* Any shard that has engines, or else any shard: with it further ones are compared. NULL: there is none. */
static const conf_attempt *find_reference(const merging *m, const conf_attempt *last)
{
    if (last && last->path && last->results.n_engines) return last;
    const conf_attempt *any = NULL;
    for (size_t i = 0; i < m->total; i++) {
        if (!m->shard[i].path) continue;
        if (m->shard[i].results.n_engines) return &m->shard[i];
        any = &m->shard[i];
    }
    return any;
}

static assay_status read_all(merging *m, const char *const *paths, size_t n, size_t expected,
                             assay_error *err)
{
    assay_status rc = ASSAY_OK;
    const conf_attempt *reference = NULL;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        conf_attempt attempt;
        reference = find_reference(m, reference);
        rc = read_attempt(m, paths[i], expected, reference, &attempt, err);
        if (rc == ASSAY_OK) rc = add_attempt(m, &attempt, err);
    }
    return rc;
}

/* "2, 5 to 7" */
static size_t list_missing(const merging *m, char *text, size_t size)
{
    size_t n_missing = 0, n_named = 0, at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < m->total; i++) {
        size_t end = i;
        while (end < m->total && !m->shard[end].path) end++;
        if (end == i) continue;
        n_missing += end - i;
        if (n_named < NAMED_MAX && at < size) {
            at += (size_t)snprintf(text + at, size - at, "%s%zu", n_named ? ", " : "", i + 1);
            if (end > i + 1 && at < size) at += (size_t)snprintf(text + at, size - at, " to %zu", end);
        } else if (n_named == NAMED_MAX && at < size) {
            at += (size_t)snprintf(text + at, size - at, ", …");
        }
        n_named++;
        i = end;
    }
    return n_missing;
}

/* Every shard is there, and complete. */
static assay_status check_complete(const merging *m, assay_error *err)
{
    char names[512];
    const size_t n = list_missing(m, names, sizeof names);
    if (n > 0)
        return assay_fail(err, ASSAY_EFORMAT, "%zu of %zu shards %s missing: %s", n, m->total,
                          n == 1 ? "is" : "are", names);
    for (size_t i = 0; i < m->total; i++)
        if (m->shard[i].results.interrupted)
            return assay_fail(
                err, ASSAY_EFORMAT,
                "%s: shard.interrupted: found true, expected false: shard %zu/%zu is incomplete, and no "
                "other attempt of it was given",
                m->shard[i].path, i + 1, m->total);
    return ASSAY_OK;
}

/* Where a position belongs: its shard, and its index in the shard's results or in passed_over. */
typedef struct origin {
    const conf_attempt *shard; /* NULL: not seen yet */
    size_t at;
    bool passed_over;
} origin;

static assay_status claim(origin *origins, size_t position, origin of, assay_error *err)
{
    const conf_attempt *shard = of.shard;
    if (origins[position].shard)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s and %s: both have the case at position %zu: their shards were divided by different files",
            origins[position].shard->path, shard->path, position);
    origins[position] = of;
    return ASSAY_OK;
}

static assay_status find_origins(const merging *m, size_t n_selected, origin *origins, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t s = 0; s < m->total; s++) {
        const conf_results *r = &m->shard[s].results;
        for (size_t i = 0; i < r->n && rc == ASSAY_OK; i++)
            rc = claim(origins, r->at[i].position, (origin){&m->shard[s], i, false}, err);
        for (size_t i = 0; i < r->n_passed_over && rc == ASSAY_OK; i++)
            rc = claim(origins, r->passed_over[i].position, (origin){&m->shard[s], i, true}, err);
    }
    for (size_t i = 0; i < n_selected && rc == ASSAY_OK; i++)
        if (!origins[i].shard)
            rc = assay_fail(err, ASSAY_EFORMAT,
                            "%s: shard.selected: found %zu cases, expected results of each, and none has the "
                            "one at position "
                            "%zu: the shards were divided by different files",
                            m->shard[0].path, n_selected, i);
    return rc;
}

/* The files of all shards are those that were divided: their ids, their shards, and which are cases. */
static assay_status check_hashes(const conf_attempt *first, const origin *origins, assay_error *err)
{
    const conf_shard *s = &first->results.shard;
    uint64_t selection = HASH_START, division = s->total > 1 ? HASH_START : 0;
    for (size_t i = 0; i < s->n_selected; i++) {
        const conf_results *r = &origins[i].shard->results;
        const size_t at = origins[i].at;
        const bool no_case = origins[i].passed_over;
        selection = conf_shard_hash_id(selection, no_case ? r->passed_over[at].id : r->at[at].id);
        if (s->total > 1) division = conf_shard_hash_place(division, r->shard.index, no_case);
    }
    const struct {
        const char *member, *what;
        uint64_t found, expected;
    } hashes[] = {{"selection", "their ids", s->selection, selection},
                  {"division", "which shard has them, and which are no cases", s->division, division}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (hashes[i].found != hashes[i].expected)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: shard.%s: found %016" PRIx64 ", expected %016" PRIx64
                              ", as follows from the cases of all shards: %s",
                              first->path, hashes[i].member, hashes[i].found, hashes[i].expected,
                              hashes[i].what);
    return ASSAY_OK;
}

/* Moves results and engines to *out, which has arrays for all of them. */
static void move_results(merging *m, const origin *origins, conf_results *out)
{
    conf_attempt *from = &m->shard[find_reference(m, NULL) - m->shard];
    out->engines = from->results.engines;
    out->n_engines = from->results.n_engines;
    out->document = from->results.document;
    out->kernels = from->results.kernels;
    out->compute = from->results.compute;
    out->shard = from->results.shard;
    out->shard.index = out->shard.total = 1;
    out->shard.division = 0;
    memcpy(out->expected, from->results.expected, sizeof out->expected);
    memcpy(out->kernels_module, from->results.kernels_module, sizeof out->kernels_module);
    for (size_t i = 0; i < out->shard.n_selected; i++) {
        const origin *o = &origins[i];
        if (o->passed_over) out->passed_over[out->n_passed_over++] = o->shard->results.passed_over[o->at];
        else out->at[out->n++] = o->shard->results.at[o->at];
    }
    for (size_t s = 0; s < m->total; s++) {
        conf_results *r = &m->shard[s].results;
        r->n = r->n_passed_over = 0; /* their elements are now in out */
        out->n_warnings += r->n_warnings;
        if (strcmp(r->finished, out->finished) > 0) memcpy(out->finished, r->finished, sizeof out->finished);
    }
    from->results.engines = NULL;
    from->results.document = NULL;
}

static assay_status join(merging *m, conf_results *out, assay_error *err)
{
    const size_t n = m->shard[0].results.shard.n_selected;
    size_t n_results = 0, n_passed_over = 0;
    for (size_t s = 0; s < m->total; s++) {
        n_results += m->shard[s].results.n;
        n_passed_over += m->shard[s].results.n_passed_over;
    }
    conf_results joined = {.at = calloc(n_results + 1, sizeof *joined.at),
                           .passed_over = calloc(n_passed_over + 1, sizeof *joined.passed_over)};
    origin *origins = calloc(n + 1, sizeof *origins);
    assay_status rc = joined.at && joined.passed_over && origins
                          ? find_origins(m, n, origins, err)
                          : assay_fail(err, ASSAY_ENOMEM, "%zu cases: out of memory", n);
    if (rc == ASSAY_OK) rc = check_hashes(&m->shard[0], origins, err);
    for (size_t s = 0; s < m->total && rc == ASSAY_OK; s++)
        rc = conf_machines_join(&joined, &m->shard[s].results, err);
    if (rc == ASSAY_OK) {
        move_results(m, origins, &joined);
        rc = conf_profiles_keep(&joined, err);
        if (rc == ASSAY_OK) *out = joined;
        else conf_results_free(&joined);
    } else {
        free(joined.machines);
        free(joined.at);
        free(joined.passed_over);
    }
    free(origins);
    return rc;
}

assay_status conf_merge(const char *const *paths, size_t n, size_t expected, conf_results *out,
                        conf_strings *remarks, assay_error *err)
{
    merging m = {.remarks = remarks};
    assay_status rc = read_all(&m, paths, n, expected, err);
    if (rc == ASSAY_OK) rc = check_complete(&m, err);
    if (rc == ASSAY_OK) rc = join(&m, out, err);
    merging_free(&m);
    return rc;
}
