/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/bench/bench.h"
#include "conformance/cli/assign.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/value.h"
#include "conformance/schedule/schedule.h"
#include "conformance/support/text.h"

static bool takes_option(const conf_command *command, conf_option id)
{
    const conf_option *o = command->options;
    while (*o != id && *o != CONF_OPTION_HELP) o++;
    return *o == id;
}

const conf_command *conf_cli_command(const char *name)
{
    for (size_t i = 0; i < CONF_N_COMMANDS; i++)
        if (strcmp(conf_cli_commands[i].name, name) == 0) return &conf_cli_commands[i];
    return NULL;
}

assay_status conf_cli_unknown_command(const char *word, assay_error *err)
{
    static const char *const global[] = {"--help", "--version"};
    const char *names[CONF_N_COMMANDS + 2];
    for (size_t i = 0; i < CONF_N_COMMANDS; i++) names[i] = conf_cli_commands[i].name;
    memcpy(names + CONF_N_COMMANDS, global, sizeof global);
    const char *meant = conf_text_suggest(word, names, CONF_N_COMMANDS + 2);
    const char *what = word[0] == '-' ? "option" : "command";
    if (meant) return assay_fail(err, ASSAY_EINVAL, "unknown %s %s: did you mean %s?", what, word, meant);
    return assay_fail(err, ASSAY_EINVAL, "unknown %s %s: see assay --help", what, word);
}

static assay_status unknown_option(const conf_command *command, const char *word, assay_error *err)
{
    const char *names[CONF_N_OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < CONF_N_OPTIONS; i++)
        if (takes_option(command, conf_cli_options[i].id)) names[n++] = conf_cli_options[i].name;
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *meant = conf_text_suggest(name, names, n);
    if (meant) return assay_fail(err, ASSAY_EINVAL, "unknown option %s: did you mean %s?", name, meant);
    return assay_fail(err, ASSAY_EINVAL, "unknown option %s: see assay %s --help", name, command->name);
}

/* Whether a word is --name or --name=value. *value: the value in the word, or NULL. */
static bool is_long_option(const char *word, const char *name, const char **value)
{
    const size_t n = name ? strlen(name) : 0;
    if (n == 0 || strncmp(word, name, n) != 0 || (word[n] != '\0' && word[n] != '=')) return false;
    *value = word[n] ? word + n + 1 : NULL;
    return true;
}

/* Finds the option of a word: --name, --name=value, -n or -nvalue. *value: the value in the word, or
 * NULL. */
