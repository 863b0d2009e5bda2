/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/mobilenet_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"

size_t mobilenet_divisible(double n)
{
    size_t made = (size_t)(n + 4) / 8 * 8;
    if (made < 8) made = 8;
    return (double)made < 0.9 * n ? made + 8 : made;
}

/* Blocks of the published encoder that follow each other `times` times. */
typedef struct group {
    size_t stage, times, n;
    mobilenet_block blocks[2];
} group;

#define EDGE(s)                                                                                              \
    {                                                                                                        \
        .kind = MOBILENET_EDGE, .stride = (s), .out = 128, .kernel = 3, .ratio = 4                           \
    }
#define INVERTED(s, a, k, e, c)                                                                              \
    {                                                                                                        \
        .kind = MOBILENET_INVERTED, .stride = (s), .start = (a), .mid = (k), .ratio = (e), .out = (c)        \
    }
#define ATTENTION(h, d, v, c)                                                                                \
    {                                                                                                        \
        .kind = MOBILENET_ATTENTION, .stride = 1, .kernel = 3, .n_heads = (h), .head_dim = (d),              \
        .key_stride = (v), .out = (c)                                                                        \
    }

/* mobilenetv5_300m_enc */
static const group PUBLISHED[] = {
    {0, 1, 1, {EDGE(2)}},
    {0, 2, 1, {EDGE(1)}},
    {1, 1, 1, {INVERTED(2, 3, 5, 6, 256)}},
    {1, 2, 2, {INVERTED(1, 5, 0, 4, 256), INVERTED(1, 3, 0, 4, 256)}},
    {2, 1, 1, {INVERTED(2, 5, 5, 6, 640)}},
    {2, 7, 1, {INVERTED(1, 5, 0, 4, 640)}},
    {2, 1, 1, {INVERTED(1, 0, 0, 1, 640)}},
    {2, 14, 2, {ATTENTION(12, 64, 2, 640), INVERTED(1, 0, 0, 2, 640)}},
    {3, 1, 1, {INVERTED(2, 5, 5, 6, 1280)}},
    {3, 19, 2, {ATTENTION(16, 96, 1, 1280), INVERTED(1, 0, 0, 2, 1280)}},
};

/* Appends a block, whose stage is set. */
static void append_block(family_vision *v, mobilenet_list *list, mobilenet_block block)
{
    mobilenet_block *grown = grow_by_one(list->blocks, list->n, sizeof *grown);
    if (!grown) {
        config_fail(&v->config, ASSAY_ENOMEM, "model_args: out of memory for %zu blocks", list->n + 1);
        return;
    }
    const bool is_next = list->n > 0 && grown[list->n - 1].stage == block.stage;
    block.index = is_next ? grown[list->n - 1].index + 1 : 0;
    list->blocks = grown;
    list->blocks[list->n++] = block;
    list->n_stages = block.stage + 1;
}

static void list_published(family_vision *v, mobilenet_list *list)
{
    for (size_t g = 0; g < sizeof PUBLISHED / sizeof *PUBLISHED; g++)
        for (size_t i = 0; family_ok(&v->own) && i < PUBLISHED[g].times * PUBLISHED[g].n; i++) {
            mobilenet_block block = PUBLISHED[g].blocks[i % PUBLISHED[g].n];
            block.stage = PUBLISHED[g].stage;
            append_block(v, list, block);
        }
}

static void read_edge(config *c, mobilenet_block *b)
{
    b->kernel = config_size(c, "exp_kernel_size");
    b->ratio = config_positive(c, "exp_ratio");
    config_refuse(c, "force_in_chs");
    config_refuse(c, "se_ratio");
    if (config_size_or(c, "pw_kernel_size", 1) != 1 && c->status == ASSAY_OK)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "pw_kernel_size", "expected 1");
}

static void read_inverted(config *c, mobilenet_block *b)
{
    b->start = config_count_or(c, "dw_kernel_size_start", 0);
    b->mid = config_count_or(c, "dw_kernel_size_mid", 3);
    b->end = config_count_or(c, "dw_kernel_size_end", 0);
    b->ratio = config_positive(c, "exp_ratio");
    config_refuse(c, "se_ratio");
    if (c->status == ASSAY_OK && b->stride > 1 && !b->start && !b->mid && !b->end)
        config_fail_member(c, ASSAY_EFORMAT, "stride", "expected 1 without a depthwise convolution");
}

