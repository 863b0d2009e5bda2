/* The verdict on one case with one engine. Plain data without pointers: the process that ran the engine
 * passes it to the process that reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_VERDICT_H
#define CONFORMANCE_JUDGE_VERDICT_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/judge/compute.h"

#define CONF_TEXT_MAX          640
#define CONF_NOTES_MAX         (2 * CONF_TEXT_MAX)
#define CONF_TRACE_NAME_MAX    128
#define CONF_VECTOR_NAME_MAX   88 /* "GROUP/ID" */
#define CONF_UNKNOWN_MAX       2048
#define CONF_MANNER_NAME_MAX   16
#define CONF_LEFT_OUT_MAX      1024
#define CONF_MANNERS_TEXT_MAX  128 /* the names of all manners, separated by ", " */
#define CONF_LAYERS_MAX        64
#define CONF_MANNER_WHOLE_NAME "whole"

typedef enum conf_outcome {
    CONF_PASSED,
    CONF_FAILED,   /* diverges */
    CONF_SKIPPED,  /* could not be run, because something is not supported */
    CONF_BROKEN,   /* could not be run or judged: the case, a library or the harness is broken */
    CONF_EXPECTED, /* diverges as the file of --expect says: neither a failure nor a pass */
    CONF_N_OUTCOMES
} conf_outcome;

/* Whether something is wrong with the engine or with the case. */
static inline bool conf_outcome_fails(conf_outcome outcome)
{
    return outcome == CONF_FAILED || outcome == CONF_BROKEN;
}

/* How an answer diverges; if in several ways, the one that is judged first. */
typedef enum conf_class {
    CONF_CLASS_NONE,         /* no failure */
    CONF_CLASS_MASK,         /* NaN or infinity in logits where the truth has none, or the reverse */
    CONF_CLASS_LOGITS,       /* logits out of bounds */
    CONF_CLASS_TOKENS,       /* a greedy token, or the end of the stream */
    CONF_CLASS_TENSOR,       /* an intermediate tensor out of bounds, while the logits agree */
    CONF_CLASS_ROPE,         /* a rotated value or a factor out of bounds, or a position */
    CONF_CLASS_THREADS,      /* a step of a program of threads has another outcome */
    CONF_CLASS_STOPS,        /* a different stop set, or other documents that name a stop id */
    CONF_CLASS_TEXT,         /* a field of a reply has a different text */
    CONF_CLASS_IMAGE,        /* a different size, grid or number of tokens of an image */
    CONF_CLASS_EVENTS,       /* an event stream breaks a rule of its protocol */
    CONF_CLASS_INCONSISTENT, /* two answers to the same input differ */
    CONF_CLASS_CONTRACT,     /* a promise of the ABI is broken: memory, refusals, taps */
    CONF_CLASS_SHAPE,        /* not comparable: another vocabulary or shape, a missing member */
    CONF_CLASS_REFUSED,      /* an error instead of an answer */
    CONF_CLASS_MEMORY,       /* an out-of-memory error */
    CONF_CLASS_CRASH,        /* a signal ended the engine */
    CONF_CLASS_EXIT,         /* the engine ended the process */
    CONF_CLASS_HANG,         /* a timeout */
    CONF_CLASS_FIXED,        /* a failure that the file of --expect states, and that does not occur */
    CONF_N_CLASSES
} conf_class;

/* The tokens of a prompt whose embeddings come from images, videos and audio.
 * image, video, audio: their ids; -1: the model has none.
 * side: a token stands for side * side patches of a frame; 0: nothing is known of images.
 * row_end, ends: how many more tokens there are for each row of these, and for an image.
 * n_each: tokens of an image of any size; 0: they follow from its grid.
 * has_crops: the tokens are those of the first frame alone.
 * leads: an image begins with the first token of a prompt, and what follows it is text, whatever its ids.
 * chunk: frames of a chunk of an audio clip (model/plan/audio.h); 0: nothing is known of audio clips. */
