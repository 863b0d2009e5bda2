/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "conformance/diff/profile.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/noise.h"
#include "conformance/page/page.h"
#include "conformance/report/profile_pictures.h"
#include "conformance/report/report.h"
#include "conformance/support/digest.h"

conf_diff_shown *conf_diff_shown_share(void)
{
    void *p = mmap(NULL, sizeof(conf_diff_shown), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void conf_diff_shown_unshare(conf_diff_shown *shown)
{
    if (shown) (void)munmap(shown, sizeof *shown);
}

/* A file that says nothing of its source, or cannot be read, has none. */
static void read_source(const char *path, char text[CONF_TEXT_MAX])
{
    conf_h5 *file = NULL;
    char *source = NULL;
    bool has = false;
    if (conf_h5_open(path, &file, NULL) == ASSAY_OK &&
        conf_h5_has_attribute(file, "source", &has, NULL) == ASSAY_OK && has &&
        conf_h5_attribute_text(file, "source", &source, NULL) == ASSAY_OK)
        (void)snprintf(text, CONF_TEXT_MAX, "%s", source);
    free(source);
    conf_h5_close(file);
}

assay_status conf_diff_show(const conf_diff_task *task, conf_diff_shown *shown, conf_verdict *v,
                            conf_strings *unknown, assay_error *err)
{
    conf_diff_profiler profiler;
    conf_diff_task watched = *task;
    conf_diff_profiler_begin(&profiler, &shown->profile);
    watched.watch = &profiler.watch;
    const assay_status rc = conf_diff(&watched, v, unknown, err);
    conf_diff_profiler_end(&profiler);
    read_source(task->golden, shown->sources[0]);
    read_source(task->observed, shown->sources[1]);
    return rc;
}

/* path: of a file, or of a group in a file. */
static void print_file(FILE *out, const char *name, const char *path, const char *source)
{
    char file[4096], digest[CONF_DIGEST_MAX], text[4096 + 64];
    assay_status rc;
    (void)snprintf(file, sizeof file, "%s", path);
    while ((rc = conf_digest_file(file, digest, NULL)) != ASSAY_OK && strrchr(file, '/'))
        *strrchr(file, '/') = '\0';
    (void)snprintf(text, sizeof text, "%s%s%s", path, rc == ASSAY_OK ? ", digest of the file " : "",
                   rc == ASSAY_OK ? digest : "");
    conf_page_fact(out, name, text);
    conf_page_fact(out, "its source", source);
}

static void print_result(FILE *out, const conf_verdict *v, bool is_bounded)
{
    char text[128];
    conf_page_facts_begin(out, "Result");
    (void)snprintf(text, sizeof text, "%s%s%s", conf_outcome_name(v->outcome), v->class ? ", " : "",
                   conf_class_name(v->class));
    conf_page_fact(out, "verdict", text);
    if (v->measured && is_bounded) {
        (void)snprintf(text, sizeof text, "%.3g times the bound", v->multiple / conf_noise_limit(v->float64));
        conf_page_fact(out, "largest error", text);
    }
    if (v->explained[0]) conf_page_fact(out, "compute type", v->explained);
    conf_page_fact(out, "first difference", v->where);
    conf_page_fact(out, v->tensor[0] ? "first tensor" : "tensors", v->trace);
    conf_page_facts_end(out);
}

void conf_diff_html(FILE *out, const conf_diff_task *task, conf_diff_shown *shown, const conf_verdict *v)
{
    conf_profile_limit(&shown->profile);
    print_result(out, v, !shown->profile.is_relative);
    conf_profile_print(out, &shown->profile);
    conf_page_facts_begin(out, "Files");
    print_file(out, "expected", task->golden, shown->sources[0]);
    print_file(out, "found", task->observed, shown->sources[1]);
    conf_page_facts_end(out);
}
