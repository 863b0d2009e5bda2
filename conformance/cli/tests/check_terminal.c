/* Output on a terminal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "conformance/tests/layered.h"
#include "conformance/tests/support.h"

#define COLUMNS 60

static void setup(void)
{
    support_setup();
    ck_assert_int_eq(unsetenv("NO_COLOR"), 0);
    ck_assert_int_eq(setenv("TERM", "xterm", 1), 0);
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/off.h5"), "logits", "off");
    (void)support_write_decoder(
        support_path("cases/a-name-that-is-far-longer-than-the-terminal-is-wide-ä.h5"), "logits", "ok");
}

/* Executes the program on the named terminal, with TOSTOP, which stops background jobs that write. */
static void become_assay(const char *terminal, const char *const *argv, unsigned short columns)
{
    (void)setsid();
    int fd = open(terminal, O_RDWR);
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    struct termios mode;
    if (fd < 0 || tcgetattr(fd, &mode) != 0) _exit(126);
    mode.c_lflag |= TOSTOP;
    if (tcsetattr(fd, TCSANOW, &mode) != 0 || ioctl(fd, TIOCSWINSZ, &size) != 0 || dup2(fd, 1) < 0 ||
        dup2(fd, 2) < 0)
        _exit(126);
    (void)execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* Opens the master of a new pseudo-terminal; -1 if there are none, as in a bare chroot. */
static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0) return master;
    if (master >= 0) (void)close(master);
    return -1;
}

static const char *program(void)
{
    static char path[4096];
    const char *tree = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/conformance/assay", tree ? tree : ".");
    return path;
}

/* The complete output of a command on a terminal of that width, which ends with this status. */
static const char *seen_by(const char *const *argv, unsigned short columns, int code)
{
    static char seen[65536];
    int master = open_terminal();
    ck_assert_int_ge(master, 0);
    /* Held open, so that no output is lost before it is read. */
    int held = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(held, 0);
    pid_t child = fork();
    if (child == 0) become_assay(ptsname(master), argv, columns);
    ck_assert_int_eq(fcntl(master, F_SETFL, O_NONBLOCK), 0);
    size_t n = 0;
    int status = 0;
    bool ended = false;
    while (true) {
        ssize_t got = read(master, seen + n, sizeof seen - 1 - n);
        if (got > 0) n += (size_t)got;
        if (got > 0) continue;
        if (ended) break;
        ended = waitpid(child, &status, WNOHANG) == child;
        if (!ended) (void)usleep(1000);
    }
    seen[n] = '\0';
    (void)close(held);
    (void)close(master);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == code, "%s", seen);
    return seen;
}

/* Of `assay run [OPTION] --engine fake32 cases`. option: may be NULL. */
static const char *seen_with(const char *option, int code)
{
    const char *argv[] = {program(), "run", "--engine", support_engine("fake32"), support_path("cases"),
                          option,    NULL};
    return seen_by(argv, COLUMNS, code);
}

static const char *seen_on_terminal(void)
{
    return seen_with(NULL, 1);
}

START_TEST(a_terminal_shows_and_clears_a_bar)
{
    const char *seen = seen_on_terminal();
    assert_holds(seen, "\r[....................] 0/2 …");
    assert_holds(seen, "\r[##########..........] 1/2 off ");
    assert_holds(seen, "\r\033[K");
}
END_TEST

START_TEST(a_terminal_shows_colours)
{
    const char *seen = seen_on_terminal();
    assert_holds(seen, "\033[32mpass\033[0m");
    assert_holds(seen, "\033[31mFAIL\033[0m");
}
END_TEST

START_TEST(no_color_is_respected)
{
    ck_assert_int_eq(setenv("NO_COLOR", "1", 1), 0);
    const char *seen = seen_on_terminal();
    assert_lacks(seen, "\033[3");
    assert_holds(seen, "0.00 pass\r\n");
}
END_TEST

START_TEST(a_dumb_terminal_shows_neither_bar_nor_colours)
{
    ck_assert_int_eq(setenv("TERM", "dumb", 1), 0);
    const char *seen = seen_on_terminal();
    assert_lacks(seen, "\033");
    assert_lacks(seen, "[....");
}
END_TEST

START_TEST(an_engine_that_prints_is_not_stopped)
{
    (void)support_write_decoder(support_path("cases/talker.h5"), "logits", "prints");
    const char *seen = seen_on_terminal();
    assert_holds(seen, "an engine that talks");
    assert_lacks(seen, "killed");
}
END_TEST

static bool ends_with(const char *line, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length >= n && strncmp(line + length - n, end, n) == 0;
}

