// SPDX-License-Identifier: GPL-2.0
/*
 * Read ELF files with libelf: segments, build id and markers.
 *
 * A file is not trusted. libelf checks the bounds of the file, and this code
 * those of the data. A file must not use up memory or time either: it can claim huge
 * sizes, and let many entries share the same bytes. So everything that is read
 * is bounded, and no search is repeated for each entry.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/util.h"
#include "elf/elf_debug.h"
#include "elf/elf_file.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif

#define MAX_SEGMENTS	65536

/* Limits of the bytes of notes, and of the strings of one marker. */
#define MAX_NOTES	(16UL << 20)
#define MAX_MARKER_NAME	256
#define MAX_MARKER_ARGS	4096

/* Machines whose kernels run each other's programs are in the same row. */
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

/* Compare with this program, which runs on this machine. */
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
	f->segments = pool_alloc(&f->pool, n * sizeof(*f->segments) + 1);
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

/* Two segments may share a page of the file: prefer code. */
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

Elf_Data *elf_section_bytes(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	if (!scn || shdr->sh_type == SHT_NOBITS || shdr->sh_size > MAX_SECTION)
		return NULL;
	return elf_rawdata(scn, NULL);
}

const char *elf_string(const Elf_Data *strings, size_t at, size_t max)
{
	const char *s;

	if (!strings || !strings->d_buf || at >= strings->d_size)
		return NULL;
	s = (const char *)strings->d_buf + at;
	return memchr(s, 0, max < strings->d_size - at ? max : strings->d_size - at) ? s : NULL;
}

const Elf_Data *elf_strings(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr shdr;

	return scn && gelf_getshdr(scn, &shdr) ? elf_section_bytes(scn, &shdr) : NULL;
}

/* Find the first section of that name, and its header. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	const Elf_Data *names;
	Elf_Scn *scn = NULL;
	size_t index;

	if (elf_getshdrstrndx(elf, &index))
		return NULL;
	names = elf_strings(elf, index);
	while ((scn = elf_nextscn(elf, scn))) {
		const char *is;

		if (!gelf_getshdr(scn, shdr))
			continue;
		is = elf_string(names, shdr->sh_name, strlen(name) + 1);
		if (is && !strcmp(is, name))
			return scn;
	}
	return NULL;
}

const unsigned char *elf_section(void *handle, const char *name, size_t *len, uint64_t *addr)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(handle, name, &shdr);
	Elf_Data *data = elf_section_bytes(scn, &shdr);

	if (!data || !data->d_buf)
		return NULL;
	*addr = shdr.sh_addr;
	*len = data->d_size;
	return data->d_buf;
}

/* Callback for a note, with its owner, type and bytes. */
typedef void (*note_fn)(struct elf_file *f, const char *owner, unsigned int type,
			const unsigned char *desc, size_t len);

static void each_note(struct elf_file *f, Elf_Data *data, note_fn fn)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc))) {
		const char *buf = data->d_buf;

		/* all known owners end in a NUL */
		if (!note.n_namesz || buf[name + note.n_namesz - 1])
			continue;
		fn(f, buf + name, note.n_type, (const unsigned char *)buf + desc, note.n_descsz);
	}
}

static void each_note_section(struct elf_file *f, note_fn fn)
{
	size_t left = MAX_NOTES;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->handle, scn))) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE || shdr.sh_size > left)
			continue;
		left -= shdr.sh_size;
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

static const char not_elf[] = "is not an ELF file, so neither a program nor a library";

static const char *read_header(struct elf_file *f)
{
	Elf *elf = f->handle;
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return not_elf;
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		return "is neither a program nor a library";
	f->machine = ehdr.e_machine;
	f->big_endian = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	f->fixed = ehdr.e_type == ET_EXEC;
	f->entry = ehdr.e_entry;
	read_segments(f, elf);
	each_note_section(f, take_build_id);
	return NULL;
}

/*
 * Does it have more sections than fit into the header's number? Only object
 * files do, and libelf would allocate as many as the file claims.
 */
