/* The machines of the runs whose results these are: of a merged document those of its shards, not the one
 * that merges.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_MACHINES_H
#define CONFORMANCE_REPORT_MACHINES_H

#include "conformance/report/results.h"
#include "conformance/support/json_at.h"

/* Bytes of a machine in one line. */
#define CONF_MACHINE_LINE_MAX 768

/* Notes at the end of a run the time, and the machine of this process with the BLAS of the engines, which is
 * missing if out of memory. */
void conf_machines_stamp(conf_results *results);

/* Whether two are one machine, as far as is known: a run that has opened no engine with a BLAS knows none. */
bool conf_machine_is_same(const conf_run_machine *a, const conf_run_machine *b);

/* Adds the machines of `from` that `to` lacks. Fails with ASSAY_ENOMEM. */
assay_status conf_machines_join(conf_results *to, const conf_results *from, assay_error *err);

/* Adds the member `machines` (json.h) if there are any, and reads it; a document of an earlier version has
 * none. */
bool conf_machines_add(json_object *to, const conf_results *results);
assay_status conf_machines_read(const conf_json_at *document, conf_results *out, assay_error *err);

/* "Intel(R) Xeon(R) …, x86_64, avx2 avx512, 2 processors, OpenBLAS 0.3.21, core SkylakeX, 1 thread,
 * ASSAY_ISA=avx2, --jobs 2" */
void conf_machine_print(const conf_run_machine *machine, char line[CONF_MACHINE_LINE_MAX]);

#endif
