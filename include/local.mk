# SPDX-License-Identifier: Apache-2.0
assayincludedir = $(includedir)/assay
assayinclude_HEADERS = include/assay/engine.h include/assay/kernel.h include/assay/serving.h \
    include/assay/options.h include/assay/status.h include/assay/stored.h include/assay/stream.h
EXTRA_DIST += include/engine.map