static bool has_too_many_sections(const void *header, size_t len)
{
	const Elf64_Ehdr *big = header;
	const Elf32_Ehdr *small = header;

	/* 0 is the same in both byte orders */
	if (len >= sizeof(*big) && big->e_ident[EI_CLASS] == ELFCLASS64)
		return big->e_shoff && !big->e_shnum;
	return len >= sizeof(*small) && small->e_shoff && !small->e_shnum;
}

static Elf *elf_begin_file(int fd)
{
	Elf64_Ehdr header;
	ssize_t len = pread(fd, &header, sizeof(header), 0);

	if (len < 0 || has_too_many_sections(&header, len))
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

void *elf_image(char *image, size_t len)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = has_too_many_sections(image, len) ? NULL : elf_memory(image, len);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

/*
 * Opening a device may have side effects: check the type of the file first. The owner of a file
 * may have a lease on it, which would make us wait 45 seconds for each such file.
 */
static int open_regular(const char *path, const char **why)
{
	int link = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char again[64];
	struct stat st;

	if (link < 0 || fstat(link, &st)) {
		*why = errno == ENOENT || errno == ENOTDIR ? "does not exist" : strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		*why = "is not a regular file";
	} else {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", link);
		fd = open(again, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			*why = errno == EWOULDBLOCK ? "is leased for writing" : strerror(errno);
	}
	if (link >= 0)
		close(link);
	return fd;
}

struct elf_file *elf_file_open(const char *path, const char **why)
{
	struct elf_file *f = calloc(1, sizeof(*f));

	if (!f) {
		*why = "cannot be read: out of memory";
		return NULL;
	}
	elf_version(EV_CURRENT);
	f->fd = open_regular(path, why);
	if (f->fd >= 0) {
		f->path = pool_strndup(&f->pool, path, strlen(path));
		f->handle = elf_begin_file(f->fd);
		*why = f->handle ? read_header(f) : not_elf;
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
	pool_free(&f->pool);
	free(f);
}

uint64_t elf_number(const unsigned char *p, size_t size, bool big_endian)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | p[big_endian ? i : size - 1 - i];
	return v;
}

/*
 * Markers: a note has three addresses (the marker, the link-time base, the
 * semaphore), then three strings. If a program was moved later (prelink), the
 * address of its section .stapsdt.base tells how far.
 */
static uint64_t get_word(const struct elf_file *f, const unsigned char *p, size_t size)
{
	return elf_number(p, size, f->big_endian);
}

static const char *take_string(struct elf_file *f, const unsigned char **p, size_t *left,
			       size_t max)
{
	const unsigned char *end = memchr(*p, 0, *left < max ? *left : max);
	const char *s = (const char *)*p;
	size_t len;

	if (!end)
		return NULL;
	len = end - *p;
	*left -= len + 1;
	*p = end + 1;
	return pool_strndup(&f->pool, s, len);
}

static void take_marker(struct elf_file *f, const char *owner, unsigned int type,
			const unsigned char *desc, size_t len)
{
	size_t word = gelf_getclass(f->handle) == ELFCLASS64 ? 8 : 4;
	uint64_t moved = 0;
	struct elf_marker m;

	if (type != 3 || strcmp(owner, "stapsdt") || len < 3 * word)
		return;
	f->has_markers = true;
	if (f->marker_base)
		moved = f->marker_base - get_word(f, desc + word, word);
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
	m.provider = take_string(f, &desc, &len, MAX_MARKER_NAME);
	m.name = m.provider ? take_string(f, &desc, &len, MAX_MARKER_NAME) : NULL;
	m.args = m.name ? take_string(f, &desc, &len, MAX_MARKER_ARGS) : NULL;
	if (!m.args)
		return;
	f->markers = pool_grow(&f->pool, f->markers, f->nmarkers, &f->max_markers, sizeof(m));
	f->markers[f->nmarkers++] = m;
}

void elf_read_markers(struct elf_file *f)
{
	GElf_Shdr base;

	if (!f->handle || f->nmarkers)
		return;
	if (find_section(f->handle, ".stapsdt.base", &base))
		f->marker_base = base.sh_addr;
	each_note_section(f, take_marker);
}
