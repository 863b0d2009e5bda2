/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/issue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config.h"
#include "conformance/exec/engine.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/severity.h"
#include "conformance/problems/markdown.h"
#include "conformance/report/report.h"
#include "conformance/support/checksums.h"
#include "conformance/support/machine.h"
#include "conformance/support/text.h"

static const conf_verdict *verdict_of(const conf_bundle_issue *i)
{
    return i->results->at[0].verdicts;
}

/* A row of a table; none if the text is NULL or empty. */
static void print_row(FILE *out, const char *name, const char *text)
{
    if (!text || !text[0]) return;
    char *shown = conf_text_cleaned(text);
    (void)fprintf(out, "| %s | ", name);
    conf_markdown_text(out, shown ? shown : "");
    (void)fputs(" |\n", out);
    free(shown);
}

static void print_command(FILE *out, const char *text)
{
    (void)fputc('\n', out);
    conf_markdown_code(out, text);
}

static void print_title(FILE *out, const conf_bundle_issue *i)
{
    const conf_verdict *v = verdict_of(i);
    (void)fputs("# ", out);
    conf_markdown_text(out, i->name);
    (void)fputs(" fails with ", out);
    conf_markdown_text(out, i->results->engines[0].label);
    const char *manner = conf_verdict_other_manner(v);
    (void)fprintf(out, ": %s%s%s\n", conf_class_name(v->class), manner ? ", manner " : "",
                  manner ? manner : "");
}

static void print_run(FILE *out, const conf_bundle_issue *i, const char *repro)
{
    const conf_engine_column *e = &i->results->engines[0];
    const conf_bundle_subject *s = i->subject;
    (void)fputs(
        "\n## What was run\n\n"
        "Assay replays recorded cases through inference engines and compares their results with those of "
        "the published\nmodel. It was given this case:\n\n| | |\n|---|---|\n",
        out);
    print_row(out, "case", i->name);
    print_row(out, "family", verdict_of(i)->checkpoint.family);
    print_row(out, "kind", conf_kind_of(s->kind)->name);
    print_row(out, "catches", s->catches);
    print_row(out, "expected results from", s->source);
    print_row(out, "recorded by", s->recorder);
    print_row(out, "engine", e->name);
    print_row(out, "it states", e->version);
    print_row(out, "kernels", i->results->kernels);
    (void)fputs("\nwith this command, in the folder of this file:\n", out);
    print_command(out, repro);
    if (exec_engine_is(e->name)) (void)fputs("\nCOMMAND starts the program that is the engine.\n", out);
    if (i->remarks) {
        (void)fputs("\n## How the case was made\n", out);
        print_command(out, i->remarks);
    }
}

/* Explains the lines that the text of a failure has to readers who do not know Assay. */
static void print_terms(FILE *out, const conf_verdict *v, const char *text)
{
    enum { FIRST, TENSOR, MEASURES };
    static const struct {
        const char *line, *meaning;
    } terms[] = {
        [FIRST] = {"  first:",
                   "`first` is the first position with wrong logits, and the vocabulary id with the largest "
                   "error there."},
        [TENSOR] = {"  tensor:",
                    "`tensor` is the first intermediate result that is wrong, with the index of an element. "
                    "`attn`, `mlp` and `out`\n  are what a layer's attention, its MLP and the whole layer "
                    "give."},
        [MEASURES] = {"RMSE",
                      "RMSE is the root mean square of the errors, KL the Kullback-Leibler divergence of the "
                      "probabilities."},
    };
    bool any = false;
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        if (!strstr(text, terms[k].line) || (k == TENSOR && !v->tensor[0])) continue;
        (void)fprintf(out, "%s- %s\n", any ? "" : "\n", terms[k].meaning);
        any = true;
    }
}

/* How large the error is, and what its units are. */
static void print_size(FILE *out, const conf_verdict *v)
{
    char severity[CONF_SEVERITY_MAX];
    if (!conf_severity_print(v, severity)[0]) return;
    (void)fprintf(out, "\nSeverity: %s. ", severity);
    if (v->float64)
        (void)fprintf(out, "The bound of a float64 engine is %g of the largest logit.\n", CONF_FLOAT64_BOUND);
    else
        (void)fprintf(
            out,
            "The bound is %g times %s: the largest difference between two runs\nof the published model, one "
            "in %s and one in float64.\n",
            conf_noise_limit(false), conf_compute_unit(v->compute), conf_compute_run(v->compute));
}

static void print_difference(FILE *out, const conf_bundle_issue *i)
{
    const conf_verdict *v = verdict_of(i);
    char *text = NULL;
    size_t n;
    FILE *page = open_memstream(&text, &n);
    (void)fputs("\n## Expected and found\n", out);
    if (page) {
        conf_report_verdict(page, "", &(conf_context){.program = i->results->program}, v,
                            i->results->at[0].path, i->results->engines[0].name, true);
        if (fclose(page) == 0) {
            print_command(out, text);
            print_terms(out, v, text);
        }
        free(text);
    }
    print_size(out, v);
}

