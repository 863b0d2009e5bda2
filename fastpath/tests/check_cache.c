/* Caches of one sample: pages, rotation, sharing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/cache/cache.h"

enum { HEADS = 2, WIDTH = 3, WINDOW = 70, N_LAYERS = 3 };

/* Layer 0 has a full cache, layer 1 a rotating one, which layer 2 shares. */
static const fp_cache_spec SPEC[N_LAYERS] = {
    {.kind = FP_CACHE_FULL, .source = 0, .n_kv_heads = HEADS, .head_dim = WIDTH},
    {.kind = FP_CACHE_ROTATING, .source = 1, .window = WINDOW, .n_kv_heads = HEADS, .head_dim = WIDTH},
    {.kind = FP_CACHE_SHARED, .source = 1, .n_kv_heads = HEADS, .head_dim = WIDTH},
};

static float number(size_t layer, size_t position, size_t at, int version)
{
    return (float)(version * 1000000 + (int)(layer * 100000 + position * 10 + at));
}

/* Writes and counts n positions. */
static void extend(fp_state *s, size_t n, int version)
{
    ck_assert_int_eq(fp_state_reserve(s, n), ASSAY_OK);
    for (size_t layer = 0; layer < 2; layer++)
        for (size_t p = s->n_tokens; p < s->n_tokens + n; p++) {
            float key[HEADS * WIDTH], value[HEADS * WIDTH];
            for (size_t i = 0; i < HEADS * WIDTH; i++) {
                key[i] = number(layer, p, i, version);
                value[i] = -key[i];
            }
            fp_state_put(s, layer, p, 1, key, value);
        }
    fp_state_advance(s, n);
}

/* Whether a layer holds this version of a position. */
static bool holds(const fp_state *s, size_t layer, size_t position, int version)
{
    size_t sink_tokens = layer == 2 ? 1 : layer, column = position % ASSAY_PAGE;
    for (size_t h = 0; h < HEADS; h++) {
        const void *keys, *values;
        fp_state_pages(s, layer, h, position, 1, &keys, &values);
        const float *k = keys, *v = values;
        for (size_t d = 0; d < WIDTH; d++) {
            float expected = number(sink_tokens, position, h * WIDTH + d, version);
            if (k[d * ASSAY_PAGE + column] != expected || v[column * WIDTH + d] != -expected) return false;
        }
    }
    return true;
}

static fp_state opened(void)
{
    fp_state s;
    ck_assert_int_eq(fp_state_open(&s, SPEC, N_LAYERS), ASSAY_OK);
    return s;
}

START_TEST(every_position_is_found_again)
{
    fp_state s = opened();
    for (size_t n = 1; s.n_tokens < 200; n = n % 5 + 1) extend(&s, n, 0);
    for (size_t p = 0; p < s.n_tokens; p++) ck_assert(holds(&s, 0, p, 0));
    for (size_t p = s.n_tokens + 1 - WINDOW; p < s.n_tokens; p++) {
        ck_assert(holds(&s, 1, p, 0));
        ck_assert(holds(&s, 2, p, 0));
    }
    fp_state_free(&s);
}
END_TEST

/* A little wider than the tiles in which keys are transposed. */
enum { WIDE = 19, N_WIDE = 150 };

static void fill(float *x, size_t n, size_t seed)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)((i * 2654435761U + seed) % 100003) / 317.0F - 150;
}

