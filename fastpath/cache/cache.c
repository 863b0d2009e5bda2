/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache/cache.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fastpath/cache/keys.h"

static fp_keys keys_of(const fp_cache_spec *spec)
{
    return (fp_keys){spec->n_kv_heads, spec->head_dim, spec->narrow, spec->type};
}

/* The size in bytes of one head's keys in a page; its values have the same size. */
static size_t head_bytes(const fp_cache_spec *spec)
{
    const fp_keys keys = keys_of(spec);
    return fp_keys_bytes(&keys);
}

/* Whether the cache holds pages of positions. */
static bool has_positions(const fp_cache_spec *spec)
{
    return spec->kind == FP_CACHE_FULL || spec->kind == FP_CACHE_ROTATING;
}

/* The number of pages for n positions. */
static size_t pages_of(size_t n)
{
    return n / ASSAY_PAGE + (n % ASSAY_PAGE != 0);
}

/* The index in c->page of page `number` of the sample. */
static size_t page_index(const fp_cache *c, size_t number)
{
    assert(number < c->n_sink_pages || number >= c->first_page);
    return number < c->n_sink_pages ? number : number - c->first_page + c->n_sink_pages;
}

assay_status fp_state_open(fp_state *s, const fp_cache_spec *spec, size_t n_layers)
{
    *s = (fp_state){.spec = spec, .n_layers = n_layers};
    s->caches = calloc(n_layers ? n_layers : 1, sizeof *s->caches);
    for (size_t i = 0; i < n_layers; i++) s->has_recurrent |= spec[i].kind == FP_CACHE_RECURRENT;
    return s->caches ? ASSAY_OK : ASSAY_ENOMEM;
}

/* Releases all but the first n pages. */
static void truncate_pages(fp_cache *c, size_t n)
{
    while (c->n_pages > n) fp_page_release(c->page[--c->n_pages]);
}

void fp_state_reset(fp_state *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        fp_cache *c = &s->caches[i];
        truncate_pages(c, 0);
        fp_page_release(c->next);
        c->next = NULL;
        c->n_sink_pages = c->first_page = 0;
    }
    s->n_tokens = s->n_snapshots = 0;
}

void fp_state_free(fp_state *s)
{
    if (!s->caches) return;
    fp_state_reset(s);
    for (size_t i = 0; i < s->n_layers; i++) free(s->caches[i].page);
    free(s->caches);
    *s = (fp_state){0};
}

static bool reserve_pages(fp_cache *c, size_t n)
{
    fp_page **grown = grow_to(c->page, &c->capacity, n, sizeof *grown);
    if (grown) c->page = grown;
    return grown;
}

/* Allocates pages for positions from … end - 1, and copies those that have other users. */
static bool reserve_keys(fp_cache *c, const fp_cache_spec *spec, size_t from, size_t end)
{
    size_t n = pages_of(end) - c->first_page + c->n_sink_pages;
    if (!reserve_pages(c, n)) return false;
    for (size_t i = page_index(c, from / ASSAY_PAGE); i < c->n_pages; i++) {
        if (fp_page_is_exclusive(c->page[i])) continue;
        fp_page *copy = fp_page_copy(c->page[i]);
        if (!copy) return false;
        fp_page_release(c->page[i]);
        c->page[i] = copy;
    }
    while (c->n_pages < n) {
        fp_page *page = fp_page_make(spec->n_kv_heads * 2 * head_bytes(spec), FP_PAGE_NAN);
        if (!page) return false;
        c->page[c->n_pages++] = page;
    }
    return true;
}

/* Makes sure of a current state, and of a page for the next one. */
static bool reserve_recurrent(fp_cache *c, const fp_cache_spec *spec)
{
    if (!reserve_pages(c, 1)) return false;
    if (c->n_pages == 0) {
        fp_page *zero = fp_page_make(spec->n_floats * sizeof(float), FP_PAGE_ZERO);
        if (!zero) return false;
        c->page[c->n_pages++] = zero;
    }
    if (!c->next) c->next = fp_page_make(spec->n_floats * sizeof(float), FP_PAGE_NAN);
    return c->next != NULL;
}

assay_status fp_state_reserve(fp_state *s, size_t n)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        fp_cache *c = &s->caches[i];
        const fp_cache_spec *spec = &s->spec[i];
        if (spec->kind == FP_CACHE_SHARED || spec->kind == FP_CACHE_NONE) continue;
        if (spec->kind == FP_CACHE_RECURRENT ? !reserve_recurrent(c, spec)
                                             : !reserve_keys(c, spec, s->n_tokens, s->n_tokens + n))
            return ASSAY_ENOMEM;
    }
    return ASSAY_OK;
}

