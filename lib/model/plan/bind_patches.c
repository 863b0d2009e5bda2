/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_patches.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/plan/bind_tensor.h"

enum { RANK = 5 };

/* A convolution's shape as torch and as MLX store it; both start at element `skip` if there are no frames. */
typedef struct shapes {
    size_t torch[RANK], mlx[RANK], rank;
} shapes;

static shapes shapes_of(size_t hidden, const plan_patches *p, bool has_frames)
{
    const size_t c = p->channels, f = p->frames, s = p->size;
    if (has_frames) return (shapes){{hidden, c, f, s, s}, {hidden, f, s, s, c}, RANK};
    return (shapes){{hidden, c, s, s}, {hidden, s, s, c}, RANK - 1};
}

static bool has_shape(const assay_tensor *t, size_t rank, const size_t *shape)
{
    return t->rank == rank && memcmp(t->shape, shape, rank * sizeof *shape) == 0;
}

void bind_patches(bind *b, size_t hidden, plan_patches *patches, bool has_bias, const char *format, ...)
{
    char name[BIND_NAME_MAX], why[80];
    BIND_TENSOR_NAME(name, ".weight", format);
    const assay_tensor *t = bind_tensor_find(b, name, BIND_FLOATS);
    if (!t) return;
    const bool has_frames = patches->frames != 1 || t->rank == RANK;
    const shapes s = shapes_of(hidden, patches, has_frames);
    const bool is_torch = has_shape(t, s.rank, s.torch), is_mlx = has_shape(t, s.rank, s.mlx);
    if (is_torch && is_mlx && patches->channels * patches->size != 1) {
        bind_fail(b, ASSAY_EUNSUPPORTED,
                  "tensor '%s': the order of its elements is ambiguous: %zu channels, %zu frames and patches "
                  "of %zu pixels may be stored channels first, as torch does, or last, as MLX does",
                  name, patches->channels, patches->frames, patches->size);
        return;
    }
    patches->weights_channels_last = is_mlx && !is_torch;
    (void)snprintf(why, sizeof why, ", or channels last, as MLX stores a convolution");
    t = bind_tensor_take(b, name, BIND_FLOATS, s.rank, patches->weights_channels_last ? s.mlx : s.torch, why);
    patches->embed.weight = bind_tensor_weight(b, t, hidden, plan_patches_width(patches));
    if (!has_bias) return;
    BIND_TENSOR_NAME(name, ".bias", format);
    patches->embed.bias = bind_tensor_vector(b, bind_tensor_take(b, name, BIND_FLOATS, 1, &hidden, ""));
}
