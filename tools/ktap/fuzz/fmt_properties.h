/* SPDX-License-Identifier: GPL-2.0 */
/* Properties of the canonical layout of any script. */
#ifndef KTAP_FMT_PROPERTIES_H
#define KTAP_FMT_PROPERTIES_H

#include "compiler/compile.h"

/*
 * Check these properties.  Returns the property that does not hold, or NULL if all
 * hold or if the script has syntax errors.  *@formatted is the layout, to be freed
 * with free(), or NULL if there is none.  @read reads included files, as in struct
 * ktap_compile_opts.
 */
const char *fmt_broken(const struct ktap_script *src, ktap_read_fn read, char **formatted);

#endif