/* Another command on the case, and what it is for. */
static void print_other(FILE *out, const conf_bundle_issue *i, const char *purpose, const char *command,
                        const char *more)
{
    (void)fprintf(out, "\n%s:\n\n    assay %s ", purpose, command);
    if (i->results->root[0]) (void)fprintf(out, "--checkpoint-root %s ", i->results->root);
    conf_text_print_quoted(out, i->results->at[0].path);
    (void)fprintf(out, "%s\n", more);
}

static void print_repeat(FILE *out, const conf_bundle_issue *i, const char *repro)
{
    const conf_kind_info *kind = conf_kind_of(i->subject->kind);
    const char *root = i->results->root;
    (void)fputs("\n## Repeat it\n", out);
    print_command(out, repro);
    (void)fputs("\nrepeats the failure; the exit status is then 1. Another engine is a name of Assay's own "
                "(`ref64`), "
                "the path of a\nmodule, or `exec:COMMAND`:\n\n    assay run --engine OTHER ",
                out);
    if (root[0]) (void)fprintf(out, "--checkpoint-root %s ", root);
    (void)fputs(".\n", out);
    if (kind->has_decoder && i->subject->has_tensors)
        print_other(out, i, "To find the tensor at which the error begins", "locate --engine ENGINE", "");
    print_other(out, i, "To see what the case holds", "info", "");
    if (i->observed && conf_verdict_other_manner(verdict_of(i)))
        (void)fputs("\n" CONF_BUNDLE_OBSERVATION
                    " has the answers to the prompts evaluated whole, which agree.\n",
                    out);
    else if (i->observed)
        print_other(out, i, "To judge the answers that were recorded here, without the engine", "diff",
                    " " CONF_BUNDLE_OBSERVATION);
    if (i->repeated && i->repeated->class == verdict_of(i)->class)
        (void)fputs("\nThe engine was run again on the files of this folder, and failed in the same way.\n",
                    out);
    else if (i->repeated)
        (void)fprintf(
            out,
            "\nThe engine was run again on the files of this folder, and the failure did not come again "
            "(%s%s%s): it depends on more\nthan they hold, or it is not deterministic.\n",
            conf_outcome_name(i->repeated->outcome), i->repeated->class ? ", class " : "",
            conf_class_name(i->repeated->class));
}

static void print_versions(FILE *out, const conf_bundle_issue *i)
{
    const conf_machine_facts m = conf_machine_read();
    const conf_engine_column *e = &i->results->engines[0];
    (void)fputs("\n## Versions and machine\n\n| | |\n|---|---|\n", out);
    (void)fprintf(out, "| Assay | %s, engine ABI %u |\n", PACKAGE_VERSION, ASSAY_ENGINE_ABI);
    print_row(out, "digest of the engine's file", e->module);
    print_row(out, "digest of the kernels' file", i->results->kernels_module);
    print_row(out, "digest of the case", i->results->at[0].digest);
    print_row(out, "processor", m.processor);
    print_row(out, "architecture", m.architecture);
    print_row(out, "instruction sets", m.instructions);
    (void)fprintf(out, "| processors of the run | %zu |\n", m.n_processors);
    print_row(out, "BLAS of the engine", e->blas);
    print_row(out, "ASSAY_ISA", m.isa);
    print_row(out, "ASSAY_WORKERS", m.workers);
}

static const char *file_purpose(const conf_bundle_issue *i, const char *name)
{
    if (strcmp(name, i->results->at[0].path) == 0) return "the case: inputs and expected results";
    if (strcmp(name, CONF_BUNDLE_PLAN) == 0) return "the model, as Assay resolves the checkpoint";
    if (strcmp(name, CONF_BUNDLE_OBSERVATION) == 0) return "what the engine answered";
    if (string_ends_with(name, CONF_CHECKSUMS_SUFFIX)) return "checksums of the checkpoint";
    return "of the checkpoint";
}

static void print_files(FILE *out, const conf_bundle_issue *i)
{
    const conf_bundle_files *files = i->files;
    (void)fputs("\n## Files\n\n| file | what | bytes |\n|---|---|---:|\n", out);
    for (size_t k = 0; k < files->n; k++) {
        (void)fputs("| ", out);
        conf_markdown_text(out, files->at[k].name);
        (void)fprintf(out, " | %s | %zu |\n", file_purpose(i, files->at[k].name), files->at[k].bytes);
    }
    if (files->left_out.n) (void)fputs("\nLeft out:\n\n", out);
    for (size_t k = 0; k < files->left_out.n; k++) {
        (void)fputs("- ", out);
        conf_markdown_text(out, files->left_out.at[k]);
        (void)fputc('\n', out);
    }
}

void conf_bundle_issue_print(FILE *out, const conf_bundle_issue *issue)
{
    char *repro = conf_report_repro(issue->results, 0, 0);
    print_title(out, issue);
    print_run(out, issue, repro ? repro : "");
    print_difference(out, issue);
    print_repeat(out, issue, repro ? repro : "");
    print_versions(out, issue);
    print_files(out, issue);
    free(repro);
}