static const conf_option_info *find_option(const conf_command *command, const char *word, const char **value)
{
    for (size_t i = 0; i < CONF_N_OPTIONS; i++) {
        const conf_option_info *o = &conf_cli_options[i];
        if (!takes_option(command, o->id)) continue;
        const char *former = conf_option_former_name(o->id);
        if (is_long_option(word, o->name, value) || is_long_option(word, former, value)) return o;
        if (o->letter && word[1] == o->letter && (word[2] == '\0' || o->value)) {
            *value = word[2] ? word + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

/* Refuses two reports on standard output. */
static assay_status check_reports(const conf_options *o, assay_error *err)
{
    const char *before = NULL;
    for (size_t i = 0; i < CONF_N_OPTIONS; i++) {
        const conf_option_info *one = &conf_cli_options[i];
        const bool is_report = one->id >= CONF_OPTION_TAP && one->id < CONF_OPTION_TAP + CONF_N_REPORTS;
        const char *path = is_report ? o->reports[one->id - CONF_OPTION_TAP] : NULL;
        if (!path || strcmp(path, "-") != 0) continue;
        if (before)
            return assay_fail(err, ASSAY_EINVAL,
                              "options %s and %s: found - for both, expected only one on standard output",
                              before, one->name);
        before = one->name;
    }
    return ASSAY_OK;
}

/* Takes the option argv[*i] and its value; moves *i to the last argument used. */
static assay_status parse_option(const conf_command *command, int argc, char **argv, int *i,
                                 conf_options *out, assay_error *err)
{
    const char *value = NULL;
    const conf_option_info *o = find_option(command, argv[*i], &value);
    if (!o) return unknown_option(command, argv[*i], err);
    if (!o->value && value) return assay_fail(err, ASSAY_EINVAL, "option %s takes no value", o->name);
    if (o->value && !value) {
        if (*i + 1 == argc)
            return assay_fail(err, ASSAY_EINVAL, "option %s needs a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    if (o->value && !*value) return assay_fail(err, ASSAY_EINVAL, "option %s has an empty value", o->name);
    return conf_cli_assign(o, value, out, err);
}

assay_status conf_cli_parse(const conf_command *command, int argc, char **argv, conf_options *out,
                            assay_error *err)
{
    size_t n = (size_t)argc + 1;
    conf_options o = {.engines = calloc(n, sizeof *o.engines),
                      .arguments = calloc(n, sizeof *o.arguments),
                      .markers = calloc(n, sizeof *o.markers),
                      .pairs = calloc(n, sizeof *o.pairs),
                      .truth = calloc(n, sizeof *o.truth),
                      .only = calloc(n, sizeof *o.only),
                      .allow_unknown = calloc(n, sizeof *o.allow_unknown),
                      .generate = {.stops = calloc(n, sizeof *o.generate.stops),
                                   .images = calloc(n, sizeof *o.generate.images),
                                   .audios = calloc(n, sizeof *o.generate.audios),
                                   .top_p = 1,
                                   .penalty = 1},
                      .prompts.at = calloc(n, sizeof *o.prompts.at),
                      .contexts.at = calloc(n, sizeof *o.contexts.at),
                      .batches.at = calloc(n, sizeof *o.batches.at),
                      .pictures = calloc(n, sizeof *o.pictures),
                      .limits = {.seconds = CONF_SECONDS_DEFAULT, .mib = conf_mib_default()}};
    bool ok = o.engines && o.arguments && o.markers && o.pairs && o.truth && o.only && o.allow_unknown &&
              o.generate.stops && o.generate.images && o.generate.audios && o.prompts.at && o.contexts.at &&
              o.batches.at && o.pictures;
    assay_status rc = ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    bool options_end = false;
    for (int i = 0; i < argc && rc == ASSAY_OK; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1])
            rc = parse_option(command, argc, argv, &i, &o, err);
        else o.arguments[o.n_arguments++] = argv[i];
    }
    if (rc == ASSAY_OK) rc = conf_cli_check_cache(o.compute, err);
    if (rc == ASSAY_OK) rc = check_reports(&o, err);
    if (rc != ASSAY_OK) conf_cli_free(&o);
    else *out = o;
    return rc;
}

void conf_cli_free(conf_options *options)
{
    free(options->engines);
    free(options->arguments);
    free(options->markers);
    free(options->pairs);
    free(options->truth);
    free(options->only);
    free(options->allow_unknown);
    free(options->generate.stops);
    free(options->generate.images);
    free(options->generate.audios);
    free(options->prompts.at);
    free(options->contexts.at);
    free(options->batches.at);
    free(options->pictures);
    *options = (conf_options){0};
}

conf_exit conf_cli_exit(int argc, char **argv, conf_exit code)
{
    bool bisect = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        bisect = bisect || strcmp(argv[i], "--bisect") == 0;
    if (!bisect || code == CONF_EXIT_AGREE || code == CONF_EXIT_DIVERGES) return code;
    return CONF_EXIT_UNTESTED;
}

void conf_cli_print_help(FILE *out)
{
    (void)fputs("Usage: assay COMMAND [OPTION]... [ARGUMENT]...\n\n"
                "Tells whether an inference engine computes what the model says it must, and if not,\n"
                "where it first goes wrong.\n\nCommands:\n",
                out);
    for (size_t i = 0; i < CONF_N_COMMANDS; i++)
        (void)fprintf(out, "  %-8s %s\n", conf_cli_commands[i].name, conf_cli_commands[i].summary);
    (void)fputs("\nOptions:\n  --help     show this help; assay COMMAND --help shows a command's\n"
                "  --version  show the version\n",
                out);
}

#define HELP_INDENT 24 /* the column at which the help of an option begins */

/* Prints text with all lines but the first indented. */
static void print_indented(FILE *out, const char *text, int indent)
{
    for (; *text; text++) {
        (void)fputc(*text, out);
        if (*text == '\n') (void)fprintf(out, "%*s", indent, "");
    }
    (void)fputc('\n', out);
}

void conf_cli_print_command_help(const conf_command *command, FILE *out)
{
    (void)fprintf(out, "Usage: assay %s %s\n\n%c%s.\n\nOptions:\n", command->name, command->usage,
                  command->summary[0] - 'a' + 'A', command->summary + 1);
    for (size_t i = 0; i < CONF_N_OPTIONS; i++) {
        const conf_option_info *o = &conf_cli_options[i];
        if (!takes_option(command, o->id)) continue;
        char name[48], letter[8] = "   ";
        (void)snprintf(name, sizeof name, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (o->letter) (void)snprintf(letter, sizeof letter, "-%c,", o->letter);
        (void)fprintf(out, "  %s %-*s", letter, HELP_INDENT - 6, name);
        if (strlen(name) >= HELP_INDENT - 6) (void)fprintf(out, "\n%*s", HELP_INDENT, "");
        print_indented(out, o->help, HELP_INDENT);
    }
    (void)fprintf(out, "\n%s", command->details);
}
