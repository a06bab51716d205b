// SPDX-License-Identifier: GPL-2.0
/*
 * ELF files by way of libelf: opening them, their segments, build id and
 * markers.  Nothing in a file is believed: libelf keeps to its bounds, we to
 * those of what it gives.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_file.h"
#include "util.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif

#define MAX_SEGMENTS	65536

const bool elf_can_read = true;

/* Machines whose kernels run each other's programs stand in a row. */
static const struct machine {
	unsigned int machine;
	unsigned int family;
	const char *name;
} machines[] = {
	{ EM_X86_64, 1, "x86_64" },
	{ EM_386, 1, "i386" },
	{ EM_AARCH64, 2, "arm64" },
	{ EM_ARM, 2, "arm" },
	{ EM_RISCV, 3, "riscv" },
	{ EM_PPC64, 4, "powerpc64" },
	{ EM_PPC, 4, "powerpc" },
	{ EM_S390, 5, "s390" },
	{ EM_MIPS, 6, "mips" },
	{ EM_LOONGARCH, 7, "loongarch" },
	{ EM_SPARCV9, 8, "sparc64" },
	{ EM_SPARC, 8, "sparc" },
	{ EM_PARISC, 9, "parisc" },
};

static const struct machine *find_machine(unsigned int machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machines[i].machine == machine)
			return &machines[i];
	}
	return NULL;
}

const char *elf_machine_name(unsigned int machine)
{
	const struct machine *m = find_machine(machine);

	return m ? m->name : "another machine";
}

/* This program runs here: what it was built for is what this machine is. */
bool elf_is_native(const struct elf_file *f)
{
	static unsigned int native;
	static bool native_big;
	const struct machine *a, *b;

	if (!native) {
		const char *why;
		struct elf_file *self = elf_file_open("/proc/self/exe", &why);

		if (!self)
			return true;
		native = self->machine;
		native_big = self->big_endian;
		elf_file_close(self);
	}
	if (f->machine == native)
		return f->big_endian == native_big;
	a = find_machine(f->machine);
	b = find_machine(native);
	return a && b && a->family == b->family && f->big_endian == native_big;
}

static void read_segments(struct elf_file *f, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) || n > MAX_SEGMENTS)
		return;
	f->segments = arena_alloc(&f->arena, n * sizeof(*f->segments) + 1);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, i, &p))
			break;
		if (p.p_type != PT_LOAD)
			continue;
		f->segments[f->nsegments++] = (struct elf_segment) {
			.addr = p.p_vaddr, .offset = p.p_offset, .size = p.p_filesz,
			.exec = p.p_flags & PF_X,
		};
	}
}

bool elf_addr_to_offset(const struct elf_file *f, uint64_t addr, bool exec, uint64_t *offset)
{
	for (unsigned int i = 0; i < f->nsegments; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (addr < s->addr || addr - s->addr >= s->size || (exec && !s->exec))
			continue;
		*offset = addr - s->addr + s->offset;
		return true;
	}
	return false;
}

/* Two segments may share a page of the file: code is what is asked for. */
bool elf_offset_to_addr(const struct elf_file *f, uint64_t offset, uint64_t *addr)
{
	for (unsigned int i = 0; i < f->nsegments; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (!s->exec || offset < s->offset || offset - s->offset >= s->size)
			continue;
		*addr = offset - s->offset + s->addr;
		return true;
	}
	return false;
}

static const char *section_name(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr)
{
	size_t strings;

	if (!gelf_getshdr(scn, shdr) || elf_getshdrstrndx(elf, &strings))
		return NULL;
	return elf_strptr(elf, strings, shdr->sh_name);
}

const unsigned char *elf_section(void *handle, const char *name, size_t *len, uint64_t *addr)
{
	Elf *elf = handle;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *is = section_name(elf, scn, &shdr);
		Elf_Data *data;

		if (!is || strcmp(is, name))
			continue;
		*addr = shdr.sh_addr;
		*len = 0;
		if (shdr.sh_type == SHT_NOBITS)
			return NULL;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return NULL;
		*len = data->d_size;
		return data->d_buf;
	}
	return NULL;
}

/* One note: calls @fn with its owner, type and bytes. */
typedef void (*note_fn)(struct elf_file *f, const char *owner, unsigned int type,
			const unsigned char *desc, size_t len);

