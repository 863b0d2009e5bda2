/* Packing and unpacking of weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/matmul_make.h"
#include "conformance/sweep/matmul_pack.h"
#include "conformance/sweep/threads.h"

enum { N_IN, N_OUT, BITS, GROUP };

static const assay_dtype KINDS[] = {ASSAY_F32, ASSAY_F16, ASSAY_BF16, ASSAY_U32};

/* The matrix that begins with output `first`. */
static assay_weight weight_from(const assay_weight *w, size_t first)
{
    assay_weight from = *w;
    from.n_out -= first;
    from.rows = (const char *)from.rows + first * from.stride * dtype_size(from.dtype);
    if (!from.bits) return from;
    const size_t groups = first * (from.n_in / from.group);
    from.scales = (const char *)from.scales + groups * dtype_size(from.scale_dtype);
    from.biases = (const char *)from.biases + groups * dtype_size(from.bias_dtype);
    return from;
}

static size_t panel_bytes(const sweep_product *p, size_t first)
{
    const assay_weight from = weight_from(&p->stored, first);
    return p->kernel->panel_bytes(&from);
}

/* context: a copy of p->stored that is an input of the kernel. */
static void pack(const sweep_product *p, void *panel, size_t first, size_t index)
{
    const assay_weight from = weight_from(&p->stored, first);
    p->kernel->pack(panel, first == 0 ? p->context : &from, index);
}

static void unpack(const sweep_product *p, float *row, size_t o)
{
    p->kernel->unpack(row, &p->packed, o);
}

bool sweep_pack_sizes(sweep_product *p, sweep *s)
{
    const size_t bytes = p->packed.panel_bytes = p->panel_bytes(p, 0),
                 most = (SWEEP_ARRAY_MAX - 4096) / sweep_panels(&p->packed);
    if (bytes == 0 || bytes % ASSAY_ALIGNMENT || bytes > most) {
        sweep_fail(s, "panel_bytes: found %zu, expected a multiple of %zu, at most %zu here", bytes,
                   ASSAY_ALIGNMENT, most);
        return false;
    }
    return true;
}

bool sweep_pack_panels(sweep_product *p, sweep *s)
{
    if (!sweep_pack_sizes(p, s)) return false;
    const size_t n = sweep_panels(&p->packed), bytes = p->packed.panel_bytes;
    sweep_lock_inputs(s);
    char *panels = sweep_alloc_aligned(s, "panels", n * bytes, ASSAY_ALIGNMENT);
    memset(panels, 0xFF, n * bytes);
    for (size_t k = 0; k < n; k++) p->pack(p, panels + k * bytes, 0, k);
    p->packed.panels = panels;
    sweep_lock_inputs(s);
    return true;
}

bool sweep_pack(sweep_product *p, sweep *s)
{
    const assay_weight *w = &p->stored;
    p->packed = (assay_matrix){.n_out = w->n_out,
                               .n_in = w->n_in,
                               .dtype = w->dtype,
                               .bits = w->bits,
                               .group = w->group,
                               .scale_dtype = w->scale_dtype,
                               .bias_dtype = w->bias_dtype,
                               .panel = p->kernel->panel};
    p->panel_bytes = panel_bytes;
    p->pack = pack;
    p->unpack = unpack;
    p->context = sweep_alloc_copy(s, "w", w, sizeof *w);
    return sweep_pack_panels(p, s);
}

/* Packing one panel separately, between guards and over different bytes, must give the same bytes. So
 * must packing panel 0 of a matrix that begins at this panel. */
static void judge_panel(const sweep_product *p, sweep *s, size_t index)
{
    const size_t bytes = p->packed.panel_bytes, first = index * p->packed.panel;
    const unsigned char *packed = (const unsigned char *)p->packed.panels + index * bytes;
    unsigned char *again = sweep_alloc_guarded(s, "panel", bytes);
    for (size_t turn = 0; turn < 2; turn++) {
        memset(again, 0x5A, bytes);
        p->pack(p, again, turn ? first : 0, turn ? 0 : index);
        for (size_t i = 0; i < bytes; i++)
            if (again[i] != packed[i]) {
                sweep_fail(s, "panel %zu: byte %zu of %zu is not %s", index, i, bytes,
                           turn ? "the same as in a matrix that begins with it"
                                : "written, or not always the same");
                return;
            }
    }
    const size_t found = p->panel_bytes(p, first);
    if (found != bytes)
        sweep_fail(s, "panel_bytes: %zu, but %zu for %zu of its outputs", bytes, found,
                   p->stored.n_out - first);
}

/* Of a stored matrix the truth is rounded to double first, so that a number next to a border may be rounded
 * to either side. */
static bool judge_number(const sweep_product *p, sweep *s, float found, double truth, size_t at)
{
    if (p->is_stored && !isfinite((float)truth) && !isfinite(found)) return true;
    const float below = (float)nextafter(truth, -INFINITY), above = (float)nextafter(truth, INFINITY);
    if (p->is_stored && ((found >= below && found <= below) || (found >= above && found <= above)))
        return true;
    return sweep_judge_exact(s, found, (double)(float)truth, at);
}

static void judge_unpacked(const sweep_product *p, sweep *s, size_t o)
{
    const size_t n_in = p->stored.n_in;
    float *row = sweep_alloc_guarded(s, "row", n_in * sizeof *row);
    p->unpack(p, row, o);
    for (size_t i = 0; i < n_in; i++)
        if (!judge_number(p, s, row[i], p->w[o * n_in + i], o * n_in + i)) return;
}

