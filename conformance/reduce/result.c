/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/bundle/failures.h"
#include "conformance/reduce/form.h"

/* The lines on what was kept; the caller frees them. NULL if out of memory. */
static char *describe(const conf_subject *s)
{
    const conf_reducing *r = &s->r;
    char before[160] = "", after[160] = "", *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    r->form->print_size(r, CONF_OF_WHOLE, before, sizeof before);
    r->form->print_size(r, CONF_OF_BEST, after, sizeof after);
    (void)fprintf(f, "Reduced from %s to %s.\n", before, after);
    r->form->describe(f, r);
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
