/* Attention to images in sessions: every row is that of the whole sample, whenever its images came or went.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "fastpath/tests/abi.h"
#include "fastpath/tests/pictures.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

static plan *tiled;

static void begin(size_t n_samples)
{
    char *dir = checkpoint_fixture("mllama/base");
    ck_assert_int_eq(plan_open(dir, &tiled, &err), ASSAY_OK);
    free(dir);
    abi_open("mllama/base", n_samples);
}

static void end(void)
{
    abi_close();
    plan_free(tiled);
}

/* The last row after tokens from … to - 1 of a text, [vocab]; to be freed. */
static float *take(size_t sample, const picture_text *t, size_t from, size_t to)
{
    assay_item items[PICTURES_MAX];
    float *logits = abi_blank(vocab);
    const assay_output output = {.name = "logits", .n_last = 1, .data = logits};
    const assay_step step = {.sample = sample,
                             .tokens = t->tokens + from,
                             .n_tokens = to - from,
                             .items = items,
                             .n_items = pictures_items(t, from, to, items),
                             .outputs = &output,
                             .n_outputs = 1};
    ck_assert_msg(engine->step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    return logits;
}

/* The same of a new session. */
static float *fresh(const picture_text *t)
{
    assay_session *own = session;
    session = abi_open_session(1, 0, 0);
    float *logits = take(0, t, 0, t->n);
    engine->session_free(session);
    session = own;
    return logits;
}

static void expect_fresh(float *found, const picture_text *t)
{
    float *expected = fresh(t);
    ck_assert_mem_eq(found, expected, vocab * sizeof *expected);
    free(expected);
    free(found);
}

/* Tokens before the first image attend to it, also if they were there before it. */
START_TEST(an_image_that_comes_later_changes_the_tokens_before_it)
{
    begin(1);
    picture_text t = pictures_make(tiled, "5 i2x3a 4 i1x2b 3", 1);
    free(take(0, &t, 0, 5));
    free(take(0, &t, 5, 8));
    expect_fresh(take(0, &t, 8, t.n), &t);
    pictures_free(&t);
    end();
}
END_TEST

START_TEST(an_image_that_begins_a_text_needs_no_token_again)
{
    begin(1);
    picture_text t = pictures_make(tiled, "i2x3a 4 i1x2b 3", 1);
    for (size_t at = 0; at + 1 < t.n; at++) free(take(0, &t, at, at + 1));
    expect_fresh(take(0, &t, t.n - 1, t.n), &t);
    pictures_free(&t);
    end();
}
END_TEST

/* Down to one image, then to none. */
START_TEST(a_rewind_takes_an_image_away_from_the_tokens_before_it)
{
    begin(1);
    picture_text both = pictures_make(tiled, "5 i2x3a 4 i1x2b 3", 1),
                 one = pictures_make(tiled, "5 i2x3a 6", 1), none = pictures_make(tiled, "9", 1);
    free(take(0, &both, 0, both.n));
    ck_assert_int_eq(engine->rewind(session, 0, 8, &err), ASSAY_OK);
    expect_fresh(take(0, &one, 8, one.n), &one);
    ck_assert_int_eq(engine->rewind(session, 0, 4, &err), ASSAY_OK);
    expect_fresh(take(0, &none, 4, none.n), &none);
    pictures_free(&both);
    pictures_free(&one);
    pictures_free(&none);
    end();
}
END_TEST

START_TEST(a_fork_that_gets_an_image_leaves_its_origin_alone)
{
    begin(1);
    size_t forked;
    picture_text both = pictures_make(tiled, "5 i2x3a 4 i1x2b 3", 1),
                 one = pictures_make(tiled, "5 i2x3a 6", 1);
    free(take(0, &both, 0, 9));
    ck_assert_int_eq(engine->fork(session, 0, session, &forked, &err), ASSAY_OK);
    expect_fresh(take(forked, &both, 9, both.n), &both);
    expect_fresh(take(0, &one, 9, one.n), &one);
    pictures_free(&both);
    pictures_free(&one);
    end();
}
END_TEST

/* Neither the neighbours' images nor their absence change bits. */
START_TEST(a_sample_without_images_skips_the_layers_beside_one_that_has_some)
{
    begin(2);
    picture_text with = pictures_make(tiled, "2 i2x3a 4", 1), without = pictures_make(tiled, "7", 2);
    assay_item items[PICTURES_MAX];
    float *logits = abi_blank(2 * vocab);
    const assay_output outputs[] = {{"logits", 1, logits}, {"logits", 1, logits + vocab}};
    const assay_step steps[] = {{.sample = 0,
                                 .tokens = with.tokens,
                                 .n_tokens = with.n,
                                 .items = items,
                                 .n_items = pictures_items(&with, 0, with.n, items),
                                 .outputs = &outputs[0],
                                 .n_outputs = 1},
                                {.sample = 1,
                                 .tokens = without.tokens,
                                 .n_tokens = without.n,
                                 .outputs = &outputs[1],
                                 .n_outputs = 1}};
    ck_assert_msg(engine->step(session, steps, 2, NULL, &err) == ASSAY_OK, "%s", err.text);
    float *expected = fresh(&with);
    ck_assert_mem_eq(logits, expected, vocab * sizeof *logits);
    free(expected);
    expected = fresh(&without);
    ck_assert_mem_eq(logits + vocab, expected, vocab * sizeof *logits);
    free(expected);
    free(logits);
    pictures_free(&with);
    pictures_free(&without);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/cross");
    TCase *t = tcase_create("sessions");
    tcase_add_test(t, an_image_that_comes_later_changes_the_tokens_before_it);
    tcase_add_test(t, an_image_that_begins_a_text_needs_no_token_again);
    tcase_add_test(t, a_rewind_takes_an_image_away_from_the_tokens_before_it);
    tcase_add_test(t, a_fork_that_gets_an_image_leaves_its_origin_alone);
    tcase_add_test(t, a_sample_without_images_skips_the_layers_beside_one_that_has_some);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
