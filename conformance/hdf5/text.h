/* Strings and attributes of an HDF5 file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_TEXT_H
#define CONFORMANCE_HDF5_TEXT_H

#include <stdbool.h>

#include "conformance/hdf5/types.h"
#include "conformance/support/strings.h"

/* Reads a dataset of strings with one axis. */
assay_status conf_h5_read_strings(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);

/* Names of the root's attributes, sorted bytewise. */
assay_status conf_h5_attributes(const conf_h5 *file, conf_strings *out, assay_error *err);

/* Whether the root has an attribute of this name. */
assay_status conf_h5_has_attribute(const conf_h5 *file, const char *name, bool *has, assay_error *err);

/* Attributes of the root that are a string, and a list of strings. */
assay_status conf_h5_attribute_text(const conf_h5 *file, const char *name, char **out, assay_error *err);
assay_status conf_h5_attribute_texts(const conf_h5 *file, const char *name, conf_strings *out,
                                     assay_error *err);

/* A numeric attribute of `object` ("/" for the root); *out is unchanged if there is none. */
assay_status conf_h5_attribute_number(const conf_h5 *file, const char *object, const char *name, bool *found,
                                      double *out, assay_error *err);

/* Fails as conf_h5_read does if the dataset itself cannot be read. */
assay_status conf_h5_signature(const conf_h5 *file, const char *name, conf_signature *out, assay_error *err);

#endif
