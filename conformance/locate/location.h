/* The divergence to locate, and the results of the search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_LOCATION_H
#define CONFORMANCE_LOCATE_LOCATION_H

#include "conformance/hdf5/hdf5.h"
#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/replay/manner.h"
#include "conformance/support/context.h"

#define CONF_WALK_ROWS_MAX (CONF_H5_MEMBERS_MAX + 1) /* the traces of a file, and the logits */

/* A tensor of a walk, or the logits. */
typedef struct conf_walk_row {
    char name[CONF_TRACE_NAME_MAX];
    double computed;    /* the error of the tensor as it was computed, in multiples of its bound */
    double local_error; /* the error that arises in this tensor, in the same unit; NaN: unknown */
    char what[192];     /* "[3,17]: expected …, found …" where computed is above 1 */
} conf_walk_row;

/* The pass that a walk is in. */
typedef enum conf_pass {
    CONF_PASS_REFERENCE, /* the reference computes from its own inputs */
    CONF_PASS_COMPUTED,  /* the engine computes from its own inputs */
    CONF_PASS_OWN,       /* the engine computes from golden inputs, or the reference from the engine's */
    CONF_PASS_DONE
} conf_pass;

/* A walk through the tensors of one sample, in the order in which the engine evaluates them. */
typedef struct conf_walk {
    conf_pass pass;
    bool by_reference; /* own errors: the reference continued from the engine's tensors */
    bool overridden;   /* own errors are known */
    bool batched;      /* the sample had batch neighbours or padding */
    bool lacks_tap;    /* the engine's table has no tap */
    bool cannot_write; /* the engine's taps cannot write: it cannot be given golden inputs */
    bool gives_traces; /* the engine or the observation has traces */
    size_t n_streams;  /* of AltUp, of which one is traced */
    size_t n_recorded; /* golden tensors */
    size_t n_rows;
    char refusal[CONF_TEXT_MAX]; /* why the engine refuses a traced step; empty if it does not */
    char ignored[256];           /* names of an observation's tensors that are not recorded, for the report */
    char reference[CONF_TEXT_MAX]; /* why the reference is not trusted; empty if it is */
    conf_walk_row rows[CONF_WALK_ROWS_MAX];
} conf_walk;

/* The first place at which a replay of the recorded batch exceeds its bounds. */
typedef enum conf_part {
    CONF_PART_NONE,
    CONF_PART_PREFILL,
    CONF_PART_DECODE,
    CONF_PART_GREEDY,
    CONF_PART_AGAIN /* prefill of a session that has been used before */
} conf_part;

typedef struct conf_divergence {
    conf_part part;
    size_t sample, pos;  /* pos: as in conf_place; in greedy generation the step */
    bool padded;         /* the sample, in the batch as recorded */
    bool has_neighbours; /* the sample has batch neighbours */
    conf_manner manner;  /* the manner of evaluation that diverges; those before it agree */
    char what[CONF_TEXT_MAX];
    char tensor[CONF_TEXT_MAX]; /* the first wrong tensor of each sample that diverges, or empty */
} conf_divergence;

/* The divergence to locate. All strings are borrowed. */
typedef struct conf_location {
    const char *path;      /* the case */
    const char *engine;    /* path of a module; NULL: observed */
    const char *kernels;   /* path of a kernel library for the engine; or NULL */
    conf_compute compute;  /* requested of the engine; of an observation, the type of the observed engine */
    const char *observed;  /* an observation file; NULL: the engine is run */
    const char *reference; /* path of the reference in float64; NULL: there is none */
    const char *const *allow_unknown; /* as in conf_case */
    const conf_limits *limits;        /* of each process */
    FILE *sections;                   /* receives the walks as parts of a page; NULL: there is none */
} conf_location;

#endif