START_TEST(the_table_and_the_bar_fit_the_terminal)
{
    ck_assert_int_eq(setenv("NO_COLOR", "1", 1), 0);
    const char *seen = seen_on_terminal();
    assert_holds(seen, "-the-terminal-is-wide-ä     0.00 pass");
    size_t n_bars = 0, n_rows = 0;
    for (const char *at = seen; *at; at++) {
        size_t width = 0, length = strcspn(at, "\r\n");
        for (size_t i = 0; i < length; i++) width += ((unsigned char)at[i] & 0xC0) != 0x80;
        bool is_bar = at[0] == '[', is_row = ends_with(at, length, " pass") || ends_with(at, length, " FAIL");
        n_bars += is_bar;
        n_rows += is_row;
        if (is_bar || is_row) ck_assert_msg(width + is_bar <= COLUMNS, "%zu: %.*s", width, (int)length, at);
        at += length;
        if (!*at) break;
    }
    ck_assert_uint_eq(n_bars, 2);
    ck_assert_uint_eq(n_rows, 2);
}
END_TEST

/* The bars of a terminal: the lines with "#" after a number. Fails the test if a line is too wide. */
static size_t count_bars(const char *seen, size_t columns)
{
    size_t n = 0;
    for (const char *at = seen; *at; at += strcspn(at, "\r\n"), at += strspn(at, "\r\n")) {
        const size_t length = strcspn(at, "\r\n");
        const char *bar = memmem(at, length, "  ###", 5);
        if (!bar) continue;
        ck_assert_msg(length < columns, "%.*s", (int)length, at);
        n++;
    }
    return n;
}

START_TEST(a_terminal_shows_a_bar_a_layer)
{
    ck_assert_int_eq(setenv("NO_COLOR", "1", 1), 0);
    const char *path = layered_write(3, FORMULA_WIDTH, "made", true), *engine = support_engine("layered");
    const char *run[] = {program(), "run", "--engine", engine, path, NULL},
               *locate[] = {program(), "locate", "--engine", engine, path, NULL};
    const char *seen = seen_by(run, 80, 1);
    ck_assert_msg(count_bars(seen, 80) > 0, "%s", seen);
    assert_holds(seen, "\r\n  layer.");
    ck_assert_uint_eq(count_bars(seen_by(run, 20, 1), 20), 0);
    seen = seen_by(locate, 100, 1);
    ck_assert_msg(count_bars(seen, 100) > 1, "%s", seen);
    ck_assert_uint_eq(count_bars(seen_by(locate, 60, 1), 60), 0);
    char command[8192];
    (void)snprintf(command, sizeof command, "\"$ASSAY\" run -e %s %s; \"$ASSAY\" locate -e %s %s", engine,
                   path, engine, path);
    ck_assert_uint_eq(count_bars(support_shell(command)->out, 0), 0);
}
END_TEST

/* Except its first line, the path of the engine. */
START_TEST(an_explanation_fits_the_terminal)
{
    const char *seen = seen_with("--explain", 0);
    assert_holds(seen, " generate\r\n                          (0 cases); manners whole, last,\r\n");
    for (const char *at = strchr(seen, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        size_t width = 0;
        for (size_t i = 1; at[i] && !strchr("\r\n", at[i]); i++)
            width += ((unsigned char)at[i] & 0xC0) != 0x80;
        ck_assert_msg(width <= COLUMNS, "%zu: %.*s", width, (int)width, at + 1);
    }
}
END_TEST

int main(void)
{
    int terminal_there = open_terminal();
    if (terminal_there < 0) {
        (void)puts("skipped: this system has no pseudo-terminals (is /dev/pts mounted?)");
        return 77;
    }
    (void)close(terminal_there);

    Suite *suite = suite_create("conformance/cli/terminal");
    TCase *terminal = tcase_create("terminal");
    tcase_add_checked_fixture(terminal, setup, support_teardown);
    tcase_add_test(terminal, a_terminal_shows_and_clears_a_bar);
    tcase_add_test(terminal, a_terminal_shows_colours);
    tcase_add_test(terminal, no_color_is_respected);
    tcase_add_test(terminal, a_dumb_terminal_shows_neither_bar_nor_colours);
    tcase_add_test(terminal, the_table_and_the_bar_fit_the_terminal);
    tcase_add_test(terminal, a_terminal_shows_a_bar_a_layer);
    tcase_add_test(terminal, an_explanation_fits_the_terminal);
    tcase_add_test(terminal, an_engine_that_prints_is_not_stopped);
    suite_add_tcase(suite, terminal);

    return support_run(suite);
}
