/* For nftw. SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/failures.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/exec/engine.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/progress.h"
#include "conformance/support/text.h"

assay_status conf_bundle_check(const char *option, const char *dir, assay_error *err)
{
    DIR *stream = opendir(dir);
    if (!stream && errno == ENOENT) return ASSAY_OK;
    if (!stream) return assay_fail(err, ASSAY_EINVAL, "option %s: %s: %s", option, dir, strerror(errno));
    const struct dirent *entry;
    size_t n = 0;
    while ((entry = readdir(stream)))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(stream);
    if (n == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "option %s: %s: found %zu %s, expected an empty directory or none",
                      option, dir, n, n == 1 ? "entry" : "entries");
}

assay_status conf_bundles_check(const char *dir, bool is_dry, assay_error *err)
{
    if (!dir && is_dry) return assay_fail(err, ASSAY_EINVAL, "option --dry-run needs --bundle");
    return dir ? conf_bundle_check("--bundle", dir, err) : ASSAY_OK;
}

char *conf_bundle_case_name(const char *path, const char *fixtures)
{
    char *root = realpath(fixtures, NULL), *real = realpath(path, NULL);
    const size_t n = root ? strlen(root) : 0;
    const bool bundled = root && real && strncmp(real, root, n) == 0 && real[n] == '/';
    const char *slash = strrchr(path, '/'), *shown = bundled ? real + n + 1 : slash ? slash + 1 : path;
    size_t stem = strlen(shown);
    (void)conf_case_is_named(shown, &stem);
    char *name = strndup(shown, stem), *clean = name ? conf_text_cleaned(name) : NULL;
    free(name);
    free(root);
    free(real);
    return clean;
}

/* A folder's name: letters, digits and marks that need no quotes; n counts what would have the same. */
static char *folder_of(const char *name, const conf_engine_column *e, size_t n)
{
    char *text = NULL;
    const char *label = exec_engine_is(e->name) ? "exec" : e->label;
    const size_t length = strlen(label);
    const bool so = length > 3 && strcmp(label + length - 3, ".so") == 0;
    int size = asprintf(&text, "%s-%.*s", name, (int)(so ? length - 3 : length), label);
    if (size < 0) return NULL;
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '-';
    if (text[0] == '.' || text[0] == '-') text[0] = '_'; /* a hidden folder is not scanned */
    if (n == 0) return text;
    char *counted = NULL;
    size = asprintf(&counted, "%s-%zu", text, n + 1);
    free(text);
    return size < 0 ? NULL : counted;
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *place)
{
    (void)s, (void)type, (void)place;
    return remove(path);
}

static void remove_tree(const char *dir)
{
    enum { OPEN_MOST = 16 };
    (void)nftw(dir, remove_entry, OPEN_MOST, FTW_DEPTH | FTW_PHYS);
}

void conf_bundle_print(const conf_bundle *b, const char *shown, bool lists, FILE *out, const char *prefix)
{
    (void)fprintf(out, "%sbundle: ", prefix);
    conf_text_print_quoted(out, shown);
    (void)fprintf(out, ": %zu files, %zu bytes, %s\n", b->files.n, b->files.bytes,
                  b->repeats    ? "repeats the failure"
                  : b->was_run  ? "does not repeat the failure"
                  : b->complete ? "not run again"
                                : "not complete");
    for (size_t i = 0; i < b->files.n && lists; i++) {
        (void)fprintf(out, "%s%10zu ", prefix, b->files.at[i].bytes);
        conf_text_print_quoted(out, b->files.at[i].name);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < b->files.left_out.n; i++) {
        (void)fprintf(out, "%s  left out: ", prefix);
        conf_text_print_clean(out, b->files.left_out.at[i]);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < b->traces.n; i++) {
        (void)fprintf(out, "%s  look before you send it: a path of this machine stands in ", prefix);
        conf_text_print_quoted(out, b->traces.at[i]);
        (void)fputc('\n', out);
    }
}

/* A run of conf_bundles_write. */
typedef struct writer {
    const conf_bundles *all;
    const conf_results *results;
    conf_jobs *jobs;
    conf_strings names; /* of the folders so far */
    FILE *out;
    const char *prefix;
    char *staging; /* of a dry run */
} writer;

