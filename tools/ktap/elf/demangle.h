/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust as they are written in source code. */
#ifndef KTAP_DEMANGLE_H
#define KTAP_DEMANGLE_H

#include <stdbool.h>

/*
 * Demangle a name, with or without the types of its parameters; free the result
 * with free(). NULL if @name is not mangled.
 */
char *demangle(const char *name, bool parameters);

#endif
