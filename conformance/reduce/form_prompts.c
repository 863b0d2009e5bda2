/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/reduce/cut/inputs.h"
#include "conformance/reduce/form.h"
#include "conformance/reduce/layers.h"
#include "conformance/reduce/make.h"

static bool takes(const conf_kind_info *kind)
{
    return kind->has_decoder;
}

static assay_status open_form(conf_reducing *r, const char *name, assay_error *err)
{
    r->name = strdup(name);
    r->whole = calloc(1, sizeof *r->whole);
    if (!r->name || !r->whole) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    r->whole->n_layers = conf_layers_count(r->c->model);
    const assay_status rc = conf_whole_open(r->c, &r->verdict.checkpoint.placeholders, r->whole, err);
    if (rc != ASSAY_OK) return rc;
    if (!conf_cut_open(r->whole, &r->best) || !conf_cut_open(r->whole, &r->trial))
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    return ASSAY_OK;
}

static void close_form(conf_reducing *r)
{
    conf_cut_free(&r->best);
    conf_cut_free(&r->trial);
    if (r->whole) conf_whole_close(r->whole);
    free(r->whole);
}

/* Notes the tensor that the reference finds, too. */
static bool write_first(conf_reducing *r, conf_verdict *v)
{
    conf_attempt_note(r);
    if (r->symptom.tensor[0]) {
        if (!conf_attempt_recorded(r, true, v)) return false;
        memcpy(r->symptom.computed_tensor, v->tensor, sizeof v->tensor);
    }
    return conf_attempt_recorded(r, false, v);
}

static void print_size(const conf_reducing *r, conf_state state, char *text, size_t size)
{
    conf_cut whole = {0};
    if (state == CONF_OF_WHOLE && conf_cut_open(r->whole, &whole))
        conf_cut_print(r->whole, &whole, text, size);
    else if (state != CONF_OF_WHOLE) conf_cut_print(r->whole, &r->best, text, size);
    conf_cut_free(&whole);
}

/* "tokens 0 to 4, 7" of a sample; the tokens of its steps count on after its prompt. */
static void print_tokens(FILE *out, const conf_whole *whole, const conf_cut *cut, size_t sample)
{
    const bool *kept = cut->tokens + sample * whole->width;
    const size_t n = conf_whole_tokens(whole, sample);
    const char *comma = "";
    for (size_t i = 0; i < n; i++) {
        size_t last = i;
        if (!kept[i]) continue;
        while (last + 1 < n && kept[last + 1]) last++;
        (void)fprintf(out, last > i ? "%s%zu to %zu" : "%s%zu", comma, i, last);
        comma = ", ";
        i = last;
    }
    (void)fprintf(out, " of 0 to %zu", n - 1);
}

/* "; inputs 0 (1 x 2 x 2 patches of 1 x 4 x 6, values 0), 1" of a sample. */
static void print_inputs(FILE *out, const conf_whole *whole, const conf_cut *cut, size_t sample)
{
    size_t n = 0;
    for (size_t i = whole->items.of[sample]; i < whole->items.of[sample + 1]; i++) {
        const size_t *size = cut->sizes[i].n, *of = whole->sizes[i].n;
        const bool is_smaller = !conf_size_is(&cut->sizes[i], &whole->sizes[i]);
        if (!conf_cut_has_item(whole, cut, sample, i)) continue;
        (void)fprintf(out, "%s%zu", n++ ? ", " : "; inputs ", i - whole->items.of[sample]);
        if (!conf_cut_changes_item(whole, cut, i)) continue;
        (void)fputs(" (", out);
        if (is_smaller && whole->items.items[i].kind == ASSAY_ITEM_AUDIO)
            (void)fprintf(out, "the first %zu of %zu frames", size[0], of[0]);
        else if (is_smaller)
            (void)fprintf(out, "%zu x %zu x %zu patches of %zu x %zu x %zu", size[0], size[1], size[2], of[0],
                          of[1], of[2]);
        if (cut->fillings[i] != CONF_FILLING_OWN)
            (void)fprintf(out, "%svalues %s", is_smaller ? ", " : "", conf_filling_name(cut->fillings[i]));
        (void)fputc(')', out);
    }
}

static void describe(FILE *out, const conf_reducing *r)
{
    const conf_whole *whole = r->whole;
    const conf_cut *cut = &r->best;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) {
        if (!cut->samples[b]) continue;
        (void)fprintf(out, "Kept of sample %zu: tokens ", b);
        print_tokens(out, whole, cut, b);
        print_inputs(out, whole, cut, b);
        (void)fputs(".\n", out);
    }
    if (conf_cut_plain(whole, cut))
        (void)fprintf(out, "Tokens that have the id %d instead of their own: %zu.\n", (int)whole->plain,
                      conf_cut_plain(whole, cut));
    (void)fprintf(out, "%s.\n", conf_making_origin(whole, r->computed));
}

static const conf_part *const parts[] = {
    &conf_part_samples, &conf_part_steps,  &conf_part_ends, &conf_part_inputs, &conf_part_sizes,
    &conf_part_tokens,  &conf_part_layers, &conf_part_ids,  &conf_part_values, NULL};

const conf_form conf_form_prompts = {.takes = takes,
                                     .open = open_form,
                                     .close = close_form,
                                     .write_first = write_first,
                                     .print_size = print_size,
                                     .describe = describe,
                                     .parts = parts};

static bool takes_positions(const conf_kind_info *kind)
{
    return kind == conf_kind_of(CONF_POSITIONS);
}

static const conf_part *const parts_of_positions[] = {&conf_part_samples, NULL};

const conf_form conf_form_positions = {.takes = takes_positions,
                                       .open = open_form,
                                       .close = close_form,
                                       .write_first = write_first,
                                       .print_size = print_size,
                                       .describe = describe,
                                       .parts = parts_of_positions,
                                       .is_recorded = true};
