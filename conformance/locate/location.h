/* What is to be located, and what is found.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATION_H
#define CONFORMANCE_LOCATE_LOCATION_H

#include "conformance/hdf5/hdf5.h"
#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

#define CONF_WALK_ROWS_MAX (CONF_H5_MEMBERS_MAX + 1) /* the traces of a file, and the logits */

/* A tensor on the way, or the logits. */
typedef struct conf_walk_row {
    char name[CONF_TRACE_NAME_MAX];
    double computed; /* the error of the tensor as it was computed, in multiples of its bound */
    double own;      /* the part of it that is made there, in the same unit; NaN: not known */
    char what[192];  /* "[3,17]: expected …, found …" where computed is above 1 */
} conf_walk_row;

/* What a walk is at. */
typedef enum conf_pass {
    CONF_PASS_REFERENCE, /* what the reference computes by itself */
    CONF_PASS_COMPUTED,  /* what the engine computes by itself */
    CONF_PASS_OWN,       /* what the engine makes of golden inputs, or the reference of the engine's */
    CONF_PASS_DONE
} conf_pass;

/* A walk through the tensors of one sample, in the order in which the engine evaluates them. */
typedef struct conf_walk {
    conf_pass pass;
    bool by_reference; /* own errors: the reference goes on from the engine's tensors */
    bool overridden;   /* own errors are known */
    bool batched;      /* the sample had batch neighbours or padding */
    bool has_inputs;   /* beside tokens: samples cannot be replayed alone */
    bool gives_traces; /* the engine, or the observation */
    size_t n_streams;  /* parallel residual streams, of which one is traced */
    size_t n_recorded; /* tensors that there are to compare with */
    size_t n_rows;
    char reference[CONF_TEXT_MAX]; /* why the reference's word does not count, or empty */
    conf_walk_row rows[CONF_WALK_ROWS_MAX];
} conf_walk;

/* The first place at which a replay as recorded leaves its bounds. */
typedef enum conf_part {
    CONF_PART_NONE,
    CONF_PART_PREFILL,
    CONF_PART_DECODE,
    CONF_PART_GREEDY,
    CONF_PART_AGAIN /* prefill, of a session that held something before */
} conf_part;

typedef struct conf_divergence {
    conf_part part;
    size_t sample, pos;  /* pos: as in conf_place; in greedy generation the step */
    bool padded;         /* the sample, in the batch as recorded */
    bool has_neighbours; /* the sample has batch neighbours */
    char what[CONF_TEXT_MAX];
} conf_divergence;

/* What is to be located. All strings are borrowed. */
typedef struct conf_location {
    const char *path;                 /* the case */
    const char *engine;               /* path of a module; NULL: observed */
    const char *kernels;              /* path of a library that it is given; or NULL */
    assay_dtype compute;              /* asked of it, or what the observed one computed in */
    const char *observed;             /* an observation file; NULL: engine */
    const char *reference;            /* path of the reference in float64; NULL: there is none */
    const char *const *allow_unknown; /* as of conf_case */
    const conf_limits *limits;        /* of each process */
} conf_location;

#endif