/* Shared by threads: the panels, or the unpacked rows. */
typedef struct shared_panels {
    const sweep_product *product;
    void *to;
} shared_panels;

static void pack_part(const void *context, const sweep_part *part)
{
    const shared_panels *shared = context;
    const sweep_product *p = shared->product;
    for (size_t k = part->row; k < part->row + part->n_rows; k++)
        p->pack(p, (char *)shared->to + k * p->packed.panel_bytes, 0, k);
}

static void unpack_part(const void *context, const sweep_part *part)
{
    const shared_panels *shared = context;
    const sweep_product *p = shared->product;
    for (size_t o = part->row; o < part->row + part->n_rows; o++)
        p->unpack(p, (float *)shared->to + o * p->packed.n_in, o);
}

static void judge_threads(const sweep_product *p, sweep *s)
{
    if (!s->on_threads) return;
    const size_t n = sweep_panels(&p->packed), bytes = p->packed.panel_bytes, words = bytes / 4;
    const size_t n_in = p->packed.n_in, n_out = p->packed.n_out, n_row = n_in * sizeof(float);
    /* The size of guards is a multiple of the alignment, so that guarded panels are aligned. */
    shared_panels packed = {p, sweep_alloc_guarded(s, "panel", n * bytes)},
                  rows = {p, sweep_alloc_guarded(s, "row", n_out * n_row)};
    float *expected = sweep_alloc_guarded(s, "row", n_out * n_row);
    sweep_judge_threads(
        s, &(sweep_work){.n_rows = n,
                         .n_columns = 1,
                         .compute = pack_part,
                         .context = &packed,
                         .outputs = {{"panel", p->packed.panels, packed.to, words, 0, words, words}},
                         .n_outputs = 1});
    for (size_t o = 0; o < n_out; o++) p->unpack(p, expected + o * n_in, o);
    sweep_judge_threads(s, &(sweep_work){.n_rows = n_out,
                                         .n_columns = 1,
                                         .compute = unpack_part,
                                         .context = &rows,
                                         .outputs = {{"row", expected, rows.to, n_in, 0, n_in, n_in}},
                                         .n_outputs = 1});
}

void sweep_judge_panels(const sweep_product *p, sweep *s)
{
    const size_t n = sweep_panels(&p->packed);
    judge_panel(p, s, n - 1);
    judge_panel(p, s, sweep_between(s, 0, n - 1));
    judge_unpacked(p, s, p->stored.n_out - 1);
    for (size_t i = 0; i < 3; i++) judge_unpacked(p, s, sweep_between(s, 0, p->stored.n_out - 1));
    judge_threads(p, s);
}

void sweep_pack_run(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    if (!sweep_begin(s, shape, SWEEP_PACK_DIMS, numbers)) return;
    sweep_product p = {.numbers = numbers,
                       .kernel = sweep_matmul_of(s->kernels, KINDS[op->kind]),
                       .stored = {.n_out = shape[N_OUT],
                                  .n_in = shape[N_IN],
                                  .dtype = KINDS[op->kind],
                                  .bits = shape[BITS],
                                  .group = shape[GROUP]}};
    sweep_make_weights(&p, s);
    if (!sweep_pack(&p, s)) return;
    sweep_judge_panels(&p, s);
    sweep_end(s);
}

static void run_turn(sweep *s, const sweep_op *op, size_t n_in, size_t n_out)
{
    size_t bits, group;
    sweep_matrix_turn(s, KINDS[op->kind], &n_in, &bits, &group);
    sweep_pack_run(s, op, (const size_t[SWEEP_PACK_DIMS]){n_in, n_out, bits, group}, sweep_turn(s));
}

/* Sizes around lines of 16 and 32 numbers, and around the panel. */
void sweep_pack_shapes(sweep *s, const sweep_op *op)
{
    const size_t panel = sweep_matmul_of(s->kernels, KINDS[op->kind])->panel;
    for (size_t n_in = 1; n_in <= 70; n_in++) run_turn(s, op, n_in, sweep_between(s, 1, 3 * panel));
    for (size_t i = 0; i < 30; i++)
        run_turn(s, op, sweep_between(s, 1, 300), panel * (1 + i / 15) + i % 3 - 1 + (panel == 1));
    for (size_t i = 0; i < 60; i++)
        run_turn(s, op, sweep_between(s, 71, 1000), sweep_between(s, 1, 2 * panel));
}

const sweep_dim SWEEP_PLAIN_PACK_DIMS[SWEEP_PACK_DIMS] =
    {[N_IN] = {"inputs", 24, 28672}, [N_OUT] = {"outputs", 4, 32768}},
                SWEEP_AFFINE_PACK_DIMS[SWEEP_PACK_DIMS] = {
                    [N_IN] = {"inputs", 24, 28672}, [N_OUT] = {"outputs", 4, 8192}};

void sweep_pack_fit(const sweep *s, const sweep_op *op, size_t *shape)
{
    sweep_matrix_turn(s, KINDS[op->kind], &shape[N_IN], &shape[BITS], &shape[GROUP]);
}

bool sweep_pack_is_provided(const assay_kernels *kernels, const sweep_op *op)
{
    return sweep_matmul_of(kernels, KINDS[op->kind]) != NULL;
}

bool sweep_pack_allows(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    return sweep_matrix_allows(KINDS[op->kind], shape[N_OUT], shape[N_IN], shape[BITS], shape[GROUP]);
}
