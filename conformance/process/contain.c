/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/contain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "conformance/process/isolate.h"
#include "conformance/support/text.h"

/* The child's task. */
typedef struct task {
    conf_describe_fn *describe;
    const void *context;
    const char *path;
    FILE *page; /* in memory shared with the child */
} task;

static void run_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    const assay_status rc = t->describe(t->context, t->page, &err);
    conf_memory_explain(rc, &err);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    if (fflush(t->page) != 0) conf_verdict_set(v, CONF_BROKEN, "%s: %s", t->path, strerror(errno));
    v->stage = CONF_STAGE_CLOSE;
}

FILE *conf_page_open(assay_error *err)
{
    int fd = memfd_create("page", MFD_CLOEXEC);
    FILE *page = fd < 0 ? NULL : fdopen(fd, "w+");
    if (page) return page;
    (void)assay_fail(err, ASSAY_EINTERNAL, "no shared memory: %s", strerror(errno));
    if (fd >= 0) (void)close(fd);
    return NULL;
}

void conf_page_print(FILE *page, FILE *out)
{
    char *line = NULL;
    size_t capacity = 0;
    rewind(page);
    while (getline(&line, &capacity, page) > 0) {
        line[strcspn(line, "\n")] = '\0';
        conf_text_print_clean(out, line);
        (void)fputc('\n', out);
    }
    free(line);
}

assay_status conf_contain(conf_describe_fn *describe, const void *context, const conf_limits *limits,
                          const char *path, FILE *out, assay_error *err)
{
    FILE *page = conf_page_open(err);
    if (!page) return ASSAY_EINTERNAL;
    conf_verdict v = {.stage = CONF_STAGE_READ};
    assay_status rc = conf_isolate(run_task, &(task){describe, context, path, page}, limits, &v, err);
    if (rc == ASSAY_OK && v.outcome != CONF_PASSED) {
        const char *named = string_begins_with(v.reason, path) ? "" : path;
        rc = assay_fail(err, ASSAY_EFORMAT, "%s%s%s", named, named[0] ? ": " : "", v.reason);
    }
    if (v.stage == CONF_STAGE_CLOSE) conf_page_print(page, out);
    (void)fclose(page);
    return rc;
}
