/* Object headers: the messages that describe a group or a dataset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_HEADER_H
#define CONFORMANCE_HDF5_HEADER_H

#include "conformance/hdf5/bytes.h"

/* Types of messages, as the format numbers them. */
enum {
    CONF_MESSAGE_SPACE = 1,
    CONF_MESSAGE_LINK_INFO = 2,
    CONF_MESSAGE_TYPE = 3,
    CONF_MESSAGE_OLD_FILL = 4,
    CONF_MESSAGE_FILL = 5,
    CONF_MESSAGE_LINK = 6,
    CONF_MESSAGE_EXTERNAL = 7,
    CONF_MESSAGE_LAYOUT = 8,
    CONF_MESSAGE_PIPELINE = 11,
    CONF_MESSAGE_ATTRIBUTE = 12,
    CONF_MESSAGE_CONTINUATION = 16,
    CONF_MESSAGE_SYMBOLS = 17,
    CONF_MESSAGE_ATTRIBUTE_INFO = 21
};

#define CONF_MESSAGE_SHARED 2U /* a flag: the message is stored elsewhere */

typedef struct conf_h5_message {
    unsigned type, flags;
    const unsigned char *data; /* [n], inside one of the header's blocks */
    size_t n;
} conf_h5_message;

typedef struct conf_h5_header {
    size_t n, n_blocks;
    conf_h5_message *messages; /* [n] */
    conf_h5_block *blocks;     /* [n_blocks] */
} conf_h5_header;

/* Reads the object header at `address`, of version 1 or 2, with its continuations. name: the object, for
 * messages. */
assay_status conf_h5_header_read(const conf_h5 *file, const char *name, uint64_t address, conf_h5_header *out,
                                 assay_error *err);
void conf_h5_header_free(conf_h5_header *h);

/* The first message of that type; NULL if there is none. */
const conf_h5_message *conf_h5_header_find(const conf_h5_header *h, unsigned type);

#endif
