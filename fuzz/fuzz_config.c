/* Input: the name of a bundled checkpoint ("llama/base"), a line feed, and the config.json to open it with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"
#include "model/loader.h"
#include "model/numerics/stored.h"
#include "model/plan/plan.h"
#include "model/plan/print.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 64 };

static const char *fixtures_directory(void)
{
    static char here[4096];
    if (here[0]) return here;
    char *absolute = realpath(fuzz_top(), NULL);
    fuzz_require(absolute != NULL, "the source tree is there");
    (void)snprintf(here, sizeof here, "%s/fixtures", absolute);
    free(absolute);
    return here;
}

/* Copies the name before the first line feed, which is FAMILY/VARIANT. Returns its length; 0: there is none.
 */
static size_t read_name(const uint8_t *data, size_t size, char name[NAME_MAX_BYTES])
{
    size_t n = 0, slashes = 0;
    for (; n < size && n < NAME_MAX_BYTES && data[n] != '\n'; n++) {
        const bool slash = data[n] == '/';
        if (!slash && !isalnum(data[n]) && data[n] != '_' && data[n] != '-') return 0;
        slashes += slash;
        name[n] = (char)data[n];
    }
    if (n == size || n == NAME_MAX_BYTES || slashes != 1) return 0;
    name[n] = '\0';
    return n;
}

/* Fills the directory of a bundled checkpoint, name, with links to everything of it but its config.json. */
static void link_files(const char *from, const char *name)
{
    char source[8500], link[8500];
    DIR *dir = opendir(from);
    fuzz_require(dir != NULL, "the bundled checkpoint can be read");
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "config.json") == 0) continue;
        (void)snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        (void)snprintf(link, sizeof link, "%s/%s/%s", fuzz_directory(), name, entry->d_name);
        fuzz_require(symlink(source, link) == 0, "a link can be made");
    }
    (void)closedir(dir);
}

/* Makes the directory of a checkpoint, unless it exists. Returns whether the checkpoint is bundled. */
static bool make_checkpoint(char *name)
{
    char from[8192], made[8192];
    (void)snprintf(made, sizeof made, "%s/%s", fuzz_directory(), name);
    (void)snprintf(from, sizeof from, "%s/%s/model", fixtures_directory(), name);
    if (access(made, F_OK) == 0) return true;
    if (access(from, F_OK) != 0) return false;
    char *slash = strchr(name, '/');
    *slash = '\0';
    fuzz_make_directory(name);
    *slash = '/';
    fuzz_make_directory(name);
    link_files(from, name);
    return true;
}

/* Makes the directory of the checkpoint that the input names. Returns the length of the name; 0: the input
 * names none, as inputs that libFuzzer draws may, but seeds may not. */
static size_t choose_checkpoint(const uint8_t *data, size_t size, char name[NAME_MAX_BYTES])
{
    size_t n = read_name(data, size, name);
    if (n > 0 && !make_checkpoint(name)) n = 0;
    if (fuzz_is_replay)
        fuzz_require(n > 0, "a seed begins with the name of a bundled checkpoint and a line feed");
    return n;
}

/* Reads the last columns of the last row, which have the largest offsets in the file. */
static void read_end(const plan_weight *w)
{
    double wide[STORED_BLOCK];
    const size_t n = w->cols < STORED_BLOCK ? w->cols : STORED_BLOCK;
    if (w->data) stored_block(&w->stored, w->rows - 1, 1, w->cols - n, n, wide, n);
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
    static FILE *nowhere;
    char name[NAME_MAX_BYTES], dir[4200], config[NAME_MAX_BYTES + 16];
    const size_t n = choose_checkpoint(data, size, name);
    if (n == 0) return 0;
    (void)snprintf(dir, sizeof dir, "%s/%s", fuzz_directory(), name);
    (void)snprintf(config, sizeof config, "%s/config.json", name);
    (void)fuzz_write(config, data + n + 1, size - n - 1);

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
