/* SPDX-License-Identifier: GPL-2.0 */
/* Scripts that obey the grammar, made of any bytes. */
#ifndef KTAP_FUZZ_GENERATE_H
#define KTAP_FUZZ_GENERATE_H

#include <stddef.h>
#include <stdint.h>

/* The script that the bytes choose, to be freed. */
char *generate_script(const uint8_t *data, size_t size, size_t *len);

#endif
