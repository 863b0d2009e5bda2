/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/print_tower.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan/print_conv.h"
#include "model/plan/print_norm.h"

static void print_inputs(const plan_tower *t, FILE *out)
{
    const plan_patches *p = &t->patches;
    const size_t side = plan_tower_block(t);
    if (t->audio_token >= 0 && t->kind == PLAN_TOWER_AUDIO)
        fprintf(out, "audio        token %" PRId32 ", %zu bins in chunks of %zu frames, %zu tokens each\n",
                t->audio_token, t->audio.n_bins, t->audio.chunk, plan_audio_rest(t->audio.chunk));
    if (t->kind == PLAN_TOWER_TILES)
        fprintf(out,
                "image        token %" PRId32
                " for up to %zu tiles of %zu x %zu patches of %zu x %zu pixels, in %zu ratios\n",
                t->image_token, t->tiles.n, t->tiles.side, t->tiles.side, p->size, p->size,
                t->tiles.n_ratios);
    else if (t->kind == PLAN_TOWER_CONV)
        fprintf(out, "image        token %" PRId32 ", %zu for an image of any size\n", t->image_token,
                t->conv.side * t->conv.side);
    else if (t->image_token >= 0)
        fprintf(out, "image        token %" PRId32 " for %zu x %zu patches of %zu x %zu pixels\n",
                t->image_token, side, side, p->size, p->size);
    if (t->n_leading > 0)
        fprintf(out, "             after %zu more of these tokens, at the beginning of a sample\n",
                t->n_leading);
    if (t->video_token < 0) return;
    fprintf(out, "video        token %" PRId32 ", %zu frames a patch%s", t->video_token, p->frames,
            t->frames_apart ? ", each patch of frames has a run of tokens" : "");
    if (t->tokens_per_second > 0) fprintf(out, ", %g positions a second", t->tokens_per_second);
    fputs(t->spans_time ? ", audio clips among its tokens\n" : "\n", out);
}

static void print_audio(const plan_audio *s, const plan_patches *p, FILE *out)
{
    fprintf(out, "             %d convolutions of %d x %d, stride 2, gelu, to %zu channels%s\n",
            PLAN_AUDIO_CONVOLUTIONS, PLAN_AUDIO_SIDE, PLAN_AUDIO_SIDE,
            s->convolutions[PLAN_AUDIO_CONVOLUTIONS - 1].product.weight.rows,
            s->convolutions[0].channels_last ? ", weights with the channels last" : "");
    fprintf(out, "             rows of %zu%s\n", p->channels, p->embed.bias.data ? ", bias" : "");
}

static void print_patches(const plan_tower *t, FILE *out)
{
    const plan_patches *p = &t->patches;
    if (t->kind == PLAN_TOWER_CONV) {
        fprintf(out, "tower        %zu convolutional blocks on %zu channels, %zu wide\n", t->conv.n_blocks,
                p->channels, t->hidden);
        return;
    }
    fprintf(out, "tower        %zu layer%s, %zu wide\n", t->n_layers, t->n_layers == 1 ? "" : "s", t->hidden);
    if (t->kind == PLAN_TOWER_AUDIO) {
        print_audio(&t->audio, p, out);
        return;
    }
    fprintf(out, "             patches of %zu channels, %zu frame%s, %zu x %zu pixels, %s%s\n", p->channels,
            p->frames, p->frames == 1 ? "" : "s", p->size, p->size,
            p->order == PLAN_PATCHES_BLOCKS ? "in blocks" : "row by row", p->embed.bias.data ? ", bias" : "");
    if (p->weights_channels_last) fprintf(out, "             their weights have the channels last\n");
    if (p->pixel_factor != 1 || p->pixel_offset != 0)
        fprintf(out, "             pixels times %g plus %g\n", p->pixel_factor, p->pixel_offset);
}