static void each_note(struct elf_file *f, Elf_Data *data, note_fn fn)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc))) {
		const char *buf = data->d_buf;

		/* the owner's name ends in a NUL, or it is none we know */
		if (!note.n_namesz || buf[name + note.n_namesz - 1])
			continue;
		fn(f, buf + name, note.n_type, (const unsigned char *)buf + desc, note.n_descsz);
	}
}

static void each_note_section(struct elf_file *f, note_fn fn)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->handle, scn))) {
		GElf_Shdr shdr;

		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE)
			each_note(f, elf_getdata(scn, NULL), fn);
	}
}

static void take_build_id(struct elf_file *f, const char *owner, unsigned int type,
			  const unsigned char *desc, size_t len)
{
	if (type != NT_GNU_BUILD_ID || strcmp(owner, "GNU") || !len || len > MAX_BUILD_ID)
		return;
	memcpy(f->build_id, desc, len);
	f->build_id_len = len;
}

static const char *read_header(struct elf_file *f)
{
	Elf *elf = f->handle;
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return "is no ELF file: no program and no library";
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		return "is neither a program nor a library";
	f->machine = ehdr.e_machine;
	f->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	f->fixed = ehdr.e_type == ET_EXEC;
	read_segments(f, elf);
	each_note_section(f, take_build_id);
	return NULL;
}

struct elf_file *elf_file_open(const char *path, const char **why)
{
	struct elf_file *f = calloc(1, sizeof(*f));
	struct stat st;

	if (!f) {
		*why = "finds no memory";
		return NULL;
	}
	elf_version(EV_CURRENT);
	/* a pipe must not stop us */
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0 || fstat(f->fd, &st)) {
		*why = errno == ENOENT || errno == ENOTDIR ? "does not exist" : strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		*why = "is no regular file";
	} else {
		f->path = arena_strndup(&f->arena, path, strlen(path));
		f->handle = elf_begin(f->fd, ELF_C_READ, NULL);
		*why = f->handle ? read_header(f) : "is no ELF file: no program and no library";
		if (!*why)
			return f;
	}
	elf_file_close(f);
	return NULL;
}

void elf_file_done(struct elf_file *f)
{
	if (f->handle)
		elf_end(f->handle);
	f->handle = NULL;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	elf_file_done(f);
	arena_free(&f->arena);
	free(f);
}

/*
 * Markers: a note has three addresses (the place, the base it was linked
 * with, the semaphore), then three strings.  A program that was moved later
 * (prelink) tells by its section .stapsdt.base how far.
 */
static uint64_t get_word(const struct elf_file *f, const unsigned char *p, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | p[f->big_endian ? i : size - 1 - i];
	return v;
}

static const char *take_string(struct elf_file *f, const unsigned char **p, size_t *left)
{
	const unsigned char *end = memchr(*p, 0, *left);
	const char *s = (const char *)*p;
	size_t len;

	if (!end)
		return NULL;
	len = end - *p;
	*left -= len + 1;
	*p = end + 1;
	return arena_strndup(&f->arena, s, len);
}

static void take_marker(struct elf_file *f, const char *owner, unsigned int type,
			const unsigned char *desc, size_t len)
{
	size_t word = gelf_getclass(f->handle) == ELFCLASS64 ? 8 : 4, base_len;
	uint64_t base = 0, moved = 0;
	struct elf_marker m;

	if (type != 3 || strcmp(owner, "stapsdt") || len < 3 * word)
		return;
	f->has_markers = true;
	elf_section(f->handle, ".stapsdt.base", &base_len, &base);
	if (base)
		moved = base - get_word(f, desc + word, word);
	m.addr = get_word(f, desc, word) + moved;
	m.semaphore = get_word(f, desc + 2 * word, word);
	if (m.semaphore)
		m.semaphore += moved;
	if (word == 4) {
		m.addr = (uint32_t)m.addr;
		m.semaphore = (uint32_t)m.semaphore;
	}
	desc += 3 * word;
	len -= 3 * word;
	m.provider = take_string(f, &desc, &len);
	m.name = m.provider ? take_string(f, &desc, &len) : NULL;
	m.args = m.name ? take_string(f, &desc, &len) : NULL;
	if (!m.args)
		return;
	f->markers = arena_grow(&f->arena, f->markers, f->nmarkers, &f->max_markers, sizeof(m));
	f->markers[f->nmarkers++] = m;
}

void elf_read_markers(struct elf_file *f)
{
	if (f->handle && !f->nmarkers)
		each_note_section(f, take_marker);
}
