/* The program `assay`: the only source that reads the environment and inspects the terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config.h"
#include "conformance/case/root.h"
#include "conformance/cli/cli.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/places.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/machine.h"

#define COLUMNS_ELSEWHERE 100

static const char *read_variable(const char *name)
{
    return getenv(name);
}

static bool make_context(const char *argv0, conf_context *context)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = term && strcmp(term, "dumb") == 0;
    bool out_is_terminal = isatty(STDOUT_FILENO) && !dumb;
    struct winsize size;
    conf_machine_note(getenv("ASSAY_ISA"), getenv("ASSAY_WORKERS"));
    context->variable = read_variable;
    context->out = stdout;
    context->err = stderr;
    context->terminal = isatty(STDOUT_FILENO) != 0;
    context->color = out_is_terminal && !(no_color && *no_color);
    context->progress = out_is_terminal && isatty(STDERR_FILENO);
    context->columns = COLUMNS_ELSEWHERE;
    context->program = conf_places_program(argv0, getenv("PATH"));
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    context->n_processors = n_processors > 0 ? (size_t)n_processors : 1;
    if (out_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        context->columns = size.ws_col;
    return conf_places_find(getenv("ASSAY_ENGINE_PATH"), &context->engine_dirs, &context->fixtures);
}

static conf_exit usage_error(const assay_error *err)
{
    (void)fprintf(stderr, "assay: %s\n", err->text);
    return CONF_EXIT_USAGE;
}

/* argv: the arguments of the command. argv0: the name of the program. */
static conf_exit run_command(const conf_command *command, const char *argv0, int argc, char **argv)
{
    conf_options options;
    assay_error err;
    if (conf_cli_parse(command, argc, argv, &options, &err) != ASSAY_OK) return usage_error(&err);
    conf_context context = {0};
    conf_exit code = CONF_EXIT_ERROR;
    if (options.help) {
        conf_cli_print_command_help(command, stdout);
        code = CONF_EXIT_AGREE;
    } else if (make_context(argv0, &context)) {
        conf_root_set(options.checkpoint_root ? options.checkpoint_root : getenv("ASSAY_CHECKPOINT_ROOT"));
        code = command->run(&options, &context);
    } else {
        (void)fputs("assay: out of memory\n", stderr);
    }
    conf_strings_free(&context.engine_dirs);
    free(context.fixtures);
    conf_cli_free(&options);
    return code;
}

static conf_exit dispatch_command(int argc, char **argv)
{
    if (argc < 2) {
        conf_cli_print_help(stderr);
        return CONF_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        conf_cli_print_help(stdout);
        return CONF_EXIT_AGREE;
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("assay %s\n", PACKAGE_VERSION);
        return CONF_EXIT_AGREE;
    }
    const conf_command *command = conf_cli_command(word);
    assay_error err;
    if (command) return run_command(command, argv[0], argc - 2, argv + 2);
    (void)conf_cli_unknown_command(word, &err);
    return usage_error(&err);
}

/* Opens /dev/null for closed standard streams, so that no file opened later gets their number and with
 * it their output. Standard output is opened for reading only, so that writing to it fails; standard
 * error for writing. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static void free_arguments(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++) free(argv[i]);
    free(argv);
}

/* Moves the arguments away from where any process can read them (/proc/PID/cmdline): they name the cases,
 * whose goldens an engine must not find. The caller frees them; NULL: out of memory. */
static char **take_arguments(int argc, char **argv)
{
    char **own = calloc((size_t)argc + 1, sizeof *own);
    bool ok = own != NULL;
    for (int i = 0; ok && i < argc; i++) ok = (own[i] = strdup(argv[i]));
    for (int i = 2; ok && i < argc; i++) memset(argv[i], 0, strlen(argv[i]));
    if (ok) return own;
    free_arguments(own);
    return NULL;
}

int main(int argc, char **arguments)
{
    open_standard_streams();
    conf_interrupt_watch();
    char **argv = take_arguments(argc, arguments);
    if (!argv) {
        (void)fputs("assay: out of memory\n", stderr);
        return CONF_EXIT_ERROR;
    }
    conf_exit code = dispatch_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "assay: standard output: %s\n", strerror(errno));
        if (code == CONF_EXIT_AGREE || code == CONF_EXIT_NOTHING) code = CONF_EXIT_ERROR;
    }
    conf_interrupt_raise();
    code = conf_cli_exit(argc, argv, code);
    free_arguments(argv);
    return (int)code;
}