/* Stores several positions per call, and reads each; narrow: as in fp_cache_spec. */
static void put_and_find(fp_narrow_bf16_fn *narrow, size_t chunk)
{
    static float key[N_WIDE * HEADS * WIDE], value[N_WIDE * HEADS * WIDE];
    const fp_cache_spec spec = {.n_kv_heads = HEADS, .head_dim = WIDE, .narrow = narrow};
    const size_t width = HEADS * WIDE, bytes = narrow ? sizeof(uint16_t) : sizeof(float);
    fp_state s;
    fill(key, N_WIDE * width, 1);
    fill(value, N_WIDE * width, 2);
    ck_assert_int_eq(fp_state_open(&s, &spec, 1), ASSAY_OK);
    for (size_t n = 0; s.n_tokens < N_WIDE; fp_state_advance(&s, n)) {
        const size_t at = s.n_tokens;
        n = N_WIDE - at < chunk ? N_WIDE - at : chunk;
        ck_assert_int_eq(fp_state_reserve(&s, n), ASSAY_OK);
        fp_state_put(&s, 0, at, n, key + at * width, value + at * width);
    }
    for (size_t i = 0; i < N_WIDE * width; i++) {
        const size_t p = i / width, h = i % width / WIDE, d = i % WIDE, column = p % ASSAY_PAGE;
        const void *k, *v;
        uint16_t narrow_key, narrow_value;
        fp_state_pages(&s, 0, h, p, 1, &k, &v);
        fp_narrow_bf16__scalar(&narrow_key, key + i, 1);
        fp_narrow_bf16__scalar(&narrow_value, value + i, 1);
        ck_assert_uint_eq((size_t)((const char *)v - (const char *)k), WIDE * ASSAY_PAGE * bytes);
        const void *found_key = (const char *)k + (d * ASSAY_PAGE + column) * bytes,
                   *found_value = (const char *)v + (column * WIDE + d) * bytes;
        ck_assert_mem_eq(found_key, narrow ? (const void *)&narrow_key : key + i, bytes);
        ck_assert_mem_eq(found_value, narrow ? (const void *)&narrow_value : value + i, bytes);
    }
    fp_state_free(&s);
}

START_TEST(positions_stored_in_one_call_are_read_one_by_one)
{
    static const size_t AT_ONCE[] = {1, 5, 64, 70, N_WIDE};
    for (size_t i = 0; i < sizeof AT_ONCE / sizeof *AT_ONCE; i++) put_and_find(NULL, AT_ONCE[i]);
}
END_TEST

START_TEST(pages_of_bfloat16_hold_rounded_numbers_in_half_the_memory)
{
    put_and_find(fp_narrow_bf16__scalar, 1);
    put_and_find(fp_narrow_bf16__scalar, 70);
}
END_TEST

START_TEST(a_rotating_cache_holds_little_more_than_the_window_of_the_next_token)
{
    fp_state s = opened();
    for (size_t n = 1; n <= 400; n++) {
        extend(&s, 1, 0);
        size_t first = n < WINDOW ? 0 : n - WINDOW + 1;
        ck_assert(first == n || holds(&s, 1, first, 0));
        ck_assert_uint_le(s.caches[1].n_pages, (WINDOW + ASSAY_PAGE - 1) / ASSAY_PAGE + 1);
        ck_assert_uint_eq(s.caches[0].n_pages, (n + ASSAY_PAGE - 1) / ASSAY_PAGE);
        ck_assert_uint_eq(s.caches[2].n_pages, 0);
    }
    fp_state_free(&s);
}
END_TEST

START_TEST(unwritten_positions_are_nan)
{
    fp_state s = opened();
    const void *k, *v;
    extend(&s, 1, 0);
    fp_state_pages(&s, 0, 0, 0, 1, &k, &v);
    ck_assert(isnan(((const float *)k)[1]) && isnan(((const float *)v)[WIDTH]));
    fp_state_free(&s);
}
END_TEST

START_TEST(a_rewind_drops_only_the_last_positions)
{
    fp_state s = opened();
    extend(&s, 100, 0);
    ck_assert(fp_state_rewind(&s, 65));
    ck_assert_uint_eq(s.n_tokens, 65);
    extend(&s, 5, 1);
    ck_assert(holds(&s, 0, 64, 0) && holds(&s, 0, 65, 1) && holds(&s, 1, 69, 1));
    ck_assert(fp_state_rewind(&s, 64));
    ck_assert_uint_eq(s.caches[0].n_pages, 1);
    ck_assert(fp_state_rewind(&s, 0));
    extend(&s, 3, 2);
    ck_assert(holds(&s, 0, 0, 2));
    fp_state_free(&s);
}
END_TEST

START_TEST(a_rewind_beyond_a_rotating_cache_changes_nothing)
{
    fp_state s = opened();
    extend(&s, 300, 0);
    ck_assert(!fp_state_rewind(&s, 100));
    ck_assert_uint_eq(s.n_tokens, 300);
    ck_assert(holds(&s, 0, 299, 0) && holds(&s, 1, 299, 0));
    fp_state_reset(&s);
    extend(&s, 2, 1);
    ck_assert(holds(&s, 1, 1, 1));
    fp_state_free(&s);
}
END_TEST

