/* What people and programs see of a generation: the reply as it comes, and what is to be said of it in the
 * end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_REPORT_H
#define CONFORMANCE_GENERATE_REPORT_H

#include "conformance/generate/generate.h"
#include "conformance/options/options.h"
#include "conformance/support/context.h"

typedef struct conf_generate_report conf_generate_report;

/* options and context are borrowed until conf_generate_report_free; out: where the reply goes. ASSAY_EIO
 * where the file of the JSON document cannot be written. */
assay_status conf_generate_report_open(const conf_options *options, const conf_context *context, FILE *out,
                                       conf_generate_report **report, assay_error *err);
void conf_generate_report_free(conf_generate_report *report);

/* For conf_generate; they live as long as the report. */
conf_listeners conf_generate_report_listeners(conf_generate_report *report);

/* Says what ended the reply and how fast it was; writes the document. ASSAY_EIO, ASSAY_ENOMEM. */
assay_status conf_generate_report_finish(conf_generate_report *report, const conf_generated *generated,
                                         assay_error *err);

#endif
