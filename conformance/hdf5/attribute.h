/* Attributes of a group or a dataset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_ATTRIBUTE_H
#define CONFORMANCE_HDF5_ATTRIBUTE_H

#include "conformance/hdf5/header.h"
#include "conformance/hdf5/type.h"

typedef struct conf_h5_attribute {
    char *name;
    conf_h5_type type;
    conf_h5_space space;
    unsigned char *data; /* [n]: the elements in their stored form */
    size_t n;
} conf_h5_attribute;

typedef struct conf_h5_attributes_list {
    size_t n;
    conf_h5_attribute *at; /* sorted bytewise by name */
} conf_h5_attributes_list;

/* Reads all attributes of the object with this header; name: the object, for messages. Fails with
 * ASSAY_EFORMAT if an attribute is damaged, if there are more than CONF_H5_MEMBERS_MAX, if two have the same
 * name, and if an attribute's type is stored elsewhere in the file. */
assay_status conf_h5_attributes_read(const conf_h5 *file, const char *name, const conf_h5_header *header,
                                     conf_h5_attributes_list *out, assay_error *err);
void conf_h5_attributes_free(conf_h5_attributes_list *list);

/* The attribute with that name; NULL if there is none. Borrowed from the list. */
const conf_h5_attribute *conf_h5_attribute_find(const conf_h5_attributes_list *list, const char *name);

#endif
