/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/fit.h"

#include <math.h>
#include <stdio.h>

static double distance_from_1(double multiple)
{
    return fabs(log(multiple));
}

void conf_fit_consider(conf_fit *best, conf_compute compute, const conf_distance *errors,
                       const conf_distance *noise, double max_abs)
{
    const conf_bounds bounds = conf_bounds_of_noise(noise, max_abs);
    if (!conf_bounds_refuse_zeros(&bounds, max_abs)) return;
    const double multiple =
        fmax(errors->max_abs / bounds.max_abs, fmax(errors->rmse / bounds.rmse, errors->kl / bounds.kl));
    if (!(multiple <= bounds.limit && multiple * CONF_FIT_FACTOR >= 1)) return;
    if (best->compute && distance_from_1(best->multiple) <= distance_from_1(multiple)) return;
    *best = (conf_fit){.compute = compute, .multiple = multiple};
}

void conf_fit_state(conf_verdict *v, double multiple, const conf_fit *best)
{
    if (!best->compute || v->float64) return;
    (void)snprintf(v->explained, sizeof v->explained, "%.2g times the noise of %s; %.2g times that of %s",
                   multiple, conf_compute_run(v->compute), best->multiple, conf_compute_run(best->compute));
}
