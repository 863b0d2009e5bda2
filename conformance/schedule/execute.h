/* Executing a program, and the record that a run leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_EXECUTE_H
#define CONFORMANCE_SCHEDULE_EXECUTE_H

#include <stdatomic.h>

#include "conformance/judge/verdict.h"
#include "conformance/schedule/schedule.h"

#define CONF_RECORD_ROWS_MAX 65536
/* Of rows that are kept whole; of the others there is a hash. */
#define CONF_RECORD_BYTES_MAX ((size_t)64 << 20)

/* What a run leaves in memory that it shares with whoever started it. */
typedef struct conf_record {
    size_t vocab;         /* 0 until a model is open */
    bool wide;            /* rows are float64 */
    atomic_size_t failed; /* 1 + the step that failed first; 0: none */
    assay_status status;  /* of that step, and why */
    assay_error err;
    volatile size_t at[CONF_SCHEDULE_THREADS_MAX]; /* 1 + the step that each thread is in; 0: none */
    uint64_t hash[CONF_RECORD_ROWS_MAX];           /* of the bits of each row, in the order of the list */
    unsigned char kept[CONF_RECORD_BYTES_MAX];     /* the rows themselves, as far as there is room */
} conf_record;

/* Rows that step i adds to the record: in prefill every token of every sample but its padding, sample by
 * sample. */
size_t conf_schedule_rows(const conf_schedule *s, const conf_case *c, size_t i);

/* Executes the program in this process with an engine that is open. options: that models are opened with;
 * NULL: none. serial: on the calling thread, in the order of the list. Fills *to, and sets the verdict where
 * a step fails. */
void conf_schedule_execute(const conf_schedule *s, const conf_case *c, const assay_engine *engine,
                           const assay_model_options *options, bool serial, conf_record *to, conf_verdict *v);

#endif
