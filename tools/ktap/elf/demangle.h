/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust as their programmers wrote them. */
#ifndef KTAP_DEMANGLE_H
#define KTAP_DEMANGLE_H

#include <stdbool.h>

/*
 * The name in the source, with the types of the parameters or without; to be
 * freed with free().  NULL if @name is as it was written.
 */
char *demangle(const char *name, bool parameters);

#endif
