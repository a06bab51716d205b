/* SPDX-License-Identifier: GPL-2.0 */
/* What must hold of the canonical layout of any script. */
#ifndef KTAP_FMT_PROPERTIES_H
#define KTAP_FMT_PROPERTIES_H

#include "compiler/compile.h"

/*
 * NULL if all is well, or if the script has syntax errors; else what is not.
 * The layout in question, to be freed, is left in @formatted; NULL if there is
 * none.  @read is that of struct ktap_compile_opts.
 */
const char *fmt_broken(const struct ktap_script *src, ktap_read_fn read, char **formatted);

#endif