void fp_state_put(fp_state *s, size_t layer, size_t position, size_t n, const float *key, const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    const fp_cache *c = &s->caches[layer];
    const fp_keys keys = keys_of(spec);
    const size_t width = spec->n_kv_heads * spec->head_dim;
    assert(has_positions(spec));
    for (size_t done = 0; done < n;) {
        const size_t at = position + done, column = at % ASSAY_PAGE, place = page_index(c, at / ASSAY_PAGE);
        const size_t here = n - done < ASSAY_PAGE - column ? n - done : ASSAY_PAGE - column;
        assert(place < c->n_pages);
        fp_keys_put(&keys, fp_page_numbers(c->page[place]), column, here, key + done * width,
                    value + done * width);
        done += here;
    }
}

void fp_state_recurrent(const fp_state *s, size_t layer, const float **from, float **to)
{
    const fp_cache *c = &s->caches[layer];
    assert(s->spec[layer].kind == FP_CACHE_RECURRENT && c->n_pages > 0 && c->next);
    *from = fp_page_numbers(c->page[c->n_pages - 1]);
    *to = fp_page_numbers(c->next);
}

/* Releases the pages between the attention sink tokens and the page of position first. */
static void release_rotated(fp_cache *c, const fp_cache_spec *spec, size_t first)
{
    size_t number = first / ASSAY_PAGE, n_sink_pages = pages_of(spec->sink_tokens);
    if (number <= c->first_page || number <= n_sink_pages) return;
    size_t gone_from = c->first_page > n_sink_pages ? c->first_page : n_sink_pages;
    size_t at = page_index(c, gone_from), n = number - gone_from;
    if (n > c->n_pages - at) n = c->n_pages - at;
    for (size_t i = at; i < at + n; i++) fp_page_release(c->page[i]);
    memmove(c->page + at, c->page + at + n, (c->n_pages - at - n) * sizeof *c->page);
    c->n_pages -= n;
    c->n_sink_pages = n_sink_pages;
    c->first_page = number;
}

/* Releases a page of a recurrent cache, or makes it the next state's if it has no other user. */
static void retire_page(fp_cache *c, fp_page *page)
{
    if (!c->next && fp_page_is_exclusive(page)) c->next = page;
    else fp_page_release(page);
}

void fp_state_advance(fp_state *s, size_t n)
{
    s->n_tokens += n;
    for (size_t i = 0; i < s->n_layers; i++) {
        fp_cache *c = &s->caches[i];
        if (s->spec[i].kind == FP_CACHE_ROTATING)
            release_rotated(c, &s->spec[i], fp_cache_key_range(&s->spec[i], s->n_tokens).first);
        if (s->spec[i].kind != FP_CACHE_RECURRENT) continue;
        fp_page *old = c->page[c->n_pages - 1];
        c->page[c->n_pages - 1] = c->next;
        c->next = NULL;
        retire_page(c, old);
    }
}

/* The snapshot whose loss costs a later rewind least: the tokens that it would have to evaluate again,
 * relative to the distance from the end, since most rewinds are short. */
static size_t least_snapshot(const fp_state *s)
{
    size_t least = 0;
    double least_loss = INFINITY;
    for (size_t k = 0; k < s->n_snapshots; k++) {
        const size_t before = k ? s->snapshot[k - 1] : 0,
                     after = k + 1 < s->n_snapshots ? s->snapshot[k + 1] : s->n_tokens;
        const double loss = (double)(s->snapshot[k] - before) / (double)(s->n_tokens - before) *
                            (double)(after - s->snapshot[k]) / (double)(s->n_tokens - s->snapshot[k]);
        if (loss < least_loss) {
            least = k;
            least_loss = loss;
        }
    }
    return least;
}

static void drop_snapshot(fp_state *s, size_t k)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        fp_cache *c = &s->caches[i];
        if (s->spec[i].kind != FP_CACHE_RECURRENT) continue;
        fp_page *page = c->page[k];
        memmove(c->page + k, c->page + k + 1, (c->n_pages - k - 1) * sizeof *c->page);
        c->n_pages--;
        retire_page(c, page);
    }
    s->n_snapshots--;
    memmove(s->snapshot + k, s->snapshot + k + 1, (s->n_snapshots - k) * sizeof *s->snapshot);
}

