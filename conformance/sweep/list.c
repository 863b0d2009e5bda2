/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/list.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const sweep_op *ops;
    size_t n_ops;
} TABLES[] = {
    {SWEEP_MATMUL, sizeof SWEEP_MATMUL / sizeof *SWEEP_MATMUL},
    {SWEEP_ATTENTION, sizeof SWEEP_ATTENTION / sizeof *SWEEP_ATTENTION},
    {SWEEP_RMS_NORM, sizeof SWEEP_RMS_NORM / sizeof *SWEEP_RMS_NORM},
    {SWEEP_ROPE, sizeof SWEEP_ROPE / sizeof *SWEEP_ROPE},
    {SWEEP_GATE, sizeof SWEEP_GATE / sizeof *SWEEP_GATE},
    {SWEEP_ROUTER, sizeof SWEEP_ROUTER / sizeof *SWEEP_ROUTER},
    {SWEEP_STORED, sizeof SWEEP_STORED / sizeof *SWEEP_STORED},
};

enum { N_TABLES = sizeof TABLES / sizeof *TABLES };

size_t sweep_n_ops(void)
{
    size_t n = 0;
    for (size_t t = 0; t < N_TABLES; t++) n += TABLES[t].n_ops;
    return n;
}

const sweep_op *sweep_op_at(size_t index)
{
    size_t t = 0;
    for (; index >= TABLES[t].n_ops; t++) index -= TABLES[t].n_ops;
    return &TABLES[t].ops[index];
}

/* Draws and runs a shape whose dimension `large` is large; is_limit: the largest. */
static void run_large(sweep *s, const sweep_op *op, size_t large, bool is_limit)
{
    size_t shape[SWEEP_DIMS];
    for (size_t d = 0; d < op->n_dims; d++) {
        const sweep_dim *dim = &op->dims[d];
        if (!dim->name) shape[d] = is_limit ? 0 : sweep_between(s, 0, dim->most);
        else if (d != large) shape[d] = sweep_between(s, 1, dim->few);
        else shape[d] = is_limit ? dim->most : sweep_between_log(s, dim->few + 1, dim->most);
    }
    if (op->fit) op->fit(s, op, shape);
    op->run(s, op, shape, is_limit ? SWEEP_RANDOM : sweep_turn(s));
}

void sweep_run(sweep *s, const sweep_op *op)
{
    op->run_shapes(s, op);
    for (size_t d = 0; d < op->n_dims; d++) {
        if (!op->dims[d].name) continue;
        run_large(s, op, d, true);
        for (size_t i = 0; i < SWEEP_N_NUMBERS; i++) run_large(s, op, d, false);
    }
}

void sweep_largest_write(const sweep *s, const sweep_op *op, char *text, size_t n)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t d = 0; d < op->n_dims && length < n; d++)
        if (op->dims[d].name)
            length += (size_t)snprintf(text + length, n - length, "%s%s %zu", length ? ", " : "",
                                       op->dims[d].name, s->largest[d]);
}

bool sweep_op_is_called(const sweep_op *op, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(op->name, word, n) == 0 && (op->name[n] == '\0' || op->name[n] == '.');
}

/* Parses a whole number, limited to less than 2^28 so that products of two do not overflow. */
static bool read_size(const char *word, size_t *out)
{
    size_t n = 0;
    for (const char *at = word; *at; at++) {
        if (*at < '0' || *at > '9' || n > 1U << 24) return false;
        n = n * 10 + (size_t)(*at - '0');
    }
    *out = n;
    return *word != '\0';
}

bool sweep_case_read(const sweep_op *op, const char *const *words, size_t n, sweep_numbers *numbers,
                     size_t *shape)
{
    size_t kind = 0;
    if (n != op->n_dims + 1) return false;
    while (kind < SWEEP_N_NUMBERS && strcmp(words[0], sweep_numbers_name((sweep_numbers)kind)) != 0) kind++;
    if (kind == SWEEP_N_NUMBERS) return false;
    for (size_t i = 0; i < op->n_dims; i++)
        if (!read_size(words[i + 1], &shape[i])) return false;
    *numbers = (sweep_numbers)kind;
    return true;
}
