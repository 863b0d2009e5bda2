/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/shown.h"
#include "conformance/support/json_add.h"
#include "model/checkpoint/safetensors.h"

#define MAGIC      "ASAY"
#define PREFIX     16                /* bytes before the header */
#define PIECE      ((size_t)1 << 20) /* bytes that are allocated before they have arrived */
#define VALUES_MAX ((size_t)1 << 20) /* of a header */
#define SHOWN      48                /* bytes of what is no frame, in messages */

static uint64_t little_endian(const unsigned char *bytes, size_t n)
{
    uint64_t value = 0;
    while (n-- > 0) value = value << 8 | bytes[n];
    return value;
}

static void put_little_endian(unsigned char *bytes, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++, value >>= 8) bytes[i] = (unsigned char)value;
}

/* Reads n bytes, or those before the end; *n_read: how many. */
static assay_status read_bytes(int from, const char *who, unsigned char *into, size_t n, size_t *n_read,
                               assay_error *err)
{
    *n_read = 0;
    while (*n_read < n) {
        const ssize_t got = read(from, into + *n_read, n - *n_read);
        if (got == 0) break;
        if (got > 0) *n_read += (size_t)got;
        else if (errno != EINTR)
            return assay_fail(err, ASSAY_EIO, "%s: cannot read its answer: %s", who, strerror(errno));
    }
    return ASSAY_OK;
}

/* Allocates as the bytes arrive: a length that is a lie costs no memory. */
static assay_status read_part(int from, const char *who, const char *what, size_t n, unsigned char **out,
                              assay_error *err)
{
    size_t capacity = 0, n_read = 0, more = 0;
    do {
        const size_t wanted = n - n_read < PIECE ? n - n_read : PIECE;
        unsigned char *grown = grow_to(*out, &capacity, n_read + wanted + 1, 1);
        if (!grown)
            return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for the %s of its answer", who, what);
        *out = grown;
        const assay_status rc = read_bytes(from, who, *out + n_read, wanted, &more, err);
        if (rc != ASSAY_OK) return rc;
        n_read += more;
        if (more < wanted)
            return assay_fail(err, ASSAY_EIO, "%s: its answer ends after %zu bytes of its %s, expected %zu",
                              who, n_read, what, n);
    } while (n_read < n);
    return ASSAY_OK;
}

static assay_status fail_prefix(const char *who, const unsigned char *prefix, size_t n, assay_error *err)
{
    char shown[SHOWN];
    (void)snprintf(shown, sizeof shown, "%.*s", (int)n, (const char *)prefix);
    shown_clean(shown, sizeof shown);
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: found \"%s\" on its standard output, expected a frame, which begins with " MAGIC
                      ": libraries must print to standard error",
                      who, shown);
}

static assay_status parse_header(const char *who, const unsigned char *text, size_t n, json_object **out,
                                 assay_error *err)
{
    const json_limits limits = {EXEC_HEADER_MAX, VALUES_MAX};
    const assay_status rc = json_parse_within(who, (const char *)text, n, &limits, out, err);
    if (rc == ASSAY_EUNSUPPORTED)
        return assay_fail(err, ASSAY_EFORMAT, "%s: its header has too many values", who);
    if (rc != ASSAY_OK || json_object_is_type(*out, json_type_object)) return rc;
    return assay_fail(err, ASSAY_EFORMAT, "%s: found a header that is %s, expected an object", who,
                      *out ? json_type_to_name(json_object_get_type(*out)) : "null");
}

assay_status exec_frame_read(int from, const char *who, size_t body_most, exec_frame *out, assay_error *err)
{
    unsigned char prefix[PREFIX], *text = NULL;
    size_t n = 0;
    *out = (exec_frame){0};
    assay_status rc = read_bytes(from, who, prefix, sizeof prefix, &n, err);
    if (rc != ASSAY_OK) return rc;
    if (n == 0) return assay_fail(err, ASSAY_EIO, "%s: it ended without an answer", who);
    const size_t n_magic = n < sizeof MAGIC - 1 ? n : sizeof MAGIC - 1;
    if (memcmp(prefix, MAGIC, n_magic) != 0) return fail_prefix(who, prefix, n, err);
    if (n < sizeof prefix)
        return assay_fail(err, ASSAY_EIO,
                          "%s: its answer ends after %zu bytes, expected %d before the header", who, n,
                          PREFIX);
    const uint64_t n_header = little_endian(prefix + 4, 4), n_body = little_endian(prefix + 8, 8);
    if (n_header > EXEC_HEADER_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found a header of %" PRIu64 " bytes, expected at most %zu",
                          who, n_header, EXEC_HEADER_MAX);
    if (n_body > body_most)
        return assay_fail(err, ASSAY_EFORMAT, "%s: found a body of %" PRIu64 " bytes, expected at most %zu",
                          who, n_body, body_most);
    rc = read_part(from, who, "header", n_header, &text, err);
    if (rc == ASSAY_OK) rc = parse_header(who, text, n_header, &out->header, err);
    free(text);
    if (rc == ASSAY_OK) rc = read_part(from, who, "body", n_body, &out->body, err);
    if (rc == ASSAY_OK) out->n_body = n_body;
    return rc;
}