assay_status fp_state_snapshot(fp_state *s)
{
    if (!s->has_recurrent || s->n_tokens == 0 ||
        (s->n_snapshots && s->snapshot[s->n_snapshots - 1] == s->n_tokens))
        return ASSAY_OK;
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->spec[i].kind == FP_CACHE_RECURRENT && !reserve_pages(&s->caches[i], FP_SNAPSHOTS_MAX + 1))
            return ASSAY_ENOMEM;
    if (s->n_snapshots == FP_SNAPSHOTS_MAX) drop_snapshot(s, least_snapshot(s));
    for (size_t i = 0; i < s->n_layers; i++) {
        fp_cache *c = &s->caches[i];
        if (s->spec[i].kind != FP_CACHE_RECURRENT) continue;
        c->page[c->n_pages] = fp_page_share(c->page[c->n_pages - 1]);
        c->n_pages++;
    }
    s->snapshot[s->n_snapshots++] = s->n_tokens;
    return ASSAY_OK;
}

/* Whether the cache still holds the keys to which a token at position n_tokens attends. */
static bool can_unwind(const fp_cache *c, const fp_cache_spec *spec, size_t n_tokens)
{
    if (pages_of(n_tokens) <= c->n_sink_pages || !has_positions(spec)) return true;
    return fp_cache_key_range(spec, n_tokens).first / ASSAY_PAGE >= c->first_page;
}

static void unwind_keys(fp_cache *c, size_t n_tokens)
{
    size_t n = pages_of(n_tokens);
    if (n <= c->n_sink_pages) c->n_sink_pages = c->first_page = 0;
    truncate_pages(c, n - c->first_page + c->n_sink_pages);
}

/* The snapshot stays, and the current state becomes another user of its page. */
static void unwind_recurrent(fp_cache *c, size_t n_snapshots)
{
    truncate_pages(c, n_snapshots);
    if (n_snapshots == 0) return;
    c->page[n_snapshots] = fp_page_share(c->page[n_snapshots - 1]);
    c->n_pages++;
}

bool fp_state_rewind(fp_state *s, size_t n_tokens)
{
    size_t n_snapshots = 0, reached = n_tokens;
    if (n_tokens == s->n_tokens) return true;
    while (n_snapshots < s->n_snapshots && s->snapshot[n_snapshots] <= n_tokens) n_snapshots++;
    if (s->has_recurrent) reached = n_snapshots ? s->snapshot[n_snapshots - 1] : 0;
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->spec[i].kind != FP_CACHE_RECURRENT && !can_unwind(&s->caches[i], &s->spec[i], reached))
            return false;
    for (size_t i = 0; i < s->n_layers; i++) {
        if (s->spec[i].kind == FP_CACHE_RECURRENT) unwind_recurrent(&s->caches[i], n_snapshots);
        else if (has_positions(&s->spec[i])) unwind_keys(&s->caches[i], reached);
    }
    s->n_tokens = reached;
    s->n_snapshots = n_snapshots;
    return true;
}

static bool fork_cache(fp_cache *to, const fp_cache *from)
{
    if (!reserve_pages(to, from->n_pages)) return false;
    for (size_t k = 0; k < from->n_pages; k++) to->page[k] = fp_page_share(from->page[k]);
    to->n_pages = from->n_pages;
    to->n_sink_pages = from->n_sink_pages;
    to->first_page = from->first_page;
    return true;
}

assay_status fp_state_fork(fp_state *to, const fp_state *from)
{
    fp_state_reset(to);
    bool ok = true;
    for (size_t i = 0; ok && i < from->n_layers; i++) ok = fork_cache(&to->caches[i], &from->caches[i]);
    if (!ok) {
        fp_state_reset(to);
        return ASSAY_ENOMEM;
    }
    memcpy(to->snapshot, from->snapshot, sizeof to->snapshot);
    to->n_snapshots = from->n_snapshots;
    to->n_tokens = from->n_tokens;
    return ASSAY_OK;
}

void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v)
{
    const fp_cache *c = &s->caches[s->spec[layer].source];
    const size_t bytes = head_bytes(&s->spec[s->spec[layer].source]), at = page_index(c, first / ASSAY_PAGE);
    assert(at + n <= c->n_pages && (at >= c->n_sink_pages || at + n <= c->n_sink_pages));
    for (size_t i = 0; i < n; i++) {
        const unsigned char *keys =
            (const unsigned char *)fp_page_numbers(c->page[at + i]) + 2 * kv_head * bytes;
        k[i] = keys;
        v[i] = keys + bytes;
    }
}
