/* A command whose output is text, which --html shows on a page together with tables and pictures.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PAGED_H
#define CONFORMANCE_REPORT_PAGED_H

#include "conformance/options/options.h"
#include "conformance/report/files.h"
#include "conformance/support/context.h"

/* context: what the command prints to. sections: receives figures and tables (page.h); NULL: no page is
 * requested. */
typedef struct conf_paged {
    conf_context context;
    FILE *sections;
    const conf_context *outer;
    conf_report_files files;
    FILE *text;
    char *texts[2]; /* of text and of sections */
    size_t sizes[2];
} conf_paged;

/* Opens the page's file, if there is one; what the command prints is then kept until conf_paged_end, and has
 * no colours. Fails with ASSAY_EIO, ASSAY_ENOMEM; conf_paged_end is called in any case. */
assay_status conf_paged_begin(const conf_options *options, const conf_context *context, conf_paged *out,
                              assay_error *err);

/* Prints what the command printed, unless the page goes to standard output, and writes the page: the title,
 * the text, the sections, and the machine. Does nothing without a page. Fails with ASSAY_EIO, ASSAY_ENOMEM.
 */
assay_status conf_paged_end(conf_paged *paged, const char *title, assay_error *err);

#endif
