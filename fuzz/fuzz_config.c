/* Input: one byte that chooses a bundled checkpoint, and the config.json to open it with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"
#include "model/loader.h"
#include "model/plan/plan.h"
#include "model/plan/print.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seeds hold indices into this table: add to its end only. */
static const char *const CHECKPOINTS[] = {
    "llama/base",
    "llama/sharded",
    "qwen2/window",
    "qwen3/base",
    "qwen3_moe/fused",
    "qwen3_moe/base",
    "phi3/longrope",
    "phi3/partial",
    "gemma4/experts",
    "gemma4/shared-kv",
    "gemma4/multimodal",
    "gemma3n/text",
    "gemma3n/multimodal",
    "gemma4/k-eq-v",
    "qwen3_moe/unnormalised",
    "llama/biases",
    "llama/mlx-4bit",
    "llama/mlx-2bit",
    "qwen3/mlx-5bit",
    "qwen3_moe/mlx-6bit",
    "qwen3_moe/mlx-4bit-mixed",
    "gemma4/mlx-8bit-layer-inputs",
    "olmo2/base",
    "granite/base",
    "gemma2/base",
    "gemma/base",
    "qwen2_vl/base",
    "qwen2_vl/old",
    "qwen2_5_vl/base",
    "qwen3_vl/base",
    "qwen3_vl_moe/base",
    "gemma4/tower-clipped",
    "qwen3_5/base",
    "qwen3_5_moe/base",
    "paddleocr_vl/base",
    "glm4v/base",
    "glm_ocr/base",
    "ernie4_5_vl_moe/base",
    "glm4v_moe/base",
    "hunyuan_vl/base",
    "qwen3_omni_moe/base",
    "falcon_ocr/base",
    "mllama/base",
    "gemma3n/images-epsilons",
    "moondream3/base",
};
enum { N_CHECKPOINTS = sizeof CHECKPOINTS / sizeof *CHECKPOINTS };

static const char *fixtures_directory(void)
{
    static char here[4096];
    const char *top = getenv("top_srcdir");
    if (here[0]) return here;
    char *absolute = realpath(top && *top ? top : FUZZ_TOP, NULL);
    fuzz_require(absolute != NULL, "the source tree is there");
    (void)snprintf(here, sizeof here, "%s/fixtures", absolute);
    free(absolute);
    return here;
}

/* Links everything of the checkpoint but its config.json into the directory of the same index. */
static void link_checkpoint(size_t index, const char *into)
{
    char from[8192], source[8500], link[8500];
    (void)snprintf(from, sizeof from, "%s/%s/model", fixtures_directory(), CHECKPOINTS[index]);
    fuzz_require(mkdir(into, 0777) == 0, "a directory can be made");
    DIR *dir = opendir(from);
    fuzz_require(dir != NULL, "the bundled checkpoint is there");
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "config.json") == 0) continue;
        (void)snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        (void)snprintf(link, sizeof link, "%s/%s", into, entry->d_name);
        fuzz_require(symlink(source, link) == 0, "a link can be made");
    }
    (void)closedir(dir);
}

/* Reads the last group of the last row, which has the largest offset in the file. */
static void read_end(const plan_weight *w)
{
    double wide[AFFINE_GROUP_MAX];
    if (w->data && w->affine.bits)
        affine_widen(wide, &w->affine, w->data, w->cols, w->rows - 1, w->cols / w->affine.group - 1);
}

static void read_each(const plan_weight *const *ends, size_t n)
{
    for (size_t k = 0; k < n; k++) read_end(ends[k]);
}

static void read_mixer(const plan_mixer *m)
{
    const plan_attention *a = &m->attention;
    const plan_delta *d = &m->delta;
    if (m->kind == PLAN_MIXER_DELTA)
        read_each((const plan_weight *const[]){&d->qkv.weight, &d->z.weight, &d->a.weight, &d->b.weight,
                                               &d->out.weight},
                  5);
    else read_each((const plan_weight *const[]){&a->q.weight, &a->k.weight, &a->v.weight, &a->o.weight}, 4);
}

static void read_merger(const plan_merger *m)
{
    for (size_t i = 0; i < m->n_steps; i++)
        for (size_t k = 0; k < plan_merger_linears(&m->steps[i]); k++)
            read_end(&plan_merger_linear(&m->steps[i], k)->weight);
}

static void read_tower(const plan_tower *t)
{
    read_end(&t->table.weight);
    for (size_t i = 0; i < t->n_layers; i++) {
        const plan_attention *a = &t->layers[i].attention;
        const plan_mlp *m = &t->layers[i].mlp;
        read_each((const plan_weight *const[]){&a->q.weight, &a->k.weight, &a->v.weight, &a->o.weight,
                                               &m->gate.weight, &m->up.weight, &m->down.weight},
                  7);
    }
    if (t->present) read_merger(&t->merger);
    for (size_t k = 0; k < t->n_deepstack; k++) read_merger(&t->deepstack[k].merger);
}

static void read_ends(const plan *p)
{
    read_tower(&p->vision);
    read_end(&p->embedding);
    read_end(&p->head);
    read_end(&p->layer_inputs.table);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *layer = &p->layers[i];
        const plan_weight *const ends[] = {&layer->mlp.gate.weight,
                                           &layer->mlp.up.weight,
                                           &layer->mlp.down.weight,
                                           &layer->experts.router,
                                           &layer->experts.shared.gate.weight,
                                           &layer->experts.shared.up.weight,
                                           &layer->experts.shared.down.weight,
                                           &layer->experts.shared_gate};
        read_mixer(&layer->mixer);
        read_each(ends, sizeof ends / sizeof *ends);
        if (!layer->experts.present) continue;
        read_end(&layer->experts.gate[layer->experts.n_experts - 1]);
        read_end(&layer->experts.up[layer->experts.n_experts - 1]);
        read_end(&layer->experts.down[layer->experts.n_experts - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool linked[N_CHECKPOINTS];
    static FILE *nowhere;
    if (size == 0) return 0;
    const size_t index = data[0] % N_CHECKPOINTS;
    char dir[4200], config[32];
    (void)snprintf(dir, sizeof dir, "%s/%zu", fuzz_directory(), index);
    if (!linked[index]) link_checkpoint(index, dir);
    linked[index] = true;
    (void)snprintf(config, sizeof config, "%zu/config.json", index);
    (void)fuzz_write(config, data + 1, size - 1);

    plan *p = NULL;
    assay_error err = {0};
    assay_status rc = plan_open(dir, &p, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, p == NULL);
        return 0;
    }
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    fuzz_require(nowhere != NULL, "there is a /dev/null");
    plan_print(p, NULL, nowhere);
    read_ends(p);
    plan_free(p);
    return 0;
}
