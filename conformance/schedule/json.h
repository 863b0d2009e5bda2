/* Programs in files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_JSON_H
#define CONFORMANCE_SCHEDULE_JSON_H

#include "conformance/schedule/schedule.h"

#define CONF_SCHEDULE_SCHEMA "assay/1"
#define CONF_SCHEDULE_KIND   "schedule"

/* A program in its file: a JSON object
 *   schema            "assay/1"
 *   kind              "schedule"
 *   case              path of the case, as on the command line
 *   engine            as on the command line
 *   compute, kernels  as --compute and --kernels; missing if not given
 *   workers           ASSAY_WORKERS of the run
 *   steps             an array: thread; op; and depending on the operation model, session, sample, and
 *       session         prompts: indices of the case's samples, one for each sample
 *       step            samples: numbers; tokens: how many, missing: the rest of the prompt, or one token
 *                       after it; rows: "all" or "last"
 *       join            prompt: index of the case's sample
 *       rewind          tokens: how many the sample keeps
 *       fork            from, origin: the session and the sample that is copied
 *   seed, found       seed that it was drawn from, and how it failed: informative; may be missing */
typedef struct conf_schedule_file {
    char *path, *engine;  /* path of the case; engine as on the command line */
    char *kernels;        /* kernel library for the engine, as on the command line; NULL: its own */
    conf_compute compute; /* compute type to request; CONF_COMPUTE_NONE: the engine's default */
    char *found;          /* how it failed; NULL if missing */
    bool has_seed;
    uint64_t seed;
    conf_schedule schedule;
} conf_schedule_file;

/* Reads an untrusted file. Fails with ASSAY_EIO, ASSAY_EFORMAT or ASSAY_ENOMEM, naming the file
 * and the step; one that was written for version 1 of the engine ABI is refused by its operation. */
assay_status conf_schedule_read(const char *path, conf_schedule_file *out, assay_error *err);
void conf_schedule_file_free(conf_schedule_file *file);

#endif
