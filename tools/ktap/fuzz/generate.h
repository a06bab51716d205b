/* SPDX-License-Identifier: GPL-2.0 */
/* Make scripts that follow the grammar from any bytes. */
#ifndef KTAP_FUZZ_GENERATE_H
#define KTAP_FUZZ_GENERATE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the script that the bytes select; free it with free(). */
char *generate_script(const uint8_t *data, size_t size, size_t *len);

#endif