static void print_places(const plan_tower *t, FILE *out)
{
    static const char *const KINDS[] = {"", "two taps", "four taps", "a row for x and one for y"};
    const plan_table *table = &t->table;
    if (table->kind == PLAN_TABLE_SINUSOIDS)
        fprintf(out, "             sinusoids as positions, from 0 on after %zu rows\n", table->period);
    else if (table->kind == PLAN_TABLE_AXES)
        fprintf(out, "             learned positions 2 x %zu, %s\n", table->side, KINDS[table->kind]);
    else if (table->kind != PLAN_TABLE_NONE)
        fprintf(out, "             learned positions %zu x %zu, resampled by %s%s\n", table->side,
                table->side, KINDS[table->kind], table->aligns_corners ? ", corners aligned" : "");
    if (!t->has_rope) return;
    const rope *r = &t->rope;
    fprintf(out, "             rope theta %g, %zu of %zu elements, %s%s\n", r->theta, r->dim, r->head_dim,
            r->sections == ROPE_SECTIONS_COLUMN_ROW ? "column before row" : "row before column",
            r->pairing == ROPE_PAIRS_QUARTER ? ", pairs in each half" : "");
}

static void print_layer(const plan_tower *t, const plan_tower_layer *l, FILE *out)
{
    const plan_attention *a = &l->attention;
    fprintf(out, "attention %zu/%zu heads of %zu, scale %.6g", a->n_heads, a->n_kv_heads, a->head_dim,
            a->scale);
    if (l->in_windows && t->kind == PLAN_TOWER_AUDIO) fprintf(out, ", within windows of %zu rows", t->window);
    else if (l->in_windows) fprintf(out, ", within windows of %zu x %zu blocks", t->window, t->window);
    else fprintf(out, ", within %s", t->kind == PLAN_TOWER_TILES ? "an image" : "a frame");
    fprintf(out, "%s", a->rope == PLAN_NONE ? ", no rope" : ", rope");
    if (a->q.bias.data) fprintf(out, ", bias on q%s", a->k.bias.data ? ", k, v" : "");
    if (a->o.bias.data) fprintf(out, ", bias on o");
    fprintf(out, "\n             mlp %zu, %s%s%s%s\n", l->mlp.intermediate,
            plan_activation_name(l->mlp.activation), l->mlp.gate.weight.data ? "" : ", no gate",
            l->mlp.down.bias.data ? ", biases" : "",
            plan_tower_layer_has_clips(l) ? ", limits of products" : "");
    fprintf(out, "             norms");
    plan_print_norm(out, "mixer_in", &l->mixer_in);
    plan_print_norm(out, "q", &a->q_norm);
    plan_print_norm(out, "k", &a->k_norm);
    plan_print_norm(out, "v", &a->v_norm);
    plan_print_norm(out, "mixer_out", &l->mixer_out);
    plan_print_norm(out, "mlp_in", &l->mlp_in);
    plan_print_norm(out, "mlp_out", &l->mlp_out);
    if (l->mixer_gate.data || l->mlp_gate.data) fprintf(out, ", gates of residuals");
    fprintf(out, ", epsilon %g\n", (l->mixer_in.present ? &l->mixer_in : &l->mixer_out)->epsilon);
}

/* The text of a layer; to be freed, NULL if out of memory. */
static char *layer_text(const plan_tower *t, size_t i)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) return NULL;
    print_layer(t, &t->layers[i], f);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

static void print_layers(const plan_tower *t, FILE *out)
{
    for (size_t first = 0, end; first < t->n_layers; first = end) {
        char *text = layer_text(t, first), *next = NULL;
        for (end = first + 1; text && end < t->n_layers; end++, free(next))
            if (!(next = layer_text(t, end)) || strcmp(text, next) != 0) break;
        if (text && end < t->n_layers) free(next);
        if (end == first + 1) fprintf(out, "tower %02zu     ", first);
        else fprintf(out, "tower %02zu-%02zu  ", first, end - 1);
        if (text) fputs(text, out);
        else print_layer(t, &t->layers[first], out);
        free(text);
    }
}

static void print_mlp(const plan_mlp *m, FILE *out)
{
    fprintf(out, " mlp %zu, %s%s%s", m->intermediate, plan_activation_name(m->activation),
            m->gate.weight.data ? "" : ", no gate", m->down.bias.data ? ", biases" : "");
}

