/* What a failure looks like: the errors of one case by tensor, by row, by manner of evaluation and by size,
 * where a verdict has only the first and the largest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_PROFILE_H
#define CONFORMANCE_EVALUATE_PROFILE_H

#include "conformance/evaluate/assignment.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/state.h"

#define CONF_PROFILE_TENSORS_MAX 256
#define CONF_PROFILE_ROWS_MAX    512
#define CONF_PROFILE_NAME_MAX    48
#define CONF_PROFILE_MANNERS_MAX (CONF_N_MANNERS + 1) /* also prompts in a session that was used before */
#define CONF_PROFILE_SIZES       8

/* The upper ends of the ranges by which errors are counted, in multiples of the bound; the last is infinite.
 */
extern const double conf_profile_sizes[CONF_PROFILE_SIZES];

/* The range of an error; NaN is in the last. */
size_t conf_profile_size_of(double multiple);

/* "≤ 0.25", "≤ 1 (bound)", "! ≤ 10", "! > 1000". */
void conf_profile_size_print(char *text, size_t size, size_t range);

/* An error in multiples of the bound; infinite where NaN or infinity are at other elements than in the truth,
 * or the shape differs. */
typedef struct conf_profile_error {
    char name[CONF_PROFILE_NAME_MAX]; /* cut if it is longer */
    double multiple;
} conf_profile_error;

/* What was measured. */
typedef enum conf_profiled {
    CONF_PROFILE_LOGITS,    /* and tensors on the way to them */
    CONF_PROFILE_ROPE,      /* rotated vectors */
    CONF_PROFILE_POSITIONS, /* whole numbers: multiples are differences, of which none is allowed */
    CONF_N_PROFILED
} conf_profiled;

/* "logits", "rope", "positions": for programs. */
extern const char *const conf_profiled_names[CONF_N_PROFILED];

/* Plain data without pointers: the process that replays fills it in memory that it shares. */
typedef struct conf_profile {
    conf_manner manner; /* in: that of the rows, the one that fails */
    conf_profiled of;
    size_t n_tensors, n_rows, n_manners;
    conf_profile_error tensors[CONF_PROFILE_TENSORS_MAX]; /* of sample 0's prompt, as they were computed; or
                                                           * other parts of what is measured */
    struct {
        uint32_t sample, pos; /* pos: as in conf_place */
        bool decode;
        double multiple;           /* the largest of the measures */
    } rows[CONF_PROFILE_ROWS_MAX]; /* in the order of the case */
    conf_profile_error manners[CONF_PROFILE_MANNERS_MAX];
    size_t found[CONF_PROFILE_SIZES];    /* elements of those rows by their error */
    size_t recorded[CONF_PROFILE_SIZES]; /* the same of the recorded run that gives the noise */
    bool has_recorded;                   /* no such run is the bound of a float64 engine */
    bool is_observed; /* of files, not of a replay: tensors are in the order of their names, and the rows have
                       * no manner */
    bool is_relative; /* nothing bounds them: multiples are of the largest value, and no sizes are counted */
    size_t n_joined;  /* above 1: each of `rows` is the worst of up to as many neighbours */
} conf_profile;

/* Whether a failure has a profile: its logits or tensors can be measured again. */
bool conf_profile_applies(const conf_verdict *v);

/* Zeroed profiles [n] that processes started later share; NULL if there is no memory. */
conf_profile *conf_profile_share(size_t n);
void conf_profile_unshare(conf_profile *profiles, size_t n);

/* Adds an error to a list of *n, unless it has `most`. */
void conf_profile_add(conf_profile_error *list, size_t *n, size_t most, const char *name, double multiple);

/* Adds a row that is no step of decode, unless there are CONF_PROFILE_ROWS_MAX. */
void conf_profile_add_row(conf_profile *p, uint32_t sample, uint32_t pos, double multiple);

/* Counts elements [n] by their error; one whose NaN or infinity is not that of the truth is in the last
 * range. */
void conf_profile_count(const conf_row *truth, const conf_row *found, size_t n, double bound,
                        size_t counts[CONF_PROFILE_SIZES]);

/* Limits what an engine may have overwritten: counts to their arrays, names to texts as base/shown.h has
 * them, errors to those that are possible. */
void conf_profile_limit(conf_profile *p);

/* Fills a->profile after conf_replay_decoder, in every manner that the assignment evaluates. What follows a
 * crash, or a manner that does not end, is missing. Changes r->rows. */
void conf_profile_collect(conf_replay *r, const conf_bounds *bounds, const conf_assignment *a);

#endif
