/* Blocks of tokens that attend to each other, in every layer of models with and without windows, with and
 * without a limit of the caches, in all three engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "conformance/plans/tests/engines.h"

#include <math.h>
#include <stdlib.h>

/* The last has a rope whose frequencies depend on the length, so that steps change its logits. */
static const char *const MODELS[] = {"llama/base",   "qwen3/window", "phi3/window",  "gemma2/base",
                                     "gemma4/dense", "gemma3n/text", "llama/dynamic"};
enum { N_MODELS = sizeof MODELS / sizeof *MODELS, N_DIVISIBLE = N_MODELS - 1 };

/* No limit; a limit that the blocks of TEXT, tokens 2 to 5 and 20 to 23, exceed or not, and sink tokens of
 * which some are in a block. */
static const struct {
    size_t limit, sink_tokens;
} LIMITS[] = {{0, 0}, {3, 0}, {11, 4}, {30, 22}};
enum { N_LIMITS = sizeof LIMITS / sizeof *LIMITS };

static const positions NONE = {0};

static opened open_limited(int engine, const char *model, const char *change, size_t limit)
{
    opened o = engines_open(engine, (setting){model, change});
    const assay_session_options options = {.size = sizeof options,
                                           .n_samples = 2,
                                           .limit = LIMITS[limit].limit,
                                           .sink_tokens = LIMITS[limit].sink_tokens};
    o.engine->session_free(o.session);
    ck_assert_msg(o.engine->session_open(o.model, &options, &o.session, &err) == ASSAY_OK, "%s", err.text);
    return o;
}

START_TEST(fastpath_agrees_with_ref64)
{
    for (size_t k = 0; k < N_LIMITS; k++) {
        double *logits[N_ENGINES];
        size_t count = 0;
        for (int e = 0; e < N_ENGINES; e++) {
            opened o = open_limited(e, MODELS[_i], "blocks", k);
            count = LENGTH * o.vocab;
            logits[e] = engines_whole(&o, &NONE);
            engines_close(&o);
        }
        const double noise = engines_distance(logits[REF32], logits[REF64], count);
        const double bound = 4 * fmax(noise, 16 * ldexp(engines_largest(logits[REF64], count), -23));
        const double d = engines_distance(logits[FASTPATH], logits[REF64], count);
        ck_assert_msg(d <= bound, "%s, limit %zu: found %g, expected at most %g", MODELS[_i], LIMITS[k].limit,
                      d, bound);
        for (int e = 0; e < N_ENGINES; e++) free(logits[e]);
    }
}
END_TEST

/* From the first token of a block on; before it the logits are those of a causal mask. */
START_TEST(a_block_changes_its_own_logits_and_those_after_it)
{
    for (int e = 0; e < N_ENGINES; e++) {
        opened changed = open_limited(e, MODELS[_i], "blocks", 0),
               causal = open_limited(e, MODELS[_i], NULL, 0);
        double *a = engines_whole(&changed, &NONE), *b = engines_whole(&causal, &NONE);
        const size_t vocab = causal.vocab;
        ck_assert(engines_distance(a, b, 2 * vocab) <= 1e-4);
        ck_assert(engines_distance(a + 2 * vocab, b + 2 * vocab, vocab) > 1e-2);
        ck_assert(engines_distance(a + 20 * vocab, b + 20 * vocab, vocab) > 1e-2);
        free(a);
        free(b);
        engines_close(&changed);
        engines_close(&causal);
    }
}
END_TEST

/* Steps that end where blocks begin or end, and within text. */
START_TEST(steps_that_divide_no_block_change_no_bit_of_fastpath)
{
    static const size_t CUTS[] = {0, 1, 2, 6, 7, 9, 19, 20, 24, 25, 26, LENGTH};
    for (size_t k = 0; k < N_LIMITS; k++) {
        opened o = open_limited(FASTPATH, MODELS[_i], "blocks", k);
        double *whole = engines_whole(&o, &NONE);
        for (size_t c = 0; c + 1 < sizeof CUTS / sizeof *CUTS; c++) {
            const size_t from = CUTS[c], end = CUTS[c + 1];
            double *part = engines_step(&o, 0, from, end, &NONE);
            ck_assert_mem_eq(part, whole + from * o.vocab, (end - from) * o.vocab * sizeof *part);
            free(part);
        }
        ck_assert_int_eq(o.engine->rewind(o.session, 0, 6, &err), ASSAY_OK);
        double *part = engines_step(&o, 0, 6, LENGTH, &NONE);
        ck_assert_mem_eq(part, whole + 6 * o.vocab, (LENGTH - 6) * o.vocab * sizeof *part);
        free(part);
        free(whole);
        engines_close(&o);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/plans/blocks");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, fastpath_agrees_with_ref64, 0, N_MODELS);
    tcase_add_loop_test(all, a_block_changes_its_own_logits_and_those_after_it, 0, N_MODELS);
    tcase_add_loop_test(all, steps_that_divide_no_block_change_no_bit_of_fastpath, 0, N_DIVISIBLE);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
