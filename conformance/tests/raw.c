/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/raw.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/hdf5/bytes.h"
#include "conformance/tests/support.h"

raw_file raw;
static const char *raw_path;

void raw_setup(void)
{
    support_setup();
    raw_path = support_path("raw.h5");
    memset(&raw, 0, sizeof raw);
}

void raw_put(uint64_t value, size_t n)
{
    ck_assert_uint_le(n, sizeof raw.bytes - raw.n);
    for (size_t i = 0; i < n; i++) raw.bytes[raw.n++] = (unsigned char)(i < 8 ? value >> 8 * i : 0);
}

void raw_put_text(const char *text)
{
    ck_assert_uint_le(strlen(text), sizeof raw.bytes - raw.n);
    while (*text) raw.bytes[raw.n++] = (unsigned char)*text++;
}

void raw_seal(size_t start)
{
    raw_put(conf_lookup3(raw.bytes + start, raw.n - start), 4);
}

void raw_store(void)
{
    char *path = strdup(raw_path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_eq(write(fd, raw.bytes, raw.n), (ssize_t)raw.n);
    raw.state = (conf_h5_state){.left = {.unpacked = SIZE_MAX, .structure = SIZE_MAX}};
    raw.file = (conf_h5){.fd = fd,
                         .path = path,
                         .size = raw.n,
                         .most = SIZE_MAX,
                         .most_of_chunk = SIZE_MAX,
                         .state = &raw.state};
}

void raw_discard(void)
{
    (void)close(raw.file.fd);
    free(raw.file.path);
}
