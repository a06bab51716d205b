// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that convert other values to strings, and strings to integers.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "output/format.h"
#include "output/text.h"
#include "vm/arena.h"
#include "vm/builtin.h"
#include "vm/bytes.h"
#include "vm/env.h"
#include "vm/integer.h"

/*
 * Text that is made in the arena.  Nothing else is allocated between its begin and its
 * end: the values that are converted must not move.
 */
static int convert_begin_text(struct ktap_vm *vm, struct ktap_text *t, struct seq_buf *s,
			      size_t room)
{
	char *mem = ktap_arena_alloc(vm, room);

	if (!mem)
		return vm->error;
	seq_buf_init(s, mem, room);
	*t = (struct ktap_text){ .s = s, .vm = vm, .keep = true };
	return 0;
}

static int convert_end_text(struct ktap_vm *vm, struct ktap_text *t, struct ktap_value *v)
{
	size_t len = seq_buf_used(t->s);

	if (seq_buf_has_overflowed(t->s))
		atomic_long_inc(&vm->env->counters.cut_strings);
	ktap_arena_trim(vm, t->s->buffer, len);
	*v = KTAP_VALUE_STR(t->s->buffer, len);
	return t->err ?: ktap_vm_charge(vm, len / 64);
}

static int convert_value_to_text(struct ktap_vm *vm, struct ktap_value *v, size_t room)
{
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = convert_begin_text(vm, &t, &s, room);
	if (err)
		return err;
	ktap_text_value(&t, v);
	return convert_end_text(vm, &t, v);
}

/* Is the value shown by symbols? */
static bool convert_is_code(const struct ktap_value *v)
{
	return v->tag == KTAP_KSTACK || v->tag == KTAP_USTACK || v->tag == KTAP_USYM;
}

static bool convert_has_stack(const struct ktap_value *v)
{
	struct ktap_value part;
	size_t pos = 0;

	if (convert_is_code(v))
		return true;
	while (v->tag == KTAP_TUPLE && ktap_tuple_next(v, &pos, &part)) {
		if (convert_is_code(&part))
			return true;
	}
	return false;
}

/* Looking up symbols and sorting tables may take time: refuse that in event context. */
static int convert_want_time(struct ktap_vm *vm, const char *name, const struct ktap_value *v)
{
	if (vm->level == KTAP_LEVEL_PROCESS || !(convert_has_stack(v) || ktap_is_object(v)))
		return 0;
	return ktap_vm_error(vm, -EINVAL,
			     "%s of %s works in trace_begin, trace_end, tick and at the top level",
			     name,
			     v->tag == KTAP_USYM || !convert_has_stack(v) ? ktap_type_name(v) :
									    "a stack");
}

/* Charge for the text of each part of a key, and of each element of an array. */
static int convert_pay_for_parts(struct ktap_vm *vm, const struct ktap_value *v)
{
	if (v->tag != KTAP_TUPLE && v->tag != KTAP_ARRAY)
		return 0;
	return ktap_vm_charge(vm, v->len / 8);
}

int ktap_fn_tostring(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *name;
	int err;

	switch (r[0].tag) {
	case KTAP_STR:
		return 0;
	case KTAP_ARGSTR:
		return ktap_make_text(vm, &r[0]);
	case KTAP_EVENT:
		return ktap_event_text(vm, &r[0]);
	case KTAP_TABLE:
		r[0] = KTAP_VALUE_STR("table", 5);
		return 0;
	case KTAP_FUNC:
		name = ktap_func_of(vm->env->prog, &r[0])->name;
		return convert_value_to_text(vm, &r[0], min_t(size_t, KTAP_MAX_STRLEN,
							      strlen("function ") + strlen(name)));
	case KTAP_AGG:
	case KTAP_TUPLE:
	case KTAP_KSTACK:
	case KTAP_USTACK:
	case KTAP_ARRAY:
	case KTAP_USYM:
		err = convert_want_time(vm, "tostring", &r[0]) ?: convert_pay_for_parts(vm, &r[0]);
		if (err)
			return err;
		return convert_value_to_text(vm, &r[0], vm->level == KTAP_LEVEL_PROCESS ?
						KTAP_MAX_STRLEN : 1024);
	default:
		return convert_value_to_text(vm, &r[0], 32);
	}
}

/* Values that need no preparation */
#define CONVERT_PLAIN	(ktap_bit(NIL) | ktap_bit(BOOL) | ktap_bit(INT) | ktap_bit(PTR) | \
			 ktap_bit(STR))

