/* Executing a program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_EXECUTE_H
#define CONFORMANCE_SCHEDULE_EXECUTE_H

#include "conformance/case/items.h"
#include "conformance/schedule/record.h"

/* Executes the program in this process with an open engine. items: those of the case. options: for opening
 * models; NULL: none.
 * serial: run all steps on the calling thread, in the order of the list. Fills *to, and sets the
 * verdict if a step fails. */
void conf_schedule_execute(const conf_schedule *s, const conf_case *c, const conf_items *items,
                           const assay_engine *engine, const assay_model_options *options, bool serial,
                           conf_record *to, conf_verdict *v);

#endif
