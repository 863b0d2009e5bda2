/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/plane_rope.h"

#include <math.h>
#include <stdlib.h>

#include "ref/weight.h"

/* The place of patch `index` of n along an axis whose ends are at -end and end. */
static double place_of(size_t index, size_t n, double end)
{
    return end * (2.0 * (double)index / (double)(n > 1 ? n - 1 : 1) - 1);
}

/* Fills in the angles of one token, [n_heads, dim / 2]: of the patch in row `row` of the features of a
 * medium. f: the frequencies, n pairs. */
static void fill_angles(double *angle, const media *medium, size_t row, const ref_real *f, size_t n)
{
    const size_t *grid = media_grid(medium);
    const double ratio = (double)grid[1] / (double)grid[2];
    const double y = place_of(row / grid[2], grid[1], sqrt(ratio)),
                 x = place_of(row % grid[2], grid[2], sqrt(1 / ratio));
    for (size_t i = 0; i < n; i++) angle[i] = y * (double)f[2 * i] + x * (double)f[2 * i + 1];
}

assay_status ref_plane_rope_make(ref_pass *pass)
{
    const plan_plane_rope *r = &pass->plan->plane_rope;
    if (!r->present || pass->media->n == 0) return ASSAY_OK;
    const size_t n = r->frequency.cols / 2, n_tokens = pass->n_tokens; /* n: of all heads */
    ref_real *f = ref_alloc(1, 2 * n);
    size_t *place = calloc(n_tokens, sizeof *place), *row = calloc(n_tokens, sizeof *row);
    pass->plane_angle = calloc(n_tokens * n + 1, sizeof *pass->plane_angle);
    const bool ok = f && place && row && pass->plane_angle;
    if (ok) {
        ref_weight_rows(&r->frequency, 0, 1, f);
        media_list_rows(pass->media, pass->plan, pass->tokens, 0, n_tokens, place, row);
    }
    for (size_t t = 0; ok && t < n_tokens; t++)
        if (place[t] != SIZE_MAX)
            fill_angles(pass->plane_angle + t * n, pass->media->place[place[t]].medium, row[t], f, n);
    free(f);
    free(place);
    free(row);
    return ok ? ASSAY_OK : ASSAY_ENOMEM;
}

void ref_plane_rope_turn(const ref_pass *pass, size_t n_heads, size_t head_dim, ref_real *heads)
{
    const plan_plane_rope *r = &pass->plan->plane_rope;
    const size_t n = r->dim / 2;
    if (!pass->plane_angle) return;
    for (size_t k = 0; k < pass->n_tokens * n_heads; k++)
        for (size_t i = 0; i < n; i++) {
            ref_real *pair = heads + k * head_dim + r->first + 2 * i;
            const double angle = pass->plane_angle[k * n + i], a = (double)pair[0], b = (double)pair[1];
            pair[0] = (ref_real)(a * cos(angle) - b * sin(angle));
            pair[1] = (ref_real)(b * cos(angle) + a * sin(angle));
        }
}