/* joins: the step is before the concatenation. */
static void print_step(const plan_merger_step *step, bool joins, FILE *out)
{
    switch (step->kind) {
    case PLAN_MERGER_NORM:
        plan_print_norm(out, joins ? "norm over a patch" : "norm over a block", &step->norm);
        fprintf(out, ", epsilon %g", step->norm.epsilon);
        break;
    case PLAN_MERGER_CONCATENATE:
        fprintf(out, " blocks joined%s", step->channels_first ? " channel by channel" : "");
        break;
    case PLAN_MERGER_LINEAR:
        fprintf(out, " %zu to %zu%s", step->linear.weight.cols, step->linear.weight.rows,
                step->linear.bias.data ? " with bias" : "");
        break;
    case PLAN_MERGER_ACTIVATION: fprintf(out, " %s", plan_activation_name(step->activation)); break;
    case PLAN_MERGER_MLP: print_mlp(&step->mlp, out); break;
    case PLAN_MERGER_REPEAT: fprintf(out, " each row twice"); break;
    case PLAN_MERGER_ROW_ENDS: fprintf(out, " a vector after each row of blocks"); break;
    case PLAN_MERGER_ENDS: fprintf(out, " a vector before and one after an image"); break;
    }
}

static void print_merger(const plan_merger *m, FILE *out)
{
    bool joins = true;
    for (size_t i = 0; i < m->n_steps; i++) {
        if (i > 0) fputc(',', out);
        if (m->steps[i].kind == PLAN_MERGER_CONCATENATE) joins = false;
        print_step(&m->steps[i], joins, out);
    }
    fputc('\n', out);
}

static void print_tiles(const plan_tiles *k, size_t n_layers, FILE *out)
{
    fprintf(out, "             tables of tiles, %zu rows of a tile padded to %zu\n", plan_tiles_rows(k),
            k->padded);
    if (k->second < n_layers) {
        fprintf(out, "             before layer %02zu", k->second);
        plan_print_norm(out, "norm", &k->middle);
        fprintf(out, ", epsilon %g, and a table of tiles\n", k->middle.epsilon);
    }
    if (k->n_collected == 0) return;
    fprintf(out, "             features with the inputs of layers");
    for (size_t i = 0; i < k->n_collected; i++) fprintf(out, " %02zu", k->collected[i]);
    fputc('\n', out);
}

void plan_print_tower(const plan_tower *t, FILE *out)
{
    const plan_pooling *pool = &t->pooling;
    print_inputs(t, out);
    print_patches(t, out);
    print_places(t, out);
    if (t->in_norm.present) {
        fprintf(out, "            ");
        plan_print_norm(out, "norm after the embedding", &t->in_norm);
        fprintf(out, ", epsilon %g\n", t->in_norm.epsilon);
    }
    print_layers(t, out);
    if (t->kind == PLAN_TOWER_TILES) print_tiles(&t->tiles, t->n_layers, out);
    if (t->kind == PLAN_TOWER_CONV) plan_print_conv(t, out);
    if (t->out_norm.present) {
        fprintf(out, "            ");
        plan_print_norm(out, "norm after the last layer", &t->out_norm);
        fprintf(out, ", epsilon %g\n", t->out_norm.epsilon);
    }
    if (pool->side != 1 || pool->factor != 1)
        fprintf(out, "pooling      %zu x %zu patches, times %.10g%s\n", pool->side, pool->side, pool->factor,
                pool->bias.data ? ", standardised" : "");
    if (t->kind == PLAN_TOWER_CROPS)
        fprintf(out, "crops        joined without margins of %zu patches, beside the whole image\n",
                t->crops.margin);
    fprintf(out, "features    ");
    print_merger(&t->merger, out);
    for (size_t k = 0; k < t->n_deepstack; k++) {
        fprintf(out, "features    ");
        fprintf(out, " of tower %02zu, added to layer %02zu:", t->deepstack[k].tower_layer, k);
        print_merger(&t->deepstack[k].merger, out);
    }
}