typedef struct conf_placeholders {
    int32_t image, video, audio;
    size_t side, row_end, ends, n_each, chunk;
    bool has_crops, leads;
} conf_placeholders;

#define CONF_FAMILY_MAX 64
#define CONF_KIND_MAX   16

/* The result of opening a case's checkpoint with the harness's own loader (evaluate/checkpoint.h). */
typedef struct conf_checkpoint {
    enum { CONF_CHECKPOINT_VALID, CONF_CHECKPOINT_UNKNOWN, CONF_CHECKPOINT_BROKEN } state;
    char reason[CONF_TEXT_MAX]; /* empty if it is valid, and its ropes are known */
    char
        family[CONF_FAMILY_MAX]; /* model_type of its config.json; empty: there is none, or it was not read */
    size_t n_divisible; /* the longest prompt whose rope is the same if it is evaluated in parts; 0: the
                         * ropes are unknown */
    conf_placeholders placeholders;
    double multiplies; /* multiply-adds of a token, of the loader's plan; 0: not known */
} conf_checkpoint;

typedef enum conf_stage {
    CONF_STAGE_LOAD, /* loading the module */
    CONF_STAGE_READ, /* reading the case, without the engine */
    CONF_STAGE_MODEL_OPEN,
    CONF_STAGE_SESSION_OPEN,
    CONF_STAGE_TRACED_PREFILL, /* in a separate session */
    CONF_STAGE_PREFILL,        /* steps with tokens of prompts */
    CONF_STAGE_DECODE,         /* other steps */
    CONF_STAGE_GENERATE,
    CONF_STAGE_JOIN,
    CONF_STAGE_LEAVE,
    CONF_STAGE_REWIND,
    CONF_STAGE_FORK,
    CONF_STAGE_ROPE,
    CONF_STAGE_POSITIONS,
    CONF_STAGE_JUDGE,
    CONF_STAGE_TENSORS, /* looking for the tensor of a failure that has been judged: how it ends changes
                           nothing */
    CONF_STAGE_CLOSE,
    CONF_STAGE_SWEEP,  /* a kernel's sweep */
    CONF_STAGE_VECTOR, /* a vector of a textual case */
    CONF_STAGE_SCHEDULE,
    CONF_STAGE_REPLY,
    CONF_N_STAGES
} conf_stage;

/* The largest error of a layer's tensors, in multiples of its bound. name: "layer.07", or of a tensor that
 * belongs to no layer; cut if it is longer. */
typedef struct conf_layer_error {
    char name[24];
    float multiple;
} conf_layer_error;

typedef struct conf_verdict {
    conf_outcome outcome;
    conf_class class;     /* NONE unless failed, or expected to fail */
    conf_stage stage;     /* the last that was entered */
    bool float64;         /* a float64 engine: the unit is the bound, not the noise */
    conf_compute compute; /* the requested compute type: the unit is the noise in that type */
    bool measured;        /* multiple is set */
    double multiple;      /* the worst error in units of the noise, or of the bound of a float64 engine */
    size_t n_rows, n_same_best; /* rows of logits that `multiple` is of, and those with the best token of the
                                 * truth; 0: none */
    char reason[CONF_TEXT_MAX]; /* how it diverges, why it was skipped, or what is broken */
    char explained[CONF_TRACE_NAME_MAX]; /* the compute type that would explain the error (fit.h), or empty */
    char where[CONF_TEXT_MAX];           /* the first diverging position, or empty */
    char trace[CONF_TEXT_MAX];           /* the first diverging tensor, or a remark on tensors, or empty */
    char tensor[CONF_TRACE_NAME_MAX];    /* the name of that tensor, or empty */
    char remark[CONF_TEXT_MAX];          /* what the engine says of the model (model_note), or empty */
    char notes[CONF_NOTES_MAX];          /* further measures, for --verbose */
    char expected[CONF_TEXT_MAX];        /* what the file of --expect says of the case, or empty */
    char last_trace[CONF_TRACE_NAME_MAX]; /* the last tensor that the engine traced, or empty */
    conf_layer_error
        layers[CONF_LAYERS_MAX]; /* [n_layers], in the order of computation: of a failure whose
                                  * recorded tensors were compared; further layers are left out */
    size_t n_layers;
    bool other_traces; /* the case has tensors, and the engine traced none of them, but others */
    char manner[CONF_MANNER_NAME_MAX]; /* the manner of evaluation (replay/manner.h) that is under way, or
                                        * that diverges, or that was asked for and does not apply; empty:
                                        * none of these */
    char left_out[CONF_LEFT_OUT_MAX];  /* see conf_verdict_leave_out */
    char vector[CONF_VECTOR_NAME_MAX]; /* the first diverging vector of a textual case, or empty */
    bool needs_earlier;                /* the vector fails only after those before it */
    size_t n_passed; /* in a process that replays several vectors: number of those that passed so far */
    double until;    /* monotonic clock: the timeout of the process does not expire before this time */
    double allowed;  /* seconds from then on that `until` was set to; 0: those of the process */
    double seconds;  /* from the start to the end of its process */
    conf_checkpoint checkpoint;
    char kind[CONF_KIND_MAX];          /* of the case (kinds.h); empty: it could not be read */
    char version[CONF_TRACE_NAME_MAX]; /* name and version that the engine states */
    char blas[CONF_TRACE_NAME_MAX];    /* see conf_machine_blas; empty: none is known */
    bool auxiliary;                    /* the file is a schedule or an observation, not a case */
    char unknown[CONF_UNKNOWN_MAX];    /* members of the case that this version does not know, one per line */
} conf_verdict;

