/* SPDX-License-Identifier: GPL-2.0 */
/* Read a file into memory for ktap_program_load(). */
#ifndef _KTAP_READ_FILE_H
#define _KTAP_READ_FILE_H

#include <stdio.h>

#include <linux/slab.h>

/* Returns NULL with errno set on failure. */
static inline void *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	void *data = NULL;
	long size;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	if (size >= 0)
		data = kvmalloc(size, GFP_KERNEL);
	if (data && fread(data, 1, size, f) != size) {
		kvfree(data);
		data = NULL;
	}
	fclose(f);
	*len = size;
	return data;
}

#endif /* _KTAP_READ_FILE_H */
