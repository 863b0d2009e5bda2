/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/print_conv.h"

#include <stdlib.h>
#include <string.h>

#include "model/plan/plan.h"

static void print_unit(const plan_conv_unit *u, FILE *out)
{
    const plan_convolution *c = &u->convolution;
    fprintf(out, " %zu x %zu%s", c->kernel, c->kernel, c->is_depthwise ? " depthwise" : "");
    if (c->stride != 1) fprintf(out, " stride %zu", c->stride);
    fprintf(out, " to %zu%s", c->n_out, c->product.bias.data ? " with bias" : "");
    if (u->norm.present) fprintf(out, " norm %g", u->norm.epsilon);
    if (u->is_activated) fprintf(out, " %s", plan_activation_name(u->activation));
}

static void print_block(const plan_conv_block *b, FILE *out)
{
    const plan_attention *a = &b->attention;
    for (size_t i = 0; b->kind == PLAN_CONV_UNITS && i < b->n_units; i++) {
        if (i > 0) fputc(',', out);
        print_unit(&b->units[i], out);
    }
    if (b->kind == PLAN_CONV_ATTENTION) {
        if (b->norm.present) fprintf(out, " norm %g,", b->norm.epsilon);
        fprintf(out, " attention %zu/%zu heads of %zu, scale %.6g", a->n_heads, a->n_kv_heads, a->head_dim,
                a->scale);
    }
    if (b->kind == PLAN_CONV_ATTENTION && b->has_key_units) {
        fprintf(out, ", keys and values of");
        print_unit(&b->key, out);
    }
    fprintf(out, "%s%s\n", b->scale.data ? ", layer scale" : "", b->is_residual ? ", residual" : "");
}

/* The text of a block; to be freed, NULL if out of memory. */
static char *block_text(const plan_conv_block *b)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) return NULL;
    print_block(b, f);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

/* The first block from `first` on with another text than that one; *text: that of `first`. */
static size_t find_other(const plan_conv_tower *t, size_t first, char **text)
{
    size_t end = first + 1;
    *text = block_text(&t->blocks[first]);
    for (; *text && end < t->n_blocks; end++) {
        char *next = block_text(&t->blocks[end]);
        const bool is_equal = next && strcmp(*text, next) == 0;
        free(next);
        if (!is_equal) break;
    }
    return end;
}

void plan_print_conv(const plan_tower *tower, FILE *out)
{
    const plan_conv_tower *t = &tower->conv;
    for (size_t first = 0, end; first < t->n_blocks; first = end) {
        char *text;
        end = find_other(t, first, &text);
        if (end == first + 1) fprintf(out, "block %02zu    ", first);
        else fprintf(out, "block %02zu-%02zu ", first, end - 1);
        if (text) fputs(text, out);
        else print_block(&t->blocks[first], out);
        free(text);
    }
    fprintf(out, "fusion       of blocks");
    for (size_t k = 0; k < t->n_taken; k++) fprintf(out, "%s %02zu", k ? "," : "", t->taken[k]);
    fprintf(out, ", %zu x %zu rows:", t->side, t->side);
    print_block(&t->fusion, out);
}
