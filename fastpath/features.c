/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/features.h"

#include <stdatomic.h>
#include <stdlib.h>

struct fp_features {
    atomic_size_t n_users;
    const medium *medium;
    size_t hidden, n_tokens, n_levels;
    bool is_traced;
    float rows[]; /* [n_levels, n_tokens, hidden] */
};

fp_features *fp_features_make(const medium *m, size_t n_levels, size_t hidden, bool is_traced)
{
    const size_t n_tokens = medium_rows(m);
    if (n_tokens > (SIZE_MAX / 2) / (n_levels * hidden * sizeof(float))) return NULL;
    fp_features *f = malloc(sizeof *f + n_levels * n_tokens * hidden * sizeof(float));
    if (!f) return NULL;
    atomic_init(&f->n_users, 1);
    medium_retain(m);
    f->medium = m;
    f->hidden = hidden;
    f->n_tokens = n_tokens;
    f->n_levels = n_levels;
    f->is_traced = is_traced;
    return f;
}

fp_features *fp_features_share(fp_features *f)
{
    (void)atomic_fetch_add_explicit(&f->n_users, 1, memory_order_relaxed);
    return f;
}

void fp_features_release(fp_features *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->n_users, 1, memory_order_acq_rel) != 1) return;
    medium_release(f->medium);
    free(f);
}

bool fp_features_is_exclusive(const fp_features *f)
{
    return atomic_load_explicit(&f->n_users, memory_order_acquire) == 1;
}

const medium *fp_features_medium(const fp_features *f)
{
    return f->medium;
}

bool fp_features_is_traced(const fp_features *f)
{
    return f->is_traced;
}

size_t fp_features_levels(const fp_features *f)
{
    return f->n_levels;
}

const float *fp_features_row(const fp_features *f, size_t level, size_t row)
{
    return f->rows + (level * f->n_tokens + row) * f->hidden;
}

float *fp_features_rows(fp_features *f, size_t level)
{
    return f->rows + level * f->n_tokens * f->hidden;
}

size_t fp_features_bytes(const fp_features *f)
{
    return f->n_levels * f->n_tokens * f->hidden * sizeof(float);
}