static void read_attention(config *c, mobilenet_block *b)
{
    b->kernel = config_size(c, "dw_kernel_size");
    b->n_heads = config_size(c, "num_heads");
    b->head_dim = config_size(c, "key_dim");
    b->key_stride = config_size_or(c, "kv_stride", 1);
    const size_t value_dim = config_size(c, "value_dim");
    if (c->status == ASSAY_OK && value_dim != b->head_dim)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "value_dim", "expected key_dim, %zu", b->head_dim);
    if (c->status == ASSAY_OK && b->stride != 1)
        config_fail_member(c, ASSAY_EUNSUPPORTED, "stride", "expected 1 of attention");
}

/* The first block of a stage has a stride of 2, and the others of 1: then the published encoder takes the
 * stages for the levels of its features. */
static void check_stride(config *c, const mobilenet_block *b, bool is_first)
{
    if (c->status == ASSAY_OK && b->stride != (is_first ? 2 : 1))
        config_fail_member(c, ASSAY_EUNSUPPORTED, "stride", "expected %d of the %s block of a stage",
                           is_first ? 2 : 1, is_first ? "first" : "later");
}

static void read_block(family_vision *v, config *args, json_object *object, size_t stage, size_t index,
                       mobilenet_list *list)
{
    config c;
    char prefix[80];
    (void)snprintf(prefix, sizeof prefix, "%sblock_args[%zu][%zu].", args->prefix, stage, index);
    config_begin_inside(&c, args, prefix, object);
    const char *type = config_text(&c, "block_type");
    mobilenet_block b = {.stage = stage,
                         .stride = config_size(&c, "stride"),
                         .out = config_size(&c, "out_chs"),
                         .has_no_skip = config_flag_or(&c, "noskip", false)};
    config_refuse(&c, "act_layer");
    config_refuse(&c, "group_size");
    if (c.status != ASSAY_OK) {
        config_drop(&c);
        return;
    }
    b.kind = strcmp(type, "er") == 0    ? MOBILENET_EDGE
             : strcmp(type, "uir") == 0 ? MOBILENET_INVERTED
                                        : MOBILENET_ATTENTION;
    if (b.kind == MOBILENET_EDGE) read_edge(&c, &b);
    else if (b.kind == MOBILENET_INVERTED) read_inverted(&c, &b);
    else if (strcmp(type, "mqa") == 0) read_attention(&c, &b);
    else config_fail_member(&c, ASSAY_EUNSUPPORTED, "block_type", "expected \"er\", \"uir\" or \"mqa\"");
    if (c.status == ASSAY_OK && b.out % 8 != 0)
        config_fail_member(&c, ASSAY_EUNSUPPORTED, "out_chs", "expected a multiple of 8");
    check_stride(&c, &b, index == 0);
    config_end(&c);
    if (family_ok(&v->own)) append_block(v, list, b);
}

static void read_stage(family_vision *v, config *args, json_object *stage, size_t i, mobilenet_list *list)
{
    if (!json_object_is_type(stage, json_type_array) || json_object_array_length(stage) == 0) {
        config_fail_element(args, ASSAY_EFORMAT, "block_args", i, "expected a list of blocks");
        return;
    }
    for (size_t k = 0; family_ok(&v->own) && k < json_object_array_length(stage); k++)
        read_block(v, args, json_object_array_get_idx(stage, k), i, k, list);
    /* timm asks a stage's last block for its channels, which an attention does not have there */
    if (family_ok(&v->own) && list->blocks[list->n - 1].kind == MOBILENET_ATTENTION)
        config_fail_element(args, ASSAY_EFORMAT, "block_args", i, "expected another last block than mqa");
}

void mobilenet_list_read(family_vision *v, config *args, mobilenet_list *out)
{
    json_object *list = args ? config_member(args, "block_args") : NULL;
    *out = (mobilenet_list){0};
    if (!list) list_published(v, out);
    else if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) == 0 ||
             json_object_array_length(list) > 4) /* timm dilates beyond a stride of 32 */
        config_fail_member(args, ASSAY_EUNSUPPORTED, "block_args", "expected a list of one to four stages");
    for (size_t i = 0; list && family_ok(&v->own) && i < json_object_array_length(list); i++)
        read_stage(v, args, json_object_array_get_idx(list, i), i, out);
    if (family_ok(&v->own)) return;
    free(out->blocks);
    *out = (mobilenet_list){0};
}
