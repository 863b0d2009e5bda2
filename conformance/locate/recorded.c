/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/row_list.h"

double *conf_recorded_spread(const conf_walker *w, const double *rows)
{
    const conf_rows *recorded = &w->c->decoder.rows;
    const size_t n = w->n_tokens * w->vocab;
    double *all = malloc((n ? n : 1) * sizeof *all);
    for (size_t i = 0; all && i < n; i++) all[i] = (double)NAN;
    for (size_t i = 0; all && i < recorded->n_rows; i++) {
        const conf_place *p = &recorded->place[i];
        if (p->sample == 0 && !p->decode)
            memcpy(all + p->pos * w->vocab, rows + i * w->vocab, w->vocab * sizeof *all);
    }
    return all;
}

conf_logits_judgement conf_recorded_judge(const conf_walker *w, const double *truth, const double *found)
{
    const bool all = w->task->sequence || !w->c->decoder.rows.n_listed;
    conf_logits_judgement j = {.worst.same_mask = true};
    for (size_t t = 0; t < w->n_tokens; t++) {
        if (!all && conf_row_find(&w->c->decoder, 0, false, t) == SIZE_MAX) continue;
        const conf_row expected = conf_row_of_double(truth + t * w->vocab);
        const conf_row row = conf_row_of_double(found + t * w->vocab);
        const conf_row_measure m = conf_row_measure_of(&expected, &row, w->vocab);
        (void)conf_logits_add(&j, t, &m, &w->bounds);
    }
    conf_logits_end(&j, &w->bounds);
    return j;
}
