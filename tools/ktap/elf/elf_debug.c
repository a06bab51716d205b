// SPDX-License-Identifier: GPL-2.0
/*
 * Find the symbols of stripped files: in a compressed ELF image inside the
 * file, or in a debug file with the same build id.
 */
#define _GNU_SOURCE
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "elf/elf_debug.h"
#include "elf/elf_file.h"

/* An image contains only symbols; a larger one is refused. */
#define MAX_IMAGE	(256UL << 20)

#define DEBUG_DIR	"/usr/lib/debug"

#define MAX_DEBUG_FOLDERS	32

/* The folders that elf_add_debug_folders() has added, NULL-terminated */
static const char *elf_debug_folders[MAX_DEBUG_FOLDERS + 1];

#ifdef HAVE_LZMA
static unsigned char *elf_unpack(const unsigned char *packed, size_t len, size_t *result)
{
	lzma_stream lzma = LZMA_STREAM_INIT;
	unsigned char *image = NULL, *bigger;
	size_t size = 0;
	lzma_ret ret = lzma_stream_decoder(&lzma, MAX_IMAGE, LZMA_CONCATENATED);

	lzma.next_in = packed;
	lzma.avail_in = len;
	while (ret == LZMA_OK && size < MAX_IMAGE) {
		bigger = realloc(image, size ? size * 2 : 65536);
		if (!bigger)
			break;
		image = bigger;
		lzma.next_out = image + size;
		size = size ? size * 2 : 65536;
		lzma.avail_out = image + size - lzma.next_out;
		do {
			ret = lzma_code(&lzma, LZMA_FINISH);
		} while (ret == LZMA_OK && lzma.avail_out);
	}
	*result = lzma.total_out;
	lzma_end(&lzma);
	if (ret == LZMA_STREAM_END)
		return image;
	free(image);
	return NULL;
}

void elf_add_packed_symbols(struct elf_file *f)
{
	const unsigned char *packed;
	unsigned char *image;
	uint64_t addr;
	size_t len;
	Elf *elf;

	packed = elf_section(f->handle, ".gnu_debugdata", &len, &addr);
	image = packed ? elf_unpack(packed, len, &len) : NULL;
	if (!image)
		return;
	elf = elf_image((char *)image, len);
	if (elf)
		elf_add_symbols(f, elf);
	elf_end(elf);
	free(image);
}
#else
void elf_add_packed_symbols(struct elf_file *f)
{
	(void)f;
}
#endif

static struct elf_file *elf_open_debug(const char *root, const char *dir, size_t dir_len,
				       const unsigned char *build_id, size_t len)
{
	char path[4096], hex[2 * MAX_BUILD_ID + 1];
	struct elf_file *f;
	const char *why;

	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
	if (snprintf(path, sizeof(path), "%s%.*s/.build-id/%.2s/%s.debug", root, (int)dir_len,
		     dir, hex, hex + 2) >= (int)sizeof(path))
		return NULL;
	f = elf_file_open(path, &why);
	if (f && f->build_id_len == len && !memcmp(f->build_id, build_id, len))
		return f;
	elf_file_close(f);
	return NULL;
}

static struct elf_file *elf_open_debug_in(const char *dirs, const unsigned char *build_id,
					  size_t len)
{
	struct elf_file *f = NULL;
	const char *end;

	for (; dirs && !f; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		f = elf_open_debug("", dirs, end - dirs, build_id, len);
	}
	return f;
}

bool elf_add_debug_folders(const char *dirs)
{
	size_t n = 0;

	while (elf_debug_folders[n])
		n++;
	if (n == MAX_DEBUG_FOLDERS)
		return false;
	elf_debug_folders[n] = dirs;
	return true;
}

struct elf_file *elf_debug_file(const unsigned char *build_id, size_t len, const char *root)
{
	const char *dirs = getenv("KTAP_DEBUG");
	struct elf_file *f = NULL;

	if (len < 2 || len > MAX_BUILD_ID)
		return NULL;
	for (const char **more = elf_debug_folders; *more && !f; more++)
		f = elf_open_debug_in(*more, build_id, len);
	if (f || dirs)
		return f ? f : elf_open_debug_in(dirs, build_id, len);
	if (*root)
		f = elf_open_debug(root, DEBUG_DIR, strlen(DEBUG_DIR), build_id, len);
	return f ? f : elf_open_debug("", DEBUG_DIR, strlen(DEBUG_DIR), build_id, len);
}
