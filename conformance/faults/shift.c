/* Faults of a full cache: it drops its oldest tokens and renumbers the others, whose keys and values are
 * computed again, or stay as they were.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

/* A full cache drops its oldest token after the attention sink tokens, and renumbers the others: they are
 * evaluated again from there. The tokens of a sample, as long as no more than TRACKED_MAX. */
enum { SLOTS_MAX = 16, TRACKED_MAX = 256 };
static int32_t tracked[SLOTS_MAX][TRACKED_MAX];
static size_t shift_limit, shift_sinks, shifted_by; /* shifted_by: while tokens are evaluated again */

void fault_limit_noted(size_t *limit, size_t *sink_tokens)
{
    shift_limit = *limit;
    shift_sinks = *sink_tokens;
}

/* Makes room for n tokens more. */
static void shift_sample(fp_session *s, size_t slot, size_t n)
{
    const size_t length = fp_session_length(s, slot), n_dropped = length + n - shift_limit;
    int32_t *oldest = tracked[slot] + shift_sinks;
    const size_t n_left = length - shift_sinks - n_dropped;
    memmove(oldest, oldest + n_dropped, n_left * sizeof *oldest);
    (void)fp_session_rewind(s, slot, shift_sinks, NULL);
    shifted_by = n_dropped;
    if (n_left)
        (void)fp_session_step(s, &(fp_step){.slot = slot, .tokens = oldest, .n_tokens = n_left}, 1, NULL,
                              NULL);
    shifted_by = 0;
}

void fault_context_shift(fp_session *s, const fp_step *steps, size_t n_steps)
{
    static bool shifting; /* fp_session_step comes here again */
    if (shifting || !shift_limit) return;
    shifting = true;
    for (size_t i = 0; i < n_steps; i++) {
        const size_t slot = steps[i].slot, n = steps[i].n_tokens;
        if (slot >= SLOTS_MAX || n > shift_limit) continue;
        if (fp_session_length(s, slot) + n > shift_limit) shift_sample(s, slot, n);
        memcpy(tracked[slot] + fp_session_length(s, slot), steps[i].tokens, n * sizeof *steps[i].tokens);
    }
    shifting = false;
}

/* The key and the value of a position in a layer of a sample. */
typedef struct kept_row {
    const fp_state *state;
    size_t layer, position;
    float *key, *value; /* [n_kv_heads, head_dim] */
} kept_row;

enum { ROWS_MAX = 8192 };
static kept_row kept[ROWS_MAX];
static size_t n_kept;

static kept_row *row_at(const fp_state *s, size_t layer, size_t position)
{
    const size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    for (size_t i = 0; i < n_kept; i++)
        if (kept[i].state == s && kept[i].layer == layer && kept[i].position == position) return &kept[i];
    if (n_kept == ROWS_MAX) abort();
    kept_row *row = &kept[n_kept++];
    *row = (kept_row){s, layer, position, calloc(width, sizeof *row->key), calloc(width, sizeof *row->value)};
    if (!row->key || !row->value) abort();
    return row;
}

/* The rope of all layers, of the default type. */
static double rope_theta;
static size_t rope_dim;

void fault_rope_noted(plan *p)
{
    rope_theta = p->ropes[0].theta;
    rope_dim = p->ropes[0].dim;
}

/* Turns keys [n_heads, head_dim] back by n positions. */
static void turn_back(float *key, size_t n_heads, size_t head_dim, size_t n)
{
    const size_t half = rope_dim / 2;
    for (size_t h = 0; h < n_heads; h++, key += head_dim)
        for (size_t i = 0; i < half; i++) {
            const double angle = (double)n * pow(rope_theta, -(double)i / (double)half);
            const double a = (double)key[i], b = (double)key[i + half];
            key[i] = (float)(a * cos(angle) + b * sin(angle));
            key[i + half] = (float)(b * cos(angle) - a * sin(angle));
        }
}

/* A token that is evaluated again gets the key and the value that it had, the key turned to its new position.
 */
void fault_shift_keeps(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                       const float *value)
{
    static bool putting; /* fp_state_put comes here again */
    const size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    if (putting) return;
    putting = true;
    for (size_t i = 0; i < n; i++) {
        kept_row *to = row_at(s, layer, position + i);
        const kept_row *from = shifted_by ? row_at(s, layer, position + i + shifted_by) : NULL;
        memcpy(to->key, from ? from->key : key + i * width, width * sizeof *key);
        memcpy(to->value, from ? from->value : value + i * width, width * sizeof *value);
        if (!from) continue;
        turn_back(to->key, s->spec[layer].n_kv_heads, s->spec[layer].head_dim, shifted_by);
        fp_state_put(s, layer, position + i, 1, to->key, to->value);
    }
    putting = false;
}