/* Takes a name that no folder has; the list owns it. NULL if out of memory. */
static const char *take_folder(writer *w, const char *name, const conf_engine_column *e)
{
    for (size_t n = 0;; n++) {
        char *folder = folder_of(name, e, n);
        bool taken = false;
        for (size_t i = 0; folder && i < w->names.n; i++)
            taken = taken || strcmp(w->names.at[i], folder) == 0;
        if (!taken) return conf_strings_take(&w->names, folder) ? w->names.at[w->names.n - 1] : NULL;
        free(folder);
    }
}

static assay_status write_one(writer *w, size_t result, size_t engine, assay_error *err)
{
    const conf_context *context = w->all->context;
    char *name = conf_bundle_case_name(w->results->at[result].path, context->fixtures), *dir = NULL,
         *shown = NULL;
    const char *folder = name ? take_folder(w, name, &w->results->engines[engine]) : NULL;
    if (folder && asprintf(&dir, "%s/%s", w->staging ? w->staging : w->all->dir, folder) < 0) dir = NULL;
    if (folder && asprintf(&shown, "%s/%s", w->all->dir, folder) < 0) shown = NULL;
    conf_bundle bundle = {0};
    assay_status rc = ASSAY_ENOMEM;
    if (dir && shown) {
        const conf_bundle_failure failure = {.results = w->results,
                                             .result = result,
                                             .engine = engine,
                                             .name = name,
                                             .reference = w->all->reference,
                                             .home = context->variable("HOME")};
        conf_progress_show(context, w->names.n, w->results->n * w->results->n_engines, folder);
        rc = conf_bundle_write(dir, &failure, w->jobs, &bundle, err);
        conf_progress_clear(context);
    } else {
        (void)assay_fail(err, rc, "%s: out of memory", w->all->dir);
    }
    if (rc == ASSAY_OK && !conf_interrupted())
        conf_bundle_print(&bundle, shown, w->all->is_dry, w->out, w->prefix);
    if (dir && (rc != ASSAY_OK || conf_interrupted() || w->all->is_dry)) remove_tree(dir);
    conf_bundle_free(&bundle);
    free(name);
    free(dir);
    free(shown);
    return rc;
}

static assay_status open_staging(writer *w, assay_error *err)
{
    const char *given = w->all->context->variable("TMPDIR"), *base = given && given[0] ? given : "/tmp";
    if (!w->all->is_dry) return ASSAY_OK;
    if (asprintf(&w->staging, "%s/assay-XXXXXX", base) < 0) {
        w->staging = NULL;
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", base);
    }
    if (mkdtemp(w->staging)) return ASSAY_OK;
    const assay_status rc = assay_fail(err, ASSAY_EIO, "%s: %s", w->staging, strerror(errno));
    free(w->staging);
    w->staging = NULL;
    return rc;
}

assay_status conf_bundles_write(const conf_bundles *bundles, const conf_results *results, FILE *out,
                                const char *prefix, assay_error *err)
{
    writer w = {.all = bundles, .results = results, .out = out, .prefix = prefix};
    assay_status rc = conf_jobs_open(1, &results->limits, &w.jobs, err);
    if (rc == ASSAY_OK) rc = open_staging(&w, err);
    for (size_t i = 0; i < results->n; i++)
        for (size_t e = 0; e < results->n_engines && rc == ASSAY_OK && !conf_interrupted(); e++)
            if (results->at[i].verdicts[e].outcome == CONF_FAILED) rc = write_one(&w, i, e, err);
    if (rc == ASSAY_OK && conf_interrupted())
        (void)fprintf(out, "%sbundle: interrupted, failures without a folder are left out\n", prefix);
    else if (rc == ASSAY_OK && w.names.n == 0)
        (void)fprintf(out, "%sbundle: nothing failed, nothing is written\n", prefix);
    if (w.staging) remove_tree(w.staging);
    free(w.staging);
    conf_strings_free(&w.names);
    conf_jobs_free(w.jobs);
    return rc;
}
