/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/tests/fault.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "conformance/support/json_add.h"

static void write_all(int to, const void *data, size_t n)
{
    for (const char *at = data; n > 0;) {
        const ssize_t put = write(to, at, n);
        served_require(put > 0, "the harness no longer reads");
        at += put;
        n -= (size_t)put;
    }
}

/* The bytes before a header of n_header bytes and a body of n_body. */
static void write_prefix(int to, uint64_t n_header, uint64_t n_body)
{
    unsigned char prefix[16] = "ASAY";
    for (size_t i = 0; i < 4; i++) prefix[4 + i] = (unsigned char)(n_header >> (8 * i));
    for (size_t i = 0; i < 8; i++) prefix[8 + i] = (unsigned char)(n_body >> (8 * i));
    write_all(to, prefix, sizeof prefix);
}

static void write_text(const served *s, const char *text)
{
    write_prefix(s->answers, strlen(text), 0);
    write_all(s->answers, text, strlen(text));
    pause();
}

static void crash(served *s)
{
    const struct rlimit none = {0};
    (void)s;
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static void leave_early(served *s)
{
    (void)s;
    exit(3);
}

static void hang(served *s)
{
    (void)s;
    while (true) pause();
}

static void close_output(served *s)
{
    (void)close(s->answers);
    pause();
}

static void die_in_frame(served *s)
{
    write_prefix(s->answers, 1000, 1000);
    write_all(s->answers, "{\"id\"", 5);
    exit(0);
}

static void print_text(served *s)
{
    write_all(s->answers, "Loading checkpoint shards: 100%\n", 32);
}

static void flood_header(served *s)
{
    write_prefix(s->answers, UINT32_MAX, 0);
    while (true) write_all(s->answers, "[[[[[[[[[[[[[[[[", 16);
}

static void flood_body(served *s)
{
    write_prefix(s->answers, 2, UINT64_MAX);
    write_all(s->answers, "{}", 2);
    while (true) write_all(s->answers, "0123456789abcdef", 16);
}

static void allocate(served *s)
{
    (void)s;
    for (size_t n = 1; n < 1U << 20; n++) {
        char *block = malloc(1U << 24);
        served_require(block != NULL, "out of memory");
        for (size_t i = 0; i < 1U << 24; i += 4096) ((volatile char *)block)[i] = (char)n;
    }
}

static void send_no_json(served *s)
{
    write_text(s, "{\"id\": 1, \"id\": NaN,");
}

static void send_array(served *s)
{
    write_text(s, "[1, 2, 3]");
}

static void change_id(served *s)
{
    s->id += 1000000;
}

/* Edits the first output. */
static json_object *first_output(served *s)
{
    json_object *outputs = json_object_object_get(s->answer.header, "outputs");
    served_require(json_object_array_length(outputs) > 0, "no output");
    return json_object_array_get_idx(outputs, 0);
}

static void add_row(served *s)
{
    json_object *rows = json_object_array_get_idx(json_object_object_get(first_output(s), "shape"), 0);
    (void)json_object_set_int64(rows, json_object_get_int64(rows) + 1);
}

static void change_type(served *s)
{
    (void)conf_json_add_text(first_output(s), "dtype", "F16");
}

static void move_offsets(served *s)
{
    json_object *offsets = json_object_object_get(first_output(s), "data_offsets");
    for (size_t i = 0; i < 2; i++) {
        json_object *end = json_object_array_get_idx(offsets, i);
        (void)json_object_set_int64(end, json_object_get_int64(end) + (1 << 20));
    }
}

static void drop_outputs(served *s)
{
    json_object_object_del(s->answer.header, "outputs");
}

static void answer_twice(served *s)
{
    served_send(s, &s->answer);
}

static const struct {
    const char *name;
    void (*commit)(served *s);
} faults[] = {
    {"crash", crash},          {"exit", leave_early},   {"hang", hang},
    {"close", close_output},   {"half", die_in_frame},  {"print", print_text},
    {"header", flood_header},  {"body", flood_body},    {"memory", allocate},
    {"json", send_no_json},    {"array", send_array},   {"id", change_id},
    {"row", add_row},          {"type", change_type},   {"offsets", move_offsets},
    {"outputs", drop_outputs}, {"twice", answer_twice},
};

static void (*chosen)(served *s);
static const char *marks;

void served_fault_choose(const char *name, const char *marker)
{
    for (size_t i = 0; name && i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].name, name) == 0) chosen = faults[i].commit;
    served_require(!name || chosen, "no fault has this name");
    marks = marker;
}

void served_fault_commit(served *s)
{
    if (!chosen) return;
    const int file = open(marks, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file < 0) return;
    (void)close(file);
    chosen(s);
}
