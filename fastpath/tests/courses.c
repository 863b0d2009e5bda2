/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/courses.h"

#include "base/tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/tests/grid.h"
#include "model/plan/mask.h"

static assay_error err;

/* Images of different sizes, one longer than a page; a text that begins with an image and has a video with
 * more frames than rows, and one without any. */
static const char *const TEXTS[N_COURSES] = {"9 i2x3a 4 i7x11b 6", "i1x2c 1 i3x1d 2 v3x2x2a 1 i1x1e 7",
                                             "5 i4x2f 3", "11"};

course courses_begin(const fp_model *m, size_t text)
{
    course c = {.model = m, .text = pictures_make(m->plan, TEXTS[text], (unsigned)text)};
    c.rows = grid_blank(c.text.n * m->plan->vocab);
    return c;
}

void courses_end(course *c)
{
    pictures_free(&c->text);
    free(c->rows);
}

fp_session *courses_session(const fp_model *m, size_t chunk)
{
    fp_session *s;
    ck_assert_int_eq(fp_session_open(m, &s, &err), ASSAY_OK);
    fp_session_chunk(s, chunk);
    return s;
}

void courses_join(fp_session *s, course *c)
{
    ck_assert_int_eq(fp_session_join(s, &c->sample, &err), ASSAY_OK);
}

void courses_add(batch *b, course *c, size_t to)
{
    const size_t from = fp_session_length(b->session, c->sample), vocab = c->model->plan->vocab;
    assay_item *items = b->items[b->n];
    b->outputs[b->n] = (assay_output){"logits", to - from, c->rows + from * vocab};
    b->steps[b->n] = (assay_step){.sample = c->sample,
                                  .tokens = c->text.tokens + from,
                                  .n_tokens = to - from,
                                  .items = items,
                                  .n_items = pictures_items(&c->text, from, to, items),
                                  .outputs = &b->outputs[b->n],
                                  .n_outputs = 1};
    b->n++;
}

void courses_run(batch *b, size_t padded_width)
{
    ck_assert_msg(fp_steps_run(&b->kept, b->session, b->steps, b->n, padded_width, NULL, &err) == ASSAY_OK,
                  "%s", err.text);
    b->n = 0;
}

float *courses_whole(const fp_model *m, size_t text)
{
    course c = courses_begin(m, text);
    batch b = {.session = courses_session(m, WHOLE)};
    courses_join(b.session, &c);
    courses_add(&b, &c, c.text.n);
    courses_run(&b, 0);
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
    pictures_free(&c.text);
    return c.rows;
}

void courses_expect(const course *c, const float *expected, const char *what)
{
    const size_t vocab = c->model->plan->vocab;
    for (size_t r = 0; r < c->text.n; r++)
        ck_assert_msg(memcmp(c->rows + r * vocab, expected + r * vocab, vocab * sizeof *expected) == 0,
                      "%s in %s, %zu workers, %s: row %zu has other bits", c->model->plan->dir,
                      dtype_name(c->model->packer.compute), fp_pool_workers(c->model->pool), what, r);
}

fp_model *courses_open(int index, assay_dtype compute, size_t n_workers)
{
    fp_model *m = grid_open(index, compute, n_workers);
    if (m->plan->vision.present) return m;
    fp_model_free(m);
    return NULL;
}

bool courses_may_divide(const course *c, size_t at)
{
    /* Tokens before the first image attend to all images. */
    const picture_text *t = &c->text;
    if (plan_tower_feeds_cross(&c->model->plan->vision) && t->n_pictures && t->pictures[0].first > 0 &&
        at <= t->pictures[t->n_pictures - 1].first)
        return false;
    const plan *p = c->model->plan;
    const plan_sequence all = {p, t->tokens, t->n,
                               p->blocks.of_image && t->n_pictures ? t->pictures[0].end : 0};
    return !plan_divides_block(&all, at);
}