START_TEST(a_fork_shares_pages_until_one_writes)
{
    fp_state s = opened(), t = opened();
    extend(&s, 130, 0);
    ck_assert_int_eq(fp_state_fork(&t, &s), ASSAY_OK);
    ck_assert_uint_eq(t.n_tokens, 130);
    for (size_t i = 0; i < 3; i++) ck_assert_ptr_eq(t.caches[0].page[i], s.caches[0].page[i]);
    extend(&t, 1, 1);
    ck_assert_ptr_eq(t.caches[0].page[0], s.caches[0].page[0]);
    ck_assert_ptr_ne(t.caches[0].page[2], s.caches[0].page[2]);
    extend(&s, 1, 2);
    ck_assert(holds(&t, 0, 130, 1) && holds(&s, 0, 130, 2));
    ck_assert(holds(&t, 0, 129, 0) && holds(&s, 0, 129, 0));
    fp_state_free(&s);
    ck_assert(holds(&t, 0, 5, 0) && holds(&t, 1, 100, 0));
    fp_state_free(&t);
}
END_TEST

START_TEST(rewinding_a_fork_does_not_change_its_origin)
{
    fp_state s = opened(), t = opened();
    extend(&s, 40, 0);
    ck_assert_int_eq(fp_state_fork(&t, &s), ASSAY_OK);
    ck_assert(fp_state_rewind(&t, 10));
    extend(&t, 20, 1);
    for (size_t p = 0; p < 40; p++) ck_assert(holds(&s, 0, p, 0) && holds(&s, 1, p, 0));
    ck_assert(holds(&t, 1, 9, 0) && holds(&t, 1, 10, 1));
    fp_state_free(&t);
    fp_state_free(&s);
}
END_TEST

/* Layer 1 never drops its positions 0 … SINK_TOKENS - 1. */
enum { SINK_TOKENS = 5 };

static fp_state open_with_sink_tokens(size_t sink_tokens)
{
    static fp_cache_spec spec[N_LAYERS];
    fp_state s;
    memcpy(spec, SPEC, sizeof spec);
    spec[1].sink_tokens = sink_tokens;
    ck_assert_int_eq(fp_state_open(&s, spec, N_LAYERS), ASSAY_OK);
    return s;
}

START_TEST(a_token_attends_to_the_sink_tokens_and_its_window)
{
    const fp_cache_spec spec = {.kind = FP_CACHE_ROTATING, .window = 10, .sink_tokens = 4},
                        full = {.kind = FP_CACHE_FULL, .sink_tokens = 4};
    static const struct {
        size_t position, sink_tokens, first;
    } SEEN[] = {{0, 0, 0}, {9, 0, 0}, {10, 1, 1}, {12, 3, 3}, {13, 4, 4}, {14, 4, 5}, {500, 4, 491}};
    for (size_t i = 0; i < sizeof SEEN / sizeof *SEEN; i++) {
        fp_key_range seen = fp_cache_key_range(&spec, SEEN[i].position);
        ck_assert_uint_eq(seen.sink_tokens, SEEN[i].sink_tokens);
        ck_assert_uint_eq(seen.first, SEEN[i].first);
    }
    ck_assert(fp_cache_key_range(&full, 500).sink_tokens == 0 && fp_cache_key_range(&full, 500).first == 0);
}
END_TEST

START_TEST(attention_sink_tokens_stay_before_the_window)
{
    static const size_t COUNTS[] = {SINK_TOKENS, ASSAY_PAGE, ASSAY_PAGE + 1, 3 * ASSAY_PAGE};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        fp_state s = open_with_sink_tokens(COUNTS[i]);
        size_t n_sink_pages = (COUNTS[i] + ASSAY_PAGE - 1) / ASSAY_PAGE;
        for (size_t n = 1; s.n_tokens < 500; n = n % 90 + 1) {
            extend(&s, n, 0);
            fp_key_range seen = fp_cache_key_range(&s.spec[1], s.n_tokens);
            for (size_t p = 0; p < seen.sink_tokens; p++) ck_assert(holds(&s, 1, p, 0) && holds(&s, 2, p, 0));
            for (size_t p = seen.first; p < s.n_tokens; p++) ck_assert(holds(&s, 1, p, 0));
            ck_assert_uint_le(s.caches[1].n_pages, n_sink_pages + (WINDOW + ASSAY_PAGE - 1) / ASSAY_PAGE + 1);
        }
        fp_state_free(&s);
    }
}
END_TEST

