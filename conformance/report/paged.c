/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/paged.h"

#include <stdlib.h>

#include "base/error.h"
#include "conformance/page/page.h"
#include "conformance/report/html_origin.h"

assay_status conf_paged_begin(const conf_options *options, const conf_context *context, conf_paged *out,
                              assay_error *err)
{
    *out = (conf_paged){.context = *context, .outer = context};
    const assay_status rc = conf_report_files_open(options, context, &out->files, err);
    if (rc != ASSAY_OK || !out->files.at[CONF_REPORT_HTML]) return rc;
    out->text = open_memstream(&out->texts[0], &out->sizes[0]);
    out->sections = open_memstream(&out->texts[1], &out->sizes[1]);
    if (!out->text || !out->sections) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    out->context.out = out->text;
    out->context.color = out->context.terminal = false;
    return ASSAY_OK;
}

static bool finish(FILE *stream)
{
    return stream && fclose(stream) == 0;
}

assay_status conf_paged_end(conf_paged *paged, const char *title, assay_error *err)
{
    FILE *page = paged->files.at[CONF_REPORT_HTML];
    assay_status rc = ASSAY_OK;
    assay_error late = {0};
    const bool has_text = finish(paged->text), has_sections = finish(paged->sections);
    if (page && has_text && has_sections) {
        if (!conf_report_uses_stdout(&paged->files))
            (void)fwrite(paged->texts[0], 1, paged->sizes[0], paged->outer->out);
        conf_page_begin(page, title);
        conf_page_text(page, paged->texts[0]);
        (void)fwrite(paged->texts[1], 1, paged->sizes[1], page);
        conf_html_origin_here(page);
        conf_page_end(page);
    } else if (page) {
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < 2; i++) free(paged->texts[i]);
    const assay_status closed = conf_report_files_close(&paged->files, &late);
    if (rc == ASSAY_OK && closed != ASSAY_OK) *err = late;
    return rc == ASSAY_OK ? closed : rc;
}