/* Make argument @i of format() one that is converted at once. */
static int convert_prepare_arg(struct ktap_vm *vm, struct ktap_value *v, unsigned int i)
{
	int err;

	if (BIT(v->tag) & CONVERT_PLAIN)
		return 0;
	err = ktap_make_texts(vm, v, 1);
	if (!err && i)
		err = convert_want_time(vm, "format", v) ?: convert_pay_for_parts(vm, v);
	return err;
}

/*
 * Write a piece of a format at @p, where @room bytes are free; return the end.  NULL if it
 * does not fit, or is not literal text, an integer or a string as it is.
 */
static char *convert_put_piece(char *p, u32 room, const struct ktap_directive *d,
			       const struct ktap_value *v)
{
	const void *part = d->text;
	u32 len = d->len;

	switch (d->conv) {
	case 0:
		break;
	case 'd':
		if (!d->plain || v->tag != KTAP_INT || room < KTAP_INTEGER_TEXT)
			return NULL;
		return ktap_decimal_append(v->i, p);
	case 's':
		if (!d->plain || v->tag != KTAP_STR)
			return NULL;
		part = ktap_blob_of(v);
		len = v->len;
		break;
	default:
		return NULL;
	}
	if (len > room)
		return NULL;
	ktap_copy_bytes(p, part, len);
	return p + len;
}

/* Bytes of the text of a format that is written at once */
#define CONVERT_SHORT	256

/*
 * Most formats make a short text of integers and strings: write it into the arena at once.
 * Return false if this one does not, or if the budget or the arena is low: then nothing has
 * changed.
 */
static bool convert_format_short(struct ktap_vm *vm, const struct ktap_format *f,
				 struct ktap_value *r, unsigned int n)
{
	const struct ktap_directive *d = f->pieces, *last = d + f->npieces;
	const struct ktap_value *arg = r + 1;
	char *text, *p;
	u32 cost;

	if (n <= f->nargs || !ktap_arena_has_room(&vm->arena, CONVERT_SHORT))
		return false;
	text = ktap_arena_next(&vm->arena);
	for (p = text; d < last; d++) {
		p = convert_put_piece(p, text + CONVERT_SHORT - p, d, arg);
		if (!p)
			return false;
		arg += !!d->conv;
	}
	cost = f->cost + (p - text) / 64;
	if (vm->budget <= cost)
		return false;
	vm->budget -= cost;
	ktap_arena_push_text(&vm->arena, text, p, &r[0]);
	return true;
}

int ktap_fn_format(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_format *f;
	struct ktap_text t;
	struct seq_buf s;
	unsigned int i;
	u32 format;
	int err;

	err = ktap_vm_charge(vm, 1 + 2 * n);
	if (err)
		return err;
	f = ktap_format_at(vm->env->prog, vm->pc, &r[0], &format);
	if (f && convert_format_short(vm, f, r, n))
		return 0;
	for (i = 0; i < n && !err; i++)
		err = convert_prepare_arg(vm, &r[i], i);
	if (err)
		return err;
	if (f && ktap_format_accepts(f, r, n))
		err = ktap_vm_charge(vm, f->cost);
	else
		err = ktap_check_format(vm, "format", r, n);
	if (!err)
		err = convert_begin_text(vm, &t, &s, KTAP_MAX_STRLEN);
	if (err)
		return err;
	if (f)
		ktap_text_format(&t, f, r + 1, n - 1);
	else
		ktap_text_printf_args(&t, r, n);
	return convert_end_text(vm, &t, &r[0]);
}

static const char *convert_skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
		p++;
	return p;
}

static bool convert_parse_number(const char *p, const char *end, s64 *i)
{
	p = convert_skip_blanks(p, end);
	while (end > p && convert_skip_blanks(end - 1, end) == end)
		end--;
	return ktap_parse_integer(p, end - p, i);
}

int ktap_fn_tonumber(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *text;
	int err;
	s64 i;

	if (r[0].tag == KTAP_INT)
		return 0;
	err = ktap_make_text(vm, &r[0]);
	if (!err && r[0].tag == KTAP_STR)
		err = ktap_vm_charge(vm, r[0].len / 16);
	if (err)
		return err;
	text = ktap_blob_of(&r[0]);
	if (r[0].tag == KTAP_STR && convert_parse_number(text, text + r[0].len, &i))
		r[0] = KTAP_VALUE_INT(i);
	else
		r[0] = KTAP_VALUE_NIL;
	return 0;
}

