/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "conformance/case/root.h"
#include "conformance/support/checksums.h"
#include "conformance/support/directories.h"
#include "gguf/container.h"

typedef enum role { SETTINGS, TEXTS, WEIGHTS, N_ROLES } role;

typedef struct member {
    char *name, *path, *to; /* in the checkpoint; on the disk; in the bundle */
    role role;
    size_t bytes;
} member;

typedef struct checkpoint {
    const conf_bundle_subject *subject;
    member *at; /* [n], by name */
    size_t n;
    size_t bytes[N_ROLES];
    bool kept[N_ROLES];
} checkpoint;

static bool ends_with_one(const char *name, const char *const *suffixes)
{
    while (*suffixes && !string_ends_with(name, *suffixes)) suffixes++;
    return *suffixes != NULL;
}

static role role_of(const char *name)
{
    static const char *const weights[] = {".safetensors", ".bin", ".gguf", ".npz", ".pth", NULL};
    static const char *const texts[] = {".jinja", ".model", ".txt", NULL};
    static const char *const documents[] = {"tokenizer.json", "vocab.json", "chat_template.json", NULL};
    if (ends_with_one(name, weights)) return WEIGHTS;
    return ends_with_one(name, texts) || ends_with_one(name, documents) ? TEXTS : SETTINGS;
}

static int is_covered(const struct dirent *entry)
{
    return conf_checksums_cover(entry->d_name);
}

/* Takes the strings, of which NULL stands for one that could not be allocated. Links count as the files that
 * they lead to: downloads consist of them. What is no file is passed over. */
static bool add_member(checkpoint *c, role kind, char *name, char *path, char *to)
{
    struct stat s;
    const bool is_made = name && path && to;
    if (is_made && stat(path, &s) == 0 && S_ISREG(s.st_mode)) {
        const size_t bytes = (size_t)s.st_size;
        c->bytes[kind] += bytes;
        c->at[c->n++] = (member){.name = name, .path = path, .to = to, .role = kind, .bytes = bytes};
        return true;
    }
    free(name);
    free(path);
    free(to);
    return is_made;
}

static char *join(const char *dir, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static assay_status no_memory(const checkpoint *c, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->subject->model);
}

static assay_status list_directory(checkpoint *c, assay_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(c->subject->model, &entries, is_covered, alphasort);
    if (n < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", c->subject->model, strerror(errno));
    c->at = calloc((size_t)n + 1, sizeof *c->at);
    bool ok = c->at != NULL;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        ok = ok && add_member(c, role_of(name), strdup(name), join(c->subject->model, name),
                              join(c->subject->inner, name));
        free(entries[i]);
    }
    free(entries);
    return ok ? ASSAY_OK : no_memory(c, err);
}

/* Lists a checkpoint that is a GGUF file, and its other parts. A case of kind tokenizer needs it for its
 * texts. */
static assay_status list_parts(checkpoint *c, assay_error *err)
{
    gguf *f = NULL;
    const char *inner = c->subject->inner, *first = basename(inner);
    const size_t n = gguf_open(c->subject->model, &f, NULL) == ASSAY_OK ? gguf_n_parts(f) : 1;
    c->at = calloc(n, sizeof *c->at);
    bool ok = c->at != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        const char *path = i > 0 ? gguf_part_path(f, i) : c->subject->model,
                   *name = i > 0 ? basename(path) : first;
        char *to = NULL;
        if (asprintf(&to, "%.*s%s", (int)(first - inner), inner, name) < 0) to = NULL;
        ok = add_member(c, c->subject->kind == CONF_TOKENIZER ? TEXTS : WEIGHTS, strdup(name), strdup(path),
                        to);
    }
    gguf_free(f);
    return ok ? ASSAY_OK : no_memory(c, err);
}

/* Decides which files are kept. */
static void choose(checkpoint *c, const conf_bundle_files *files)
{
    const bool has_ids = conf_kind_of(c->subject->kind)->has_decoder || c->subject->kind == CONF_POSITIONS,
               needs_weights = c->subject->kind != CONF_TOKENIZER;
    c->kept[SETTINGS] = conf_bundle_fits(files, c->bytes[SETTINGS]);
    const size_t settings = c->kept[SETTINGS] ? c->bytes[SETTINGS] : 0;
    const size_t weights = needs_weights ? c->bytes[WEIGHTS] : 0;
    const bool all = conf_bundle_fits(files, settings + c->bytes[TEXTS] + weights);
    c->kept[WEIGHTS] = needs_weights && (all || (has_ids && conf_bundle_fits(files, settings + weights)));
    c->kept[TEXTS] = all || (!c->kept[WEIGHTS] && conf_bundle_fits(files, settings + c->bytes[TEXTS]));
}

/* Shortens the value of _name_or_path in config.json to its last part. */
static void forget_name(char *text, size_t *n)
{
    static const char key[] = "\"_name_or_path\"";
    char *at = memmem(text, *n, key, sizeof key - 1), *end = text + *n;
    if (!at) return;
    at += sizeof key - 1;
    at += strspn(at, " \t\r\n:");
    if (*at != '"') return;
    char *value = ++at, *last = value;
    for (; at < end && *at != '"' && (*at != '\\' || at[1] == '/'); at++) /* JSON may write "\/" */
        if (*at == '/') last = at + 1;
    if (at == end || *at != '"' || !strchr("/~.\\", value[0])) return;
    memmove(value, last, (size_t)(end - last) + 1);
    *n -= (size_t)(last - value);
}

