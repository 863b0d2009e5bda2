/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

const char conf_interrupt_reason[] = "interrupted";

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

/* One request to end can arrive as two signals: timeout(1) signals its child, and then the process group of
 * both. */
#define REPEAT_SECONDS 0.5

static volatile sig_atomic_t arrived; /* the signal; 0: none */
static struct timespec arrived_at;    /* written before arrived, read by the handler alone */

static double seconds_since(const struct timespec *then)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Runs with all of the signals blocked; a signal raised here is delivered when it returns. */
static void note_signal(int number)
{
    const int error = errno;
    if (!arrived) {
        (void)clock_gettime(CLOCK_MONOTONIC, &arrived_at);
        arrived = number;
    } else if (seconds_since(&arrived_at) > REPEAT_SECONDS) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    errno = error;
}

/* Without SA_RESTART, so that waiting for a child ends. */
void conf_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++) (void)sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}

bool conf_interrupted(void)
{
    return arrived != 0;
}

void conf_interrupt_forget(void)
{
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == note_signal)
            (void)signal(signals[i], SIG_DFL);
    }
    arrived = 0;
}

void conf_interrupt_raise(void)
{
    if (!arrived) return;
    (void)signal((int)arrived, SIG_DFL);
    (void)raise((int)arrived);
}