void exec_frame_free(exec_frame *f)
{
    json_object_put(f->header);
    free(f->body);
    *f = (exec_frame){0};
}

/* Reads "shape"; *bytes: of the data. */
static assay_status read_shape(const conf_json_at *at, assay_tensor *t, size_t *bytes, assay_error *err)
{
    conf_json_at shape;
    const assay_status rc = conf_json_member(at, "shape", json_type_array, &shape, err);
    if (rc != ASSAY_OK) return rc;
    t->rank = json_object_array_length(shape.value);
    if (t->rank > ASSAY_TENSOR_RANK_MAX)
        return conf_json_fail(&shape, err, "found %zu dimensions, expected at most %u", t->rank,
                              ASSAY_TENSOR_RANK_MAX);
    *bytes = dtype_size(t->dtype);
    for (size_t i = 0; i < t->rank; i++) {
        const conf_json_at element = conf_json_element(&shape, i);
        int64_t n;
        const assay_status read = conf_json_whole(&element, 0, INT64_MAX, &n, err);
        if (read != ASSAY_OK) return read;
        t->shape[i] = (size_t)n;
        if (__builtin_mul_overflow(*bytes, t->shape[i], bytes))
            return conf_json_fail(&shape, err, "the size of the tensor overflows");
    }
    return ASSAY_OK;
}

assay_status exec_frame_tensor(const exec_frame *f, const conf_json_at *at, assay_tensor *out,
                               assay_error *err)
{
    const char *type = NULL, *name = "";
    size_t bytes = 0;
    int64_t ends[2];
    conf_json_at offsets;
    *out = (assay_tensor){0};
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(at, "dtype", &type, err);
    if (rc == ASSAY_OK) rc = conf_json_optional_text(at, "name", &name, err);
    if (rc != ASSAY_OK) return rc;
    out->name = name;
    out->dtype = dtype_from_name(type, strlen(type));
    if (out->dtype == ASSAY_DTYPE_NONE)
        return conf_json_fail(at, err, "found dtype %.32s, which is none", type);
    rc = read_shape(at, out, &bytes, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "data_offsets", json_type_array, &offsets, err);
    if (rc != ASSAY_OK) return rc;
    if (json_object_array_length(offsets.value) != 2)
        return conf_json_fail(&offsets, err, "found %zu offsets, expected 2",
                              json_object_array_length(offsets.value));
    for (size_t i = 0; i < 2; i++) {
        const conf_json_at end = conf_json_element(&offsets, i);
        rc = conf_json_whole(&end, i ? ends[0] : 0, (int64_t)f->n_body, &ends[i], err);
        if (rc != ASSAY_OK) return rc;
    }
    if ((size_t)(ends[1] - ends[0]) != bytes)
        return conf_json_fail(&offsets, err, "found %zu bytes, expected %zu for the type and the shape",
                              (size_t)(ends[1] - ends[0]), bytes);
    if ((size_t)ends[0] % dtype_size(out->dtype) != 0)
        return conf_json_fail(&offsets, err, "found offset %zu, expected a multiple of %zu", (size_t)ends[0],
                              dtype_size(out->dtype));
    out->data = f->body + ends[0];
    return ASSAY_OK;
}

