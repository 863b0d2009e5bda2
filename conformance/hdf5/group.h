/* Groups: their links, and the lookup of objects by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_GROUP_H
#define CONFORMANCE_HDF5_GROUP_H

#include "conformance/hdf5/file.h"

/* The links of the group with the object header at `address`; name: the group, for messages. They live until
 * CONF_H5_GROUPS_CACHED other groups have been listed. Fails with ASSAY_EFORMAT if the object is not a
 * group, is damaged, or has more than CONF_H5_MEMBERS_MAX links. */
assay_status conf_h5_group_list(const conf_h5 *file, const char *name, uint64_t address,
                                const conf_h5_group **out, assay_error *err);
void conf_h5_group_free(conf_h5_group *group);

/* Follows hard links from the root to `name`. *link: the first link that is not a hard link, which ends the
 * search, or else the last link; NULL if a link is missing, or for the root itself. A link's address is that
 * of the object. *n_followed: the length of the part of `name` that ends with it. Fails as
 * conf_h5_group_list does. */
assay_status conf_h5_resolve(const conf_h5 *file, const char *name, const conf_h5_link **link,
                             size_t *n_followed, assay_error *err);

/* The address of the object that `name` leads to by hard links alone. Fails with ASSAY_EFORMAT if there is
 * none. Other links are not followed: a soft link can form a cycle, an external link leaves the file. */
assay_status conf_h5_object_find(const conf_h5 *file, const char *name, uint64_t *address, assay_error *err);

#endif
