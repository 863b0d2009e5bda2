/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/profile.h"

#include <math.h>

#include "conformance/evaluate/tensors.h"

/* An error in multiples of its bound, or of the largest value where nothing bounds it. */
static double profiled(double multiple, double limit, double error, double largest)
{
    if (limit < CONF_UNJUDGED) return multiple / limit;
    return error > 0 ? error / largest : 0;
}

static void add_sizes(conf_profile *to, const size_t *found, const size_t *recorded)
{
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) {
        to->found[i] += found[i];
        to->recorded[i] += recorded[i];
    }
}

/* Rows arrive in any order. */
static void add_row(void *context, const conf_diff_row *row)
{
    conf_diff_profiler *profiler = context;
    conf_profile *p = profiler->profile;
    const bool is_bounded = row->bounds->limit < CONF_UNJUDGED;
    const double bound = row->bounds->max_abs * row->bounds->limit;
    size_t found[CONF_PROFILE_SIZES] = {0}, recorded[CONF_PROFILE_SIZES] = {0};
    if (is_bounded) conf_profile_count(&row->truth, &row->found, row->n_cols, bound, found);
    if (is_bounded && row->run.data) conf_profile_count(&row->truth, &row->run, row->n_cols, bound, recorded);
    const size_t n_joined = (row->n_numbers + CONF_PROFILE_ROWS_MAX - 1) / CONF_PROFILE_ROWS_MAX;
    const double multiple = profiled(row->multiple, row->bounds->limit, row->error, row->largest);
    (void)pthread_mutex_lock(&profiler->mutex);
    add_sizes(p, found, recorded);
    p->has_recorded = row->run.data != NULL;
    p->is_relative = p->is_relative || !is_bounded;
    p->n_joined = n_joined;
    conf_diff_slot *slot = &profiler->slots[row->number / n_joined];
    if (!slot->is_used || multiple > slot->multiple ||
        (!(multiple < slot->multiple) && row->number < slot->number))
        *slot = (conf_diff_slot){true, row->number, row->place, multiple};
    (void)pthread_mutex_unlock(&profiler->mutex);
}

static void add_tensor(void *context, const conf_diff_traced *t)
{
    conf_profile *p = ((conf_diff_profiler *)context)->profile;
    p->is_relative = p->is_relative || !(t->limit < CONF_UNJUDGED);
    conf_profile_add(p->tensors, &p->n_tensors, CONF_PROFILE_TENSORS_MAX, t->name,
                     profiled(t->multiple, t->limit, t->multiple * t->unit, t->largest));
}

void conf_diff_profiler_begin(conf_diff_profiler *p, conf_profile *profile)
{
    *p = (conf_diff_profiler){.profile = profile,
                              .watch = {.row = add_row, .tensor = add_tensor, .context = p}};
    profile->is_observed = true;
    (void)pthread_mutex_init(&p->mutex, NULL);
}

void conf_diff_profiler_end(conf_diff_profiler *p)
{
    conf_profile *to = p->profile;
    for (size_t i = 0; i < CONF_PROFILE_ROWS_MAX; i++) {
        const conf_diff_slot *slot = &p->slots[i];
        if (!slot->is_used) continue;
        to->rows[to->n_rows].sample = (uint32_t)slot->place.sample;
        to->rows[to->n_rows].pos = (uint32_t)slot->place.pos;
        to->rows[to->n_rows].decode = slot->place.decode;
        to->rows[to->n_rows++].multiple = slot->multiple;
    }
    (void)pthread_mutex_destroy(&p->mutex);
}