static void print_type(char *text, size_t size, assay_dtype dtype, const size_t *shape, size_t rank)
{
    size_t n = (size_t)snprintf(text, size, "%s [", dtype_name(dtype));
    for (size_t i = 0; i < rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%zu", i ? ", " : "", shape[i]);
    if (n < size) (void)snprintf(text + n, size - n, "]");
}

assay_status exec_frame_tensor_of(const exec_frame *f, const conf_json_at *at, assay_dtype dtype,
                                  const size_t *shape, size_t rank, assay_tensor *out, assay_error *err)
{
    char found[128], expected[128];
    const assay_status rc = exec_frame_tensor(f, at, out, err);
    if (rc != ASSAY_OK) return rc;
    if (out->dtype == dtype && out->rank == rank && memcmp(out->shape, shape, rank * sizeof *shape) == 0)
        return ASSAY_OK;
    print_type(found, sizeof found, out->dtype, out->shape, out->rank);
    print_type(expected, sizeof expected, dtype, shape, rank);
    return conf_json_fail(at, err, "found %s, expected %s", found, expected);
}

void exec_message_begin(exec_message *m)
{
    *m = (exec_message){.header = json_object_new_object()};
    m->failed = !m->header;
}

void exec_message_end(exec_message *m)
{
    json_object_put(m->header);
    free(m->parts);
    *m = (exec_message){0};
}

json_object *exec_message_tensor(exec_message *m, const assay_tensor *t)
{
    json_object *object = json_object_new_object(), *shape = json_object_new_array();
    json_object *offsets = json_object_new_array();
    assay_tensor *parts = grow_by_one(m->parts, m->n_parts, sizeof *parts);
    if (parts) {
        m->parts = parts;
        m->parts[m->n_parts++] = *t;
    }
    bool ok = parts && conf_json_add(object, "dtype", json_object_new_string(dtype_name(t->dtype)));
    for (size_t i = 0; i < t->rank; i++)
        ok = ok && conf_json_append(shape, json_object_new_uint64(t->shape[i]));
    ok = conf_json_add(object, "shape", shape) && ok;
    ok = ok && conf_json_append(offsets, json_object_new_uint64(m->n_body));
    m->n_body += safetensors_bytes(t);
    ok = ok && conf_json_append(offsets, json_object_new_uint64(m->n_body));
    ok = conf_json_add(object, "data_offsets", offsets) && ok;
    if (ok && t->name) ok = conf_json_add_text(object, "name", t->name);
    if (ok) return object;
    json_object_put(object);
    m->failed = true;
    return NULL;
}

static assay_status write_bytes(int to, const char *who, const void *data, size_t n, assay_error *err)
{
    const unsigned char *bytes = data;
    while (n > 0) {
        const ssize_t put = write(to, bytes, n);
        if (put >= 0) {
            bytes += put;
            n -= (size_t)put;
        } else if (errno != EINTR) {
            return assay_fail(err, ASSAY_EIO, "%s: it no longer reads requests: %s", who, strerror(errno));
        }
    }
    return ASSAY_OK;
}

static assay_status write_frame(int to, const char *who, const exec_message *m, const char *text, size_t n,
                                assay_error *err)
{
    unsigned char prefix[PREFIX] = MAGIC;
    put_little_endian(prefix + 4, 4, n);
    put_little_endian(prefix + 8, 8, m->n_body);
    assay_status rc = write_bytes(to, who, prefix, sizeof prefix, err);
    if (rc == ASSAY_OK) rc = write_bytes(to, who, text, n, err);
    for (size_t i = 0; i < m->n_parts && rc == ASSAY_OK; i++)
        rc = write_bytes(to, who, m->parts[i].data, safetensors_bytes(&m->parts[i]), err);
    return rc;
}

/* A program that has ended is an error of this call: SIGPIPE is blocked, and one that is pending is taken
 * back. */
assay_status exec_message_write(int to, const char *who, const exec_message *m, assay_error *err)
{
    size_t n = 0;
    sigset_t broken_pipe, before;
    const struct timespec now = {0};
    const char *text =
        m->failed ? NULL : json_object_to_json_string_length(m->header, JSON_C_TO_STRING_PLAIN, &n);
    if (!text) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for a request", who);
    if (n > EXEC_HEADER_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: the header of the request has %zu bytes, of which %zu are allowed", who, n,
                          EXEC_HEADER_MAX);
    (void)sigemptyset(&broken_pipe);
    (void)sigaddset(&broken_pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const assay_status rc = write_frame(to, who, m, text, n, err);
    if (!sigismember(&before, SIGPIPE))
        while (sigtimedwait(&broken_pipe, NULL, &now) == SIGPIPE) continue;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}
