/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/bundle/failures.h"
#include "conformance/process/interrupt.h"
#include "conformance/reduce/form.h"
#include "conformance/reduce/result.h"
#include "conformance/reduce/subject.h"
#include "conformance/support/clock.h"
#include "conformance/support/text.h"

/* Reduces every part, again and again, until none becomes smaller. Large cuts come first, of every part: a
 * failure that needs a long prompt leaves no time for single tokens before layers and ids have been tried. */
static void reduce_parts(conf_reducing *r)
{
    static const size_t n_groups[] = {8, 64, 0};
    enum { N_ROUNDS = sizeof n_groups / sizeof *n_groups };
    for (size_t round = 0; round < N_ROUNDS && !conf_attempt_is_over(r);) {
        bool smaller = false;
        r->n_groups = n_groups[round];
        for (size_t i = 0; r->form->parts[i]; i++) smaller = r->form->parts[i]->reduce(r) || smaller;
        if (!smaller) round++;
    }
}

static void print_beginning(const conf_subject *s)
{
    FILE *out = s->r.context->out;
    char text[160] = "";
    char first[160] = "";
    s->r.form->print_size(&s->r, CONF_OF_WHOLE, text, sizeof text);
    s->r.form->print_size(&s->r, CONF_OF_BEST, first, sizeof first);
    (void)fprintf(out, "whole: %s\n", text);
    if (strcmp(first, text) != 0) (void)fprintf(out, "begins with %s\n", first);
    if (!s->doubts[0]) return;
    (void)fputs("no expected value is computed, since ref64 does not agree with the case: ", out);
    conf_text_print_clean(out, s->doubts);
    (void)fputc('\n', out);
}

static conf_exit reduce_subject(conf_subject *s, double begin, assay_error *err)
{
    conf_reducing *r = &s->r;
    print_beginning(s);
    r->until = begin + s->task->seconds;
    reduce_parts(r);
    conf_attempt_end_lines(r);
    if (conf_interrupted()) {
        (void)assay_fail(err, ASSAY_EINTERNAL, "%s", conf_interrupt_reason);
        return CONF_EXIT_ERROR;
    }
    if (r->rc != ASSAY_OK || conf_reduced_write(s, conf_clock() - begin, err) != ASSAY_OK)
        return CONF_EXIT_ERROR;
    return CONF_EXIT_AGREE;
}

conf_exit conf_reduce(const conf_reduction_task *task, const conf_context *context)
{
    const double begin = conf_clock();
    conf_subject s;
    assay_error err = {0};
    conf_exit code = CONF_EXIT_USAGE;
    memset(&s, 0, sizeof s);
    if (conf_bundle_check("--output", task->directory, &err) == ASSAY_OK)
        code = conf_subject_open(task, context, &s, &err);
    if (code == CONF_EXIT_AGREE) code = reduce_subject(&s, begin, &err);
    if (code != CONF_EXIT_AGREE) {
        (void)fputs("assay: ", context->err);
        conf_text_print_clean(context->err, err.text[0] ? err.text : conf_interrupt_reason);
        (void)fputc('\n', context->err);
    }
    conf_subject_close(&s);
    return code;
}
