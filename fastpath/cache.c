/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/matmul.h"

struct fp_page {
    size_t n_users;
    _Alignas(
        64) float numbers[]; /* [n_kv_heads] of keys [head_dim, ASSAY_PAGE], values [ASSAY_PAGE, head_dim] */
};

static size_t page_bytes(const fp_cache_spec *spec)
{
    return spec->n_kv_heads * spec->head_dim * 2 * ASSAY_PAGE * sizeof(float);
}

static void release(fp_page *page)
{
    if (--page->n_users == 0) free(page);
}

/* A page that holds NaN, or what `from` holds. */
static fp_page *make_page(const fp_cache_spec *spec, const fp_page *from)
{
    size_t bytes = page_bytes(spec);
    fp_page *page = aligned_alloc(ASSAY_ALIGNMENT, sizeof *page + bytes);
    if (!page) return NULL;
    page->n_users = 1;
    if (from) memcpy(page->numbers, from->numbers, bytes);
    else memset(page->numbers, 0xff, bytes);
    return page;
}

void fp_cache_specs(const plan *p, fp_cache_spec *spec)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        spec[i] = (fp_cache_spec){.kind = a->window ? FP_CACHE_ROTATING : FP_CACHE_FULL,
                                  .source = a->cache_layer,
                                  .window = a->window,
                                  .n_kv_heads = a->n_kv_heads,
                                  .head_dim = a->head_dim};
        if (a->cache_layer == i) continue;
        fp_cache_spec *source = &spec[a->cache_layer];
        spec[i].kind = FP_CACHE_SHARED;
        if (!a->window) source->kind = FP_CACHE_FULL;
        else if (a->window > source->window) source->window = a->window;
    }
}

assay_status fp_state_open(fp_state *s, const fp_cache_spec *spec, size_t n_layers)
{
    *s = (fp_state){.spec = spec, .n_layers = n_layers};
    s->caches = calloc(n_layers ? n_layers : 1, sizeof *s->caches);
    return s->caches ? ASSAY_OK : ASSAY_ENOMEM;
}

/* Gives back the pages behind the first n. */
static void cut(fp_cache *c, size_t n)
{
    while (c->n_pages > n) release(c->page[--c->n_pages]);
}

void fp_state_reset(fp_state *s)
{
    for (size_t i = 0; i < s->n_layers; i++) {
        cut(&s->caches[i], 0);
        s->caches[i].first_page = 0;
    }
    s->n_tokens = 0;
}

void fp_state_free(fp_state *s)
{
    if (!s->caches) return;
    fp_state_reset(s);
    for (size_t i = 0; i < s->n_layers; i++) free(s->caches[i].page);
    free(s->caches);
    *s = (fp_state){0};
}

static bool hold_pages(fp_cache *c, size_t n)
{
    if (n <= c->capacity) return true;
    size_t capacity = c->capacity ? c->capacity : 4;
    while (capacity < n) capacity *= 2;
    fp_page **grown = realloc(c->page, capacity * sizeof *grown);
    if (!grown) return false;
    c->page = grown;
    c->capacity = capacity;
    return true;
}

/* Pages for positions from … end - 1, each with no other user. */
static bool reserve(fp_cache *c, const fp_cache_spec *spec, size_t from, size_t end)
{
    size_t n = (end + ASSAY_PAGE - 1) / ASSAY_PAGE - c->first_page;
    if (!hold_pages(c, n)) return false;
    for (size_t i = from / ASSAY_PAGE - c->first_page; i < c->n_pages; i++) {
        if (c->page[i]->n_users == 1) continue;
        fp_page *copy = make_page(spec, c->page[i]);
        if (!copy) return false;
        release(c->page[i]);
        c->page[i] = copy;
    }
    while (c->n_pages < n) {
        fp_page *page = make_page(spec, NULL);
        if (!page) return false;
        c->page[c->n_pages++] = page;
    }
    return true;
}

