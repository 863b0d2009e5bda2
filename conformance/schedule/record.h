/* The record that a run of a program leaves.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_RECORD_H
#define CONFORMANCE_SCHEDULE_RECORD_H

#include <stdatomic.h>

#include "conformance/judge/verdict.h"
#include "conformance/schedule/schedule.h"

#define CONF_RECORD_ROWS_MAX 65536
/* Capacity for whole rows; only the hash of rows beyond it is recorded. */
#define CONF_RECORD_BYTES_MAX ((size_t)64 << 20)

/* The result of a run, in memory shared between the run's process and its parent. */
typedef struct conf_record {
    conf_offer offer;     /* of the engine */
    size_t vocab;         /* 0 until a model is open */
    bool wide;            /* rows are float64 */
    atomic_size_t failed; /* 1 + index of the step that failed first; 0: no failure */
    assay_status status;  /* status and error of that step */
    assay_error err;
    volatile size_t at[CONF_SCHEDULE_THREADS_MAX]; /* 1 + index of each thread's step; 0: none */
    uint64_t hash[CONF_RECORD_ROWS_MAX];           /* of each row's bits, in the order of the steps */
    unsigned char kept[CONF_RECORD_BYTES_MAX];     /* the rows themselves, up to the capacity */
} conf_record;

#endif
