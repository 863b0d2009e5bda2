/* The groups of checks, each in its own source, as tables of rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_GROUPS_GROUPS_H
#define CONFORMANCE_PROBE_GROUPS_GROUPS_H

#include "conformance/probe/run/run.h"

typedef struct probe_group {
    const char *name, *summary;
    bool always; /* it runs whatever groups are asked for */
    assay_status (*run)(probe_run *r, assay_error *err);
} probe_group;

/* Terminated by a row without a name. Discovery runs always, since the others need what it finds; so do the
 * fields, which are judged in the answers of all groups that run. */
extern const probe_group probe_groups[];

/* Each runs the checks of its group and adds their rows to the report. A server that fails is a row; these
 * fail with ASSAY_ENOMEM, ASSAY_EINTERNAL, or as probe_wire_run does. */
assay_status probe_discover(probe_run *r, assay_error *err);
assay_status probe_check_protocol(probe_run *r, assay_error *err);
assay_status probe_check_numerics(probe_run *r, assay_error *err);
assay_status probe_check_batching(probe_run *r, assay_error *err);
assay_status probe_check_text(probe_run *r, assay_error *err);

#endif