#define FAMILY_INET	2
#define FAMILY_INET6	10

/* Return the size of an address, 0 if it is none.  The bytes of an integer are as in memory. */
static u32 convert_address_of(const struct ktap_value *v, u8 *bytes)
{
	u32 u = v->u;

	if (v->tag == KTAP_INT) {
		if (v->i != u && v->i != (s32)u)
			return 0;
		memcpy(bytes, &u, sizeof(u));
		return sizeof(u);
	}
	if (v->tag != KTAP_STR || (v->len != 4 && v->len != 16))
		return 0;
	memcpy(bytes, ktap_blob_of(v), v->len);
	return v->len;
}

int ktap_fn_ntop(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value *address = &r[n - 1];
	char text[48];
	u8 bytes[16];
	u32 size;
	int err;

	err = ktap_make_text(vm, address);
	if (err)
		return err;
	size = convert_address_of(address, bytes);
	err = ktap_vm_charge(vm, size / 4);
	if (err)
		return err;
	if (!size)
		return ktap_vm_error(vm, -EINVAL,
				     "ntop: an address is an integer of 32 bits, or a string of 4 or 16 bytes");
	if (n > 1 && (r[0].tag != KTAP_INT ||
		      r[0].i != (size == 4 ? FAMILY_INET : FAMILY_INET6)))
		return ktap_vm_error(vm, -EINVAL,
				     "ntop: an address of %u bytes is not of that family", size);
	if (size == 4)
		size = scnprintf(text, sizeof(text), "%pI4", bytes);
	else
		size = scnprintf(text, sizeof(text), "%pI6c", bytes);
	return ktap_make_string(vm, text, size, &r[0]);
}

int ktap_fn_macaddr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	char text[24];
	u32 len;
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	err = ktap_vm_charge(vm, 2);
	if (err)
		return err;
	if (r[0].len != 6)
		return ktap_vm_error(vm, -EINVAL, "macaddr: a string of %u bytes, not of 6",
				     r[0].len);
	len = scnprintf(text, sizeof(text), "%pM", ktap_blob_of(&r[0]));
	return ktap_make_string(vm, text, len, &r[0]);
}

/* Numbers of a moment; a directive may show several that follow each other. */
enum convert_part {
	CONVERT_YEAR,
	CONVERT_MONTH,
	CONVERT_DAY,
	CONVERT_HOUR,
	CONVERT_MINUTE,
	CONVERT_SECOND,
	CONVERT_DAY_OF_WEEK,
	CONVERT_DAY_OF_YEAR,
	CONVERT_YEAR_OF_CENTURY,
	CONVERT_MICROSECOND,
	CONVERT_NANOSECOND,
	CONVERT_EPOCH,
	CONVERT_NR_PARTS,
};

/* A time, as strftime shows it; formats get three parts, most of them show fewer. */
struct convert_moment {
	s64 part[CONVERT_NR_PARTS + 2];
};

static const char * const convert_days[] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
};

static const char * const convert_months[] = {
	NULL, "January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December",
};

static const struct {
	char directive;
	u8 part;			/* the first that it shows */
	const char *format;		/* of parts, or of a name */
	const char * const *names;	/* NULL: the part is shown as a number */
} convert_directives[] = {
	{ 'Y', CONVERT_YEAR, "%lld" },
	{ 'y', CONVERT_YEAR_OF_CENTURY, "%02lld" },
	{ 'm', CONVERT_MONTH, "%02lld" },
	{ 'd', CONVERT_DAY, "%02lld" },
	{ 'e', CONVERT_DAY, "%2lld" },
	{ 'j', CONVERT_DAY_OF_YEAR, "%03lld" },
	{ 'H', CONVERT_HOUR, "%02lld" },
	{ 'M', CONVERT_MINUTE, "%02lld" },
	{ 'S', CONVERT_SECOND, "%02lld" },
	{ 'f', CONVERT_MICROSECOND, "%06lld" },
	{ 'N', CONVERT_NANOSECOND, "%09lld" },
	{ 's', CONVERT_EPOCH, "%lld" },
	{ 'F', CONVERT_YEAR, "%lld-%02lld-%02lld" },
	{ 'T', CONVERT_HOUR, "%02lld:%02lld:%02lld" },
	{ 'A', CONVERT_DAY_OF_WEEK, "%s", convert_days },
	{ 'a', CONVERT_DAY_OF_WEEK, "%.3s", convert_days },
	{ 'B', CONVERT_MONTH, "%s", convert_months },
	{ 'b', CONVERT_MONTH, "%.3s", convert_months },
	{ 'Z', 0, "UTC" },
	{ 'z', 0, "+0000" },
	{ '%', 0, "%%" },
};

