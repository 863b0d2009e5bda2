/* What it costs to evaluate a case once, by which cases are divided into shards. Only files decide it, no
 * clock and no property of the machine, so that every machine divides cases alike.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_COST_H
#define CONFORMANCE_EVALUATE_COST_H

#include "conformance/case/find.h"
#include "conformance/process/isolate.h"

/* Multiply-adds to which the rest of a case is converted: starting processes and opening files, for every
 * case; whatever a token costs besides products, which is most of its cost in a small model; replaying
 * vectors, for each byte of a textual case; and reading a file that turns out to be no case. Fitted to the
 * bundled cases with two engines (docs/scale.md). */
#define CONF_COST_CASE      UINT64_C(20000000)
#define CONF_COST_TOKEN     UINT64_C(300000)
#define CONF_COST_TEXT_BYTE UINT64_C(1000)
#define CONF_COST_NO_CASE   UINT64_C(100000)

/* The cost of each case, [list->n], each > 0: the multiply-adds of its prompts, steps and rows
 * (plan_cost_count) and the constants above. A token of a checkpoint whose family is not implemented costs
 * one multiply-add for two bytes of its safetensors files. A case that cannot be read costs CONF_COST_CASE;
 * an observation that was found in a directory CONF_COST_NO_CASE, and it becomes no_case in the list. Files
 * are read in a child process within the limits. Fails with ASSAY_EINTERNAL if the system cannot create one,
 * ASSAY_ENOMEM. */
assay_status conf_costs_read(conf_found_list *list, const conf_limits *limits, uint64_t *cost,
                             assay_error *err);

#endif