/* Decimal digits that distinguish all numbers of the engine's type. */
#define CONF_DIGITS(v) ((v)->float64 ? 17 : 9)

/* The name of the manner if it is another one than the whole; NULL: the whole, or not evaluated. */
const char *conf_verdict_other_manner(const conf_verdict *v);

/* The vector with which the failure repeats without the others; NULL: there is none, or it needs them. */
const char *conf_verdict_lone_vector(const conf_verdict *v);

/* "prefill", …: for messages. */
const char *conf_stage_name(conf_stage stage);

/* "logits", …: for reports and --fail-class; "" for CONF_CLASS_NONE. */
const char *conf_class_name(conf_class class);

/* The class with this name; CONF_CLASS_NONE if the name is unknown. */
conf_class conf_class_of(const char *name);

/* Sets CONF_FAILED with its class and reason, like conf_verdict_set. */
void conf_verdict_fail(conf_verdict *v, conf_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets an outcome other than CONF_FAILED, and reason (printf-formatted; control characters and bytes that are
 * not UTF-8 are replaced). */
void conf_verdict_set(conf_verdict *v, conf_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the state of the checkpoint into account, after the process of a verdict has ended. If the
 * checkpoint is broken, CONF_FAILED and CONF_SKIPPED become CONF_BROKEN, since they are not due to the
 * engine; CONF_PASSED stays, with a note. */
void conf_verdict_apply_checkpoint(conf_verdict *v);

/* Writes names [n] to v->unknown, one per line; if they do not all fit, the last line gives the number
 * of omitted names. */
void conf_verdict_list_unknown(conf_verdict *v, char *const *names, size_t n);

/* Records that manners of evaluation were left out although they would have changed the evaluation. names:
 * separated by ", ". v->left_out has a line "NAMES<tab>REASON<newline>" for each call; a line that does not
 * fit is dropped. */
void conf_verdict_leave_out(conf_verdict *v, const char *names, const char *reason);

/* Gives the manners that were left out for one reason; false if there are no more. *at: 0 at the first call.
 */
bool conf_verdict_left_out(const conf_verdict *v, size_t *at, char names[CONF_MANNERS_TEXT_MAX],
                           char reason[CONF_TEXT_MAX]);

/* Takes the first of names separated by ", " off *names; false if there is none. */
bool conf_verdict_take_name(const char **names, char name[CONF_MANNER_NAME_MAX]);

/* Appends to v->notes, separated by "; ". */
void conf_verdict_note(conf_verdict *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
