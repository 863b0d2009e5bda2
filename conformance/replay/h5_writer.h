/* Writes an HDF5 file with few members, and replaces the old one atomically. Only libhdf5 writes such files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_H5_WRITER_H
#define CONFORMANCE_REPLAY_H5_WRITER_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_H5_PART ".part" /* suffix of the file while it is written */

typedef struct conf_h5_writer conf_h5_writer;

/* Creates missing directories and the file `path` CONF_H5_PART. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_h5_writer_open(const char *path, conf_h5_writer **out, assay_error *err);

/* Each of these adds a member; a failure is reported by conf_h5_writer_close. Attributes of the file: */
void conf_h5_write_text(conf_h5_writer *w, const char *name, const char *text);
void conf_h5_write_texts(conf_h5_writer *w, const char *name, char *const *texts, size_t n);
void conf_h5_write_flag(conf_h5_writer *w, const char *name, int flag);
void conf_h5_write_number(conf_h5_writer *w, const char *name, double number);

/* Datasets, with their missing groups. data: of `shape` [rank]; float64 is written as such if `wide`, else as
 * float32. */
void conf_h5_write_reals(conf_h5_writer *w, const char *name, bool wide, size_t rank, const size_t *shape,
                         const double *data);
void conf_h5_write_ids(conf_h5_writer *w, const char *name, size_t rank, const size_t *shape,
                       const int32_t *data);
void conf_h5_write_strings(conf_h5_writer *w, const char *name, const char *const *texts, size_t n);

/* tensor: of a type that the reader of cases knows (CONF_H5_CASE_TYPES); its own name is not used. */
void conf_h5_write_tensor(conf_h5_writer *w, const char *name, const assay_tensor *tensor);

/* An attribute of a dataset that has been written. */
void conf_h5_write_number_of(conf_h5_writer *w, const char *dataset, const char *name, double number);

/* Completes the file, and gives it its name; removes it if a member could not be written or `complete` is
 * false. Fails with ASSAY_EIO, naming the file. Frees w in either case. */
assay_status conf_h5_writer_close(conf_h5_writer *w, bool complete, assay_error *err);

#endif