/* Return false if there is no such directive. */
static bool convert_put_moment(struct ktap_text *t, char directive, const struct convert_moment *m)
{
	const char *format;
	const s64 *part;
	int i;

	for (i = 0; i < ARRAY_SIZE(convert_directives); i++) {
		if (convert_directives[i].directive == directive)
			break;
	}
	if (i == ARRAY_SIZE(convert_directives))
		return false;
	format = convert_directives[i].format;
	part = m->part + convert_directives[i].part;
	if (convert_directives[i].names)
		ktap_text_printf(t, format, convert_directives[i].names[part[0]]);
	else
		ktap_text_printf(t, format, part[0], part[1], part[2]);
	return true;
}

/* Units of a directive, which may print three numbers; and of computing the date */
#define MOMENT_COST	6

static int convert_put_moments(struct ktap_vm *vm, struct ktap_text *t,
			       const struct ktap_value *format, const struct convert_moment *m)
{
	const char *p = ktap_blob_of(format), *end = p + format->len, *text;
	int err = 0;

	while (p < end && !err && !ktap_text_is_cut(t)) {
		for (text = p; p < end && *p != '%'; p++)
			;
		ktap_text_put(t, text, p - text);
		if (p == end)
			break;
		if (++p == end || !convert_put_moment(t, *p, m))
			return ktap_vm_error(vm, -EINVAL, "strftime: there is no directive %%%.*s",
					     (int)min_t(size_t, end - p, 1), p);
		p++;
		err = ktap_vm_charge(vm, MOMENT_COST);
	}
	return err;
}

/* Convert a time since boot, as from nsecs, to a date. */
static int convert_moment_of(struct ktap_vm *vm, s64 monotonic, struct convert_moment *m)
{
	struct tm tm;
	s64 time, secs;
	s32 nsecs;

	if (check_add_overflow(monotonic, vm->env->wall_offset, &time))
		return ktap_vm_error(vm, -ERANGE, "strftime: there is no time %lld", monotonic);
	secs = div_s64_rem(time, NSEC_PER_SEC, &nsecs);
	if (nsecs < 0) {
		secs--;
		nsecs += NSEC_PER_SEC;
	}
	time64_to_tm(secs, 0, &tm);
	*m = (struct convert_moment){
		.part = {
			[CONVERT_YEAR] = tm.tm_year + 1900,
			[CONVERT_MONTH] = tm.tm_mon + 1,
			[CONVERT_DAY] = tm.tm_mday,
			[CONVERT_HOUR] = tm.tm_hour,
			[CONVERT_MINUTE] = tm.tm_min,
			[CONVERT_SECOND] = tm.tm_sec,
			[CONVERT_DAY_OF_WEEK] = tm.tm_wday,
			[CONVERT_DAY_OF_YEAR] = tm.tm_yday + 1,
			[CONVERT_YEAR_OF_CENTURY] = (tm.tm_year + 1900) % 100,
			[CONVERT_MICROSECOND] = nsecs / 1000,
			[CONVERT_NANOSECOND] = nsecs,
			[CONVERT_EPOCH] = secs,
		},
	};
	return 0;
}

int ktap_fn_strftime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct convert_moment m;
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (!err)
		err = ktap_vm_charge(vm, MOMENT_COST + r[0].len / 64);
	if (!err)
		err = convert_moment_of(vm, n > 1 ? r[1].i : ktime_get_mono_fast_ns(), &m);
	if (!err)
		err = convert_begin_text(vm, &t, &s, KTAP_MAX_STRLEN);
	if (err)
		return err;
	err = convert_put_moments(vm, &t, &r[0], &m);
	return convert_end_text(vm, &t, &r[0]) ?: err;
}

int ktap_fn_utc_offset(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(vm->env->utc_offset);
	return 0;
}

/* Uses the same clock as strftime(), so that times of one run agree. */
int ktap_fn_walltime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_STR("%F %T", 5);
	return ktap_fn_strftime(vm, r, 1);
}
