# The libraries that engines and harness share, in the order in which they may include one another.
# SPDX-License-Identifier: Apache-2.0
# LIB_X: what a program links that uses library X. The linker reads archives once, from left to right.
include lib/base/local.mk
include lib/runtime/local.mk
include lib/gguf/local.mk
include lib/tokenizer/local.mk
include lib/template/local.mk
include lib/image/local.mk
include lib/audio/local.mk
include lib/model/local.mk
include lib/dialogue/local.mk
include lib/server/local.mk
