/* Strings as HDF5 stores them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_STRING_H
#define CONFORMANCE_HDF5_STRING_H

#include "conformance/hdf5/type.h"

/* Copies one stored string, without its padding, or up to its first NUL. The caller frees *out, which is
 * NULL if the type is not a string type. name: the member, for messages. Fails as conf_global_text_read
 * does, and if the string is longer than CONF_H5_STRING_BYTES_MAX. */
assay_status conf_h5_element_text(const conf_h5 *file, const char *name, const conf_h5_type *type,
                                  const unsigned char *element, char **out, assay_error *err);

#endif
