/* The output of assay generate: the reply as it is generated, then a summary line and the JSON
 * document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_REPORT_H
#define CONFORMANCE_GENERATE_REPORT_H

#include "conformance/generate/generate.h"
#include "conformance/generate/prompt.h"
#include "conformance/options/options.h"
#include "conformance/support/context.h"

typedef struct conf_generate_report conf_generate_report;

/* options and context are borrowed until conf_generate_report_free. out: receives the reply, or the
 * JSON document for --json -. Fails with ASSAY_EIO if the file of the JSON document cannot be opened,
 * and with ASSAY_ENOMEM. */
assay_status conf_generate_report_open(const conf_options *options, const conf_context *context, FILE *out,
                                       conf_generate_report **report, assay_error *err);
void conf_generate_report_free(conf_generate_report *report);

/* The listeners to pass to conf_generate; valid as long as the report. */
conf_listeners conf_generate_report_listeners(conf_generate_report *report);

/* Prints the finish reason, token counts and speed to context->err, and writes the JSON document. Fails
 * with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_generate_report_finish(conf_generate_report *report, const conf_prompt *prompt,
                                         const conf_generated *generated, assay_error *err);

#endif
