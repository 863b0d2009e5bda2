/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/bundle/failures.h"
#include "conformance/reduce/cut/inputs.h"
#include "conformance/reduce/make.h"

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

static void print_kept(FILE *out, const conf_subject *s)
{
    const conf_whole *whole = &s->whole;
    const conf_cut *cut = &s->r.best;
    char before[160], after[160];
    conf_cut every;
    if (conf_cut_open(whole, &every)) {
        conf_cut_print(whole, &every, before, sizeof before);
        conf_cut_print(whole, cut, after, sizeof after);
        (void)fprintf(out, "Reduced from %s to %s.\n", before, after);
    }
    conf_cut_free(&every);
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
    (void)fprintf(out, "%s.\n", conf_making_origin(whole, s->r.computed));
}

/* The lines on what was kept; the caller frees them. NULL if out of memory. */
static char *describe(const conf_subject *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    print_kept(f, s);
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

/* Makes the reduced case that of the results. */
static assay_status set_result(conf_subject *s, assay_error *err)
{
    conf_result *one = &s->results.at[0];
    char path[4096];
    conf_attempt_best(&s->r, path, sizeof path);
    char *copy = strdup(path);
    if (!copy) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    free(one->path);
    one->path = copy;
    one->verdicts[0] = s->r.verdict;
    return conf_digest_file(path, one->digest, err);
}

assay_status conf_reduced_write(conf_subject *s, double seconds, assay_error *err)
{
    const conf_context *context = s->r.context;
    char *name = conf_bundle_case_name(s->task->path, context->fixtures), *remarks = describe(s);
    conf_bundle bundle = {0};
    assay_status rc = name && remarks ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) rc = set_result(s, err);
    if (rc == ASSAY_OK) {
        const conf_bundle_failure failure = {.results = &s->results,
                                             .name = name,
                                             .reference = s->reference,
                                             .home = context->variable("HOME"),
                                             .remarks = remarks};
        rc = conf_bundle_write(s->task->directory, &failure, s->jobs, &bundle, err);
    }
    if (rc == ASSAY_OK) {
        (void)fprintf(context->out, "\n%s%zu attempt%s, %.1f s%s\n", remarks, s->r.n_attempts,
                      s->r.n_attempts == 1 ? "" : "s", seconds,
                      conf_attempt_is_over(&s->r) ? ": the time limit (--seconds) ended the reduction" : "");
        conf_bundle_print(&bundle, s->task->directory, true, context->out, "");
    }
    conf_bundle_free(&bundle);
    free(name);
    free(remarks);
    return rc;
}
