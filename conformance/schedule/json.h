/* Programs in files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_JSON_H
#define CONFORMANCE_SCHEDULE_JSON_H

#include "conformance/schedule/schedule.h"

/* A program in its file: a JSON object
 *   schema            "assay/1"
 *   kind              "schedule"
 *   case              path of the case, as on the command line
 *   engine            as on the command line
 *   compute, kernels  as --compute and --kernels; missing if not given
 *   workers           ASSAY_WORKERS of the run
 *   steps             an array: thread; op; model, session and row if the operation has them;
 *                     samples, only of "session": indices into the case's samples, one per row
 *   seed, found       seed that it was drawn from, and how it failed: informative; may be missing */
typedef struct conf_schedule_file {
    char *path, *engine; /* path of the case; engine as on the command line */
    char *kernels;       /* kernel library for the engine, as on the command line; NULL: its own */
    assay_dtype compute; /* compute type to request; ASSAY_DTYPE_NONE: the engine's default */
    char *found;         /* how it failed; NULL if missing */
    bool has_seed;
    uint64_t seed;
    conf_schedule schedule;
} conf_schedule_file;

/* Reads an untrusted file. Fails with ASSAY_EIO, ASSAY_EFORMAT or ASSAY_ENOMEM, naming the file
 * and the step. */
assay_status conf_schedule_read(const char *path, conf_schedule_file *out, assay_error *err);
void conf_schedule_file_free(conf_schedule_file *file);

/* Writes the file, replacing an existing one. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_schedule_write(const char *path, const conf_schedule_file *file, assay_error *err);

#endif
