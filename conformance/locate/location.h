/* Input and results of `assay locate`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATION_H
#define CONFORMANCE_LOCATE_LOCATION_H

#include "conformance/hdf5/hdf5.h"
#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

#define CONF_WALK_ROWS_MAX (CONF_H5_MEMBERS_MAX + 1) /* the traces of a file and the logits */

/* An intermediate tensor, or the logits. */
typedef struct conf_walk_row {
    char name[CONF_TRACE_NAME_MAX];
    double computed; /* the tensor's total error, in multiples of its bound */
    double own;      /* the part not inherited from its inputs, same unit; NaN: unknown */
    char what[192];  /* "[3,17]: expected …, found …" where computed is above 1 */
} conf_walk_row;

/* Progress of a walk. */
typedef enum conf_pass {
    CONF_PASS_REFERENCE, /* the reference computes from its own inputs */
    CONF_PASS_COMPUTED,  /* the engine computes from its own inputs */
    CONF_PASS_OWN,       /* the engine from golden inputs, or the reference from the candidate's */
    CONF_PASS_DONE
} conf_pass;

/* A walk through the tensors of one sample, in the order in which the engine evaluates them. */
typedef struct conf_walk {
    conf_pass pass;
    bool by_reference; /* own errors: the reference continues from the candidate's tensors */
    bool overridden;   /* own errors are known */
    bool batched;      /* the sample had batch neighbours or padding */
    bool has_inputs;   /* other than tokens: samples cannot be replayed alone */
    bool gives_traces; /* the engine or the observation has traces */
    size_t n_streams;  /* parallel residual streams; only one is traced */
    size_t n_recorded; /* golden tensors */
    size_t n_rows;
    char reference[CONF_TEXT_MAX]; /* why the reference or own errors are doubtful or missing */
    conf_walk_row rows[CONF_WALK_ROWS_MAX];
} conf_walk;

/* The part of a replay that first leaves its bounds. */
typedef enum conf_part {
    CONF_PART_NONE,
    CONF_PART_PREFILL,
    CONF_PART_DECODE,
    CONF_PART_GREEDY,
    CONF_PART_AGAIN /* prefill in a session that was used before */
} conf_part;

typedef struct conf_divergence {
    conf_part part;
    size_t sample, pos;  /* pos: as in conf_place; in greedy generation the step */
    bool padded;         /* the sample, in the batch as recorded */
    bool has_neighbours; /* the sample has batch neighbours */
    char what[CONF_TEXT_MAX];
} conf_divergence;

/* Input of conf_locate. All pointers are borrowed. */
typedef struct conf_location {
    const char *path;                 /* the case */
    const char *engine;               /* path of a shared object; NULL: `observed` is judged */
    const char *kernels;              /* path of the kernel library to give to the engine; or NULL */
    assay_dtype compute;              /* requested of the engine, or used by the observed one */
    const char *observed;             /* path of an observation; NULL: `engine` is judged */
    const char *reference;            /* path of the float64 reference engine; NULL: none */
    const char *const *allow_unknown; /* as in conf_case */
    const conf_limits *limits;        /* of each process */
} conf_location;

#endif