assay_status fp_state_reserve(fp_state *s, size_t n)
{
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->spec[i].kind != FP_CACHE_SHARED &&
            !reserve(&s->caches[i], &s->spec[i], s->n_tokens, s->n_tokens + n))
            return ASSAY_ENOMEM;
    return ASSAY_OK;
}

void fp_state_put(fp_state *s, size_t layer, size_t position, const float *key, const float *value)
{
    const fp_cache_spec *spec = &s->spec[layer];
    const fp_cache *c = &s->caches[layer];
    size_t d = spec->head_dim, column = position % ASSAY_PAGE;
    assert(spec->kind != FP_CACHE_SHARED && position / ASSAY_PAGE - c->first_page < c->n_pages);
    float *numbers = c->page[position / ASSAY_PAGE - c->first_page]->numbers;
    for (size_t h = 0; h < spec->n_kv_heads; h++) {
        float *k = numbers + h * 2 * d * ASSAY_PAGE, *v = k + d * ASSAY_PAGE;
        for (size_t i = 0; i < d; i++) k[i * ASSAY_PAGE + column] = key[h * d + i];
        memcpy(v + column * d, value + h * d, d * sizeof *v);
    }
}

/* The first position that a token at `position` sees through a cache. */
static size_t first_seen(const fp_cache_spec *spec, size_t position)
{
    if (spec->kind != FP_CACHE_ROTATING || position < spec->window) return 0;
    return position - spec->window + 1;
}

/* Gives back the pages before the one of position first. */
static void rotate(fp_cache *c, size_t first)
{
    size_t n = first / ASSAY_PAGE - c->first_page;
    if (n > c->n_pages) n = c->n_pages;
    for (size_t i = 0; i < n; i++) release(c->page[i]);
    if (n) memmove(c->page, c->page + n, (c->n_pages - n) * sizeof *c->page);
    c->n_pages -= n;
    c->first_page += n;
}

void fp_state_advance(fp_state *s, size_t n)
{
    s->n_tokens += n;
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->spec[i].kind == FP_CACHE_ROTATING) rotate(&s->caches[i], first_seen(&s->spec[i], s->n_tokens));
}

bool fp_state_rewind(fp_state *s, size_t n_tokens)
{
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->caches[i].first_page > first_seen(&s->spec[i], n_tokens) / ASSAY_PAGE) return false;
    for (size_t i = 0; i < s->n_layers; i++)
        if (s->spec[i].kind != FP_CACHE_SHARED)
            cut(&s->caches[i], (n_tokens + ASSAY_PAGE - 1) / ASSAY_PAGE - s->caches[i].first_page);
    s->n_tokens = n_tokens;
    return true;
}

assay_status fp_state_fork(fp_state *to, const fp_state *from)
{
    fp_state_reset(to);
    for (size_t i = 0; i < from->n_layers; i++) {
        fp_cache *c = &to->caches[i];
        const fp_cache *source = &from->caches[i];
        if (!hold_pages(c, source->n_pages)) {
            fp_state_reset(to);
            return ASSAY_ENOMEM;
        }
        for (size_t k = 0; k < source->n_pages; k++) {
            c->page[k] = source->page[k];
            c->page[k]->n_users++;
        }
        c->n_pages = source->n_pages;
        c->first_page = source->first_page;
    }
    to->n_tokens = from->n_tokens;
    return ASSAY_OK;
}

void fp_state_pages(const fp_state *s, size_t layer, size_t kv_head, size_t first, size_t n, const void **k,
                    const void **v)
{
    const fp_cache_spec *spec = &s->spec[layer];
    const fp_cache *c = &s->caches[spec->source];
    size_t d = s->spec[spec->source].head_dim, at = first / ASSAY_PAGE - c->first_page;
    assert(at + n <= c->n_pages);
    for (size_t i = 0; i < n; i++) {
        const float *keys = c->page[at + i]->numbers + kv_head * 2 * d * ASSAY_PAGE;
        k[i] = keys;
        v[i] = keys + d * ASSAY_PAGE;
    }
}
