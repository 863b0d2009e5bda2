/* Passes the tensors of a pass to a tap, sample by sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PASS_TRACE_H
#define FASTPATH_PASS_TRACE_H

#include "fastpath/pass.h"

/* fp_trace of the rows of each run of x [R, hidden], in the order of the runs, as tensors of their samples.
 */
assay_status fp_pass_trace(const fp_pass *pass, float *x, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
