/* Caches of images: an answer must be that of its own picture, not that of one before it with the same text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_PICTURES_H
#define CONFORMANCE_PROBE_CHECKS_PICTURES_H

#include "conformance/probe/run/run.h"

/* Asks each endpoint of chats two pictures in turn, twice, with one text whose prompts have the same tokens,
 * and reports batching/pictures/ENDPOINT: each answer must begin as the truth of its picture says. Reports
 * batching/pictures as not exercised if the truth has no such pair. Fails with ASSAY_ENOMEM, or as
 * probe_wire_run does. */
assay_status probe_check_pictures(probe_run *r, assay_error *err);

#endif
