# SPDX-License-Identifier: Apache-2.0
nobase_include_HEADERS += include/assay/engine.h include/assay/status.h
