// SPDX-License-Identifier: GPL-2.0
/* Read chunks of any origin: their contents are not trusted. */
#include <string.h>

#include "compiler/chunk_read.h"
#include "compiler/clean_text.h"
#include "compiler/compile.h"
#include "compiler/diag.h"

static const uint32_t entry_size[MAX_SECTION + 1] = {
	[KTAP_SEC_STRINGS] = sizeof(struct ktap_string),
	[KTAP_SEC_INTS] = 8,
	[KTAP_SEC_FUNCS] = sizeof(struct ktap_function),
	[KTAP_SEC_CODE] = sizeof(struct ktap_insn),
	[KTAP_SEC_PROBES] = sizeof(struct ktap_probe_desc),
	[KTAP_SEC_GLOBALS] = 4,
	[KTAP_SEC_FIELDS] = 4,
	[KTAP_SEC_LINES] = sizeof(struct ktap_line),
	[KTAP_SEC_FILES] = sizeof(struct ktap_file),
	[KTAP_SEC_TRIES] = sizeof(struct ktap_try),
	[KTAP_SEC_OPTIONS] = sizeof(struct ktap_option),
	[KTAP_SEC_TYPES] = sizeof(struct ktap_type),
	[KTAP_SEC_MEMBERS] = sizeof(struct ktap_member),
};

bool ktap_is_chunk(const void *data, size_t len)
{
	return len >= KTAP_MAGIC_LEN && !memcmp(data, KTAP_MAGIC, KTAP_MAGIC_LEN);
}

static const char *read_section(struct chunk *chunk, const unsigned char *data, uint32_t len,
				const unsigned char *p)
{
	uint32_t type = get_le32(p), offset = get_le32(p + 8), size = get_le32(p + 12);
	uint32_t count = get_le32(p + 16);

	if (offset > len || size > len - offset || offset % 8)
		return "a section lies outside of the chunk";
	if (!type || type > MAX_SECTION)
		return NULL;
	if (chunk->sections[type].data)
		return "a section occurs twice";
	if ((uint64_t)count * entry_size[type] > size)
		return "a section is too short for its entries";
	chunk->sections[type] = (struct chunk_section) {
		.data = data + offset, .size = size, .count = count,
	};
	return NULL;
}

const char *chunk_read(struct chunk *chunk, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t nsections, i, length;
	const char *error;

	memset(chunk, 0, sizeof(*chunk));
	if (!ktap_is_chunk(data, len))
		return "this is no chunk";
	if (len < sizeof(struct ktap_header))
		return "the chunk is cut off in its header";
	chunk->major = get_le16(p + 4);
	chunk->minor = get_le16(p + 6);
	length = get_le32(p + 8);
	chunk->flags = get_le32(p + 12);
	nsections = get_le32(p + 16);
	chunk->main = get_le32(p + 20);
	if (chunk->major != KTAP_ABI_MAJOR)
		return "the chunk was made for another version of ktap";
	if (length > len)
		return "the chunk is cut off";
	if (length < sizeof(struct ktap_header) ||
	    nsections > (length - sizeof(struct ktap_header)) / sizeof(struct ktap_section))
		return "the chunk is too short for its sections";
	for (i = 0; i < nsections; i++) {
		error = read_section(chunk, p, length, p + sizeof(struct ktap_header) +
				     i * sizeof(struct ktap_section));
		if (error)
			return error;
	}
	return NULL;
}

const char *chunk_get_string(const struct chunk *chunk, uint32_t index, uint32_t *len)
{
	const struct chunk_section *s = &chunk->sections[KTAP_SEC_STRINGS];
	uint32_t offset;

	if (index < s->count) {
		offset = get_le32(s->data + index * sizeof(struct ktap_string));
		*len = get_le32(s->data + index * sizeof(struct ktap_string) + 4);
		if (offset <= s->size && *len <= s->size - offset)
			return (const char *)s->data + offset;
	}
	*len = 1;
	return "?";
}

void ktap_show_position(FILE *out, const void *chunk, size_t len, const char *file,
			unsigned int line, unsigned int col)
{
	const struct chunk_section *files;
	struct chunk c;
	uint32_t i;

	if (chunk_read(&c, chunk, len))
		return;
	files = &c.sections[KTAP_SEC_FILES];
	for (i = 0; i < files->count; i++) {
		const unsigned char *p = files->data + i * sizeof(struct ktap_file);
		uint32_t text = get_le32(p + 4), size = get_le32(p + 8), name_len;
		const char *name = chunk_get_string(&c, get_le32(p), &name_len);

		if (name_len != strlen(file) || memcmp(name, file, name_len))
			continue;
		if (text > files->size || size > files->size - text)
			return;
		diag_show_line(out, (const char *)files->data + text, size,
			       (struct pos) { .line = line, .col = col });
		return;
	}
}

bool chunk_calls(const void *data, size_t len, uint32_t function)
{
	const struct chunk_section *code;
	struct chunk c;

	if (chunk_read(&c, data, len))
		return false;
	code = &c.sections[KTAP_SEC_CODE];
	for (uint32_t i = 0; i < code->count; i++) {
		const unsigned char *insn = code->data + i * sizeof(struct ktap_insn);

		if (insn[0] == KTAP_OP_CALLB && get_le32(insn + 4) == function)
			return true;
	}
	return false;
}

bool chunk_has_controls(const void *data, size_t len)
{
	struct chunk c;

	if (chunk_read(&c, data, len))
		return false;
	for (uint32_t i = 0; i < c.sections[KTAP_SEC_STRINGS].count; i++) {
		uint32_t n;
		const char *text = chunk_get_string(&c, i, &n);

		if (has_controls(text, n))
			return true;
	}
	return false;
}
