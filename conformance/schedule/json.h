/* Programs in files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_JSON_H
#define CONFORMANCE_SCHEDULE_JSON_H

#include "conformance/schedule/schedule.h"

/* A program in its file: a JSON object
 *   schema   "assay/1"
 *   kind     "schedule"
 *   case     path of the case, as the user would write it
 *   engine   as the user calls it
 *   compute, kernels   as --compute and --kernels; missing where they were not given
 *   workers  ASSAY_WORKERS of the run
 *   steps    an array: thread; op; model, session and row where the operation has them; samples, those of the
 *            case that the session's batch holds, of "session"
 *   seed, found   what it was drawn from and how it failed, for people; may be missing */
typedef struct conf_schedule_file {
    char *path, *engine; /* of the case; as the user calls it */
    char *kernels;       /* a library whose kernels the engine is given, likewise; NULL: its own */
    assay_dtype compute; /* asked of the engine; ASSAY_DTYPE_NONE: as it likes */
    char *found;         /* NULL where it is not said */
    bool has_seed;
    uint64_t seed;
    conf_schedule schedule;
} conf_schedule_file;

/* Reads an untrusted file. Fails with ASSAY_EIO, ASSAY_EFORMAT or ASSAY_ENOMEM, naming the file
 * and the step. */
assay_status conf_schedule_read(const char *path, conf_schedule_file *out, assay_error *err);
void conf_schedule_file_free(conf_schedule_file *file);

/* Writes such a file, replacing what is there. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_schedule_write(const char *path, const conf_schedule_file *file, assay_error *err);

#endif
