/* Groups: their links, and the objects that names lead to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_GROUP_H
#define CONFORMANCE_HDF5_GROUP_H

#include "conformance/hdf5/file.h"

/* The links of the group whose object header lies at `address`; name: the group. They live until
 * CONF_H5_GROUPS_CACHED other groups have been listed. Fails with ASSAY_EFORMAT where it is no group, where
 * it is damaged, and where it has more than CONF_H5_MEMBERS_MAX links. */
assay_status conf_h5_group_list(const conf_h5 *file, const char *name, uint64_t address,
                                const conf_h5_group **out, assay_error *err);
void conf_h5_group_free(conf_h5_group *group);

/* Follows hard links from the root to `name`. *link: the first that is no hard link, which ends the search,
 * or the last; NULL where there is no such link, or for the root itself. A link's address is that of the
 * object. *n_followed: the length of the part of `name` that ends with it. Fails as conf_h5_group_list does.
 */
assay_status conf_h5_resolve(const conf_h5 *file, const char *name, const conf_h5_link **link,
                             size_t *n_followed, assay_error *err);

/* The address of the object that `name` leads to by hard links alone. Fails with ASSAY_EFORMAT where there is
 * none: a soft link can go round in circles, an external one leaves the file. */
assay_status conf_h5_object_find(const conf_h5 *file, const char *name, uint64_t *address, assay_error *err);

#endif