static assay_status put_text(conf_bundle_files *files, const char *name, const char *text, size_t n,
                             const conf_bundle_paths *paths, conf_strings *traces, assay_error *err)
{
    if (conf_bundle_paths_stand_in(paths, text, n) && !conf_strings_add(traces, name))
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    return conf_bundle_put(files, name, text, n, err);
}

assay_status conf_bundle_copy(conf_bundle_files *files, const char *path, const char *name,
                              const conf_bundle_paths *paths, conf_strings *traces, assay_error *err)
{
    char *text = NULL;
    size_t n;
    assay_status rc = file_read(path, CONF_BUNDLE_BYTES_MAX, &text, &n, err);
    if (rc != ASSAY_OK) return rc == ASSAY_ENOMEM ? rc : ASSAY_EIO;
    text[n] = '\0';
    const char *slash = strrchr(path, '/');
    if (strcmp(slash ? slash + 1 : path, "config.json") == 0) forget_name(text, &n);
    rc = put_text(files, name, text, n, paths, traces, err);
    free(text);
    return rc;
}

static assay_status leave_out(conf_bundle_files *files, const checkpoint *c, const member *m,
                              assay_error *err)
{
    const bool needless = m->role == WEIGHTS && c->subject->kind == CONF_TOKENIZER;
    return conf_bundle_leave_out(files, err, "%s, %zu bytes: %s", m->to, m->bytes,
                                 needless ? "a case of kind tokenizer reads no weights"
                                 : m->role == TEXTS
                                     ? "too large beside the weights, and the case has token ids"
                                 : m->role == WEIGHTS ? "too large; put it there before the case is run"
                                                      : "too large");
}

/* Adds a line of checksums: of the copy, or of weights that have to be put there. */
static assay_status print_sum(FILE *out, const conf_bundle_files *files, const checkpoint *c, const member *m,
                              assay_error *err)
{
    char *copy;
    uint32_t sum;
    if (!c->kept[m->role] && (m->role != WEIGHTS || c->subject->kind == CONF_TOKENIZER)) return ASSAY_OK;
    if (asprintf(&copy, "%s/%s", files->dir, m->to) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", m->path);
    const assay_status rc = conf_checksums_sum(c->kept[m->role] ? copy : m->path, &sum, err);
    if (rc == ASSAY_OK) (void)fprintf(out, "%08" PRIx32 "  %s\n", sum, m->name);
    free(copy);
    return rc;
}

static assay_status put_sums(conf_bundle_files *files, const checkpoint *c, assay_error *err)
{
    char *text = NULL, *name = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", files->dir);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < c->n && rc == ASSAY_OK; i++) rc = print_sum(out, files, c, &c->at[i], err);
    const bool rooted = c->subject->is_rooted;
    if (asprintf(&name, "%s%s", rooted ? "" : c->subject->inner,
                 rooted ? CONF_ROOTED_CHECKSUMS : CONF_CHECKSUMS_SUFFIX) < 0)
        name = NULL;
    if ((fclose(out) != 0 || !name) && rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", files->dir);
    if (rc == ASSAY_OK) rc = conf_bundle_put(files, name, text, size, err);
    free(text);
    free(name);
    return rc;
}

/* The checkpoint of a test engine is an empty directory. */
static assay_status make_directory(const conf_bundle_files *files, const char *inner, bool is_file,
                                   assay_error *err)
{
    char *any;
    if (asprintf(&any, "%s/%s%s", files->dir, inner, is_file ? "" : "/any") < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", files->dir);
    const assay_status rc = conf_directories_make(any, err);
    free(any);
    return rc;
}

assay_status conf_bundle_checkpoint(conf_bundle_files *files, const conf_bundle_subject *s,
                                    const conf_bundle_paths *paths, bool *complete, conf_strings *traces,
                                    assay_error *err)
{
    checkpoint c = {.subject = s};
    *complete = true;
    if (!s->model) return ASSAY_OK;
    const bool is_file = gguf_is_file(s->model);
    assay_status rc = make_directory(files, s->inner, is_file, err);
    if (rc == ASSAY_OK) rc = is_file ? list_parts(&c, err) : list_directory(&c, err);
    if (rc == ASSAY_OK) choose(&c, files);
    for (size_t i = 0; i < c.n && rc == ASSAY_OK; i++) {
        const member *m = &c.at[i];
        if (c.kept[m->role]) rc = conf_bundle_copy(files, m->path, m->to, paths, traces, err);
        else rc = leave_out(files, &c, m, err);
        if (!c.kept[m->role] && m->role != TEXTS && s->kind != CONF_TOKENIZER) *complete = false;
    }
    if (rc == ASSAY_OK && c.n) rc = put_sums(files, &c, err);
    for (size_t i = 0; i < c.n; i++) {
        free(c.at[i].name);
        free(c.at[i].path);
        free(c.at[i].to);
    }
    free(c.at);
    return rc;
}