START_TEST(a_rewind_reaches_the_window_or_the_sink_tokens)
{
    fp_state s = open_with_sink_tokens(SINK_TOKENS);
    extend(&s, 300, 0);
    ck_assert(!fp_state_rewind(&s, 100));
    ck_assert(holds(&s, 1, 4, 0) && holds(&s, 1, 299, 0));
    ck_assert(fp_state_rewind(&s, 290));
    extend(&s, 20, 1);
    ck_assert(holds(&s, 1, 0, 0) && holds(&s, 1, 289, 0) && holds(&s, 1, 309, 1));
    ck_assert(fp_state_rewind(&s, 30)); /* the whole page is still cached */
    extend(&s, 200, 2);
    ck_assert(holds(&s, 1, 4, 0) && holds(&s, 1, 30, 2) && holds(&s, 1, 229, 2) && holds(&s, 0, 30, 2));
    fp_state_free(&s);
}
END_TEST

START_TEST(a_fork_shares_the_sink_tokens)
{
    fp_state s = open_with_sink_tokens(SINK_TOKENS), t = open_with_sink_tokens(SINK_TOKENS);
    extend(&s, 300, 0);
    ck_assert_int_eq(fp_state_fork(&t, &s), ASSAY_OK);
    ck_assert_ptr_eq(t.caches[1].page[0], s.caches[1].page[0]);
    ck_assert(fp_state_rewind(&t, 3));
    extend(&t, 100, 1);
    ck_assert(holds(&t, 1, 2, 0) && holds(&t, 1, 3, 1) && holds(&s, 1, 3, 0) && holds(&s, 1, 299, 0));
    fp_state_reset(&s);
    extend(&s, 100, 2);
    ck_assert_uint_eq(s.caches[1].n_pages, 2);
    ck_assert(holds(&s, 1, 3, 2) && holds(&s, 1, 99, 2) && holds(&t, 1, 2, 0));
    fp_state_free(&s);
    fp_state_free(&t);
}
END_TEST

/* One of two threads: writes to a state that shares pages with the other's, forks it and frees the fork. */
typedef struct sharer {
    fp_state state;
    int version;
} sharer;

static void *write_shared_pages(void *context)
{
    sharer *one = context;
    for (int i = 0; i < 50; i++) {
        fp_state fork = opened();
        ck_assert_int_eq(fp_state_fork(&fork, &one->state), ASSAY_OK);
        extend(&one->state, 1, one->version);
        extend(&fork, 1, -1);
        fp_state_free(&fork);
    }
    return NULL;
}

START_TEST(threads_share_pages)
{
    sharer two[2];
    pthread_t thread[2];
    fp_state origin = opened();
    extend(&origin, 30, 0);
    for (int i = 0; i < 2; i++) {
        two[i] = (sharer){.state = opened(), .version = i + 1};
        ck_assert_int_eq(fp_state_fork(&two[i].state, &origin), ASSAY_OK);
    }
    fp_state_free(&origin);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, write_shared_pages, &two[i]), 0);
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        for (size_t p = 0; p < 80; p++) ck_assert(holds(&two[i].state, 0, p, p < 30 ? 0 : two[i].version));
        fp_state_free(&two[i].state);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/cache");
    TCase *tc = tcase_create("cache");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_position_is_found_again);
    tcase_add_test(tc, positions_stored_in_one_call_are_read_one_by_one);
    tcase_add_test(tc, pages_of_bfloat16_hold_rounded_numbers_in_half_the_memory);
    tcase_add_test(tc, a_rotating_cache_holds_little_more_than_the_window_of_the_next_token);
    tcase_add_test(tc, unwritten_positions_are_nan);
    tcase_add_test(tc, a_rewind_drops_only_the_last_positions);
    tcase_add_test(tc, a_rewind_beyond_a_rotating_cache_changes_nothing);
    tcase_add_test(tc, a_fork_shares_pages_until_one_writes);
    tcase_add_test(tc, rewinding_a_fork_does_not_change_its_origin);
    tcase_add_test(tc, a_token_attends_to_the_sink_tokens_and_its_window);
    tcase_add_test(tc, attention_sink_tokens_stay_before_the_window);
    tcase_add_test(tc, a_rewind_reaches_the_window_or_the_sink_tokens);
    tcase_add_test(tc, a_fork_shares_the_sink_tokens);
    tcase_add_test(tc, threads_share_pages);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
