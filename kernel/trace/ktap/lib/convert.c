// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that make strings of other values, and integers of strings.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "builtin.h"
#include "text.h"

/*
 * Text made in the arena.  Once it is begun nothing else is allocated before it
 * is ended: what it is made of must not move.
 */
static int begin_text(struct ktap_vm *vm, struct ktap_text *t, struct seq_buf *s, size_t room)
{
	char *mem = ktap_arena_alloc(vm, room);

	if (!mem)
		return vm->error;
	seq_buf_init(s, mem, room);
	*t = (struct ktap_text){ .s = s, .vm = vm, .keep = true };
	return 0;
}

static int end_text(struct ktap_vm *vm, struct ktap_text *t, struct ktap_value *v)
{
	size_t len = seq_buf_used(t->s);

	if (seq_buf_has_overflowed(t->s))
		atomic_long_inc(&vm->env->counters.cut_strings);
	ktap_arena_trim(vm, t->s->buffer, len);
	*v = KTAP_VALUE_STR(t->s->buffer, len);
	return t->err ?: ktap_vm_charge(vm, len / 64);
}

static int value_to_text(struct ktap_vm *vm, struct ktap_value *v, size_t room)
{
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = begin_text(vm, &t, &s, room);
	if (err)
		return err;
	ktap_text_value(&t, v);
	return end_text(vm, &t, v);
}

/* What has symbols. */
static bool is_code(const struct ktap_value *v)
{
	return v->tag == KTAP_KSTACK || v->tag == KTAP_USTACK || v->tag == KTAP_USYM;
}

static bool has_stack(const struct ktap_value *v)
{
	struct ktap_value part;
	size_t pos = 0;

	if (is_code(v))
		return true;
	while (v->tag == KTAP_TUPLE && ktap_tuple_next(v, &pos, &part)) {
		if (is_code(&part))
			return true;
	}
	return false;
}

/* Symbols are looked up, and tables are sorted, where that may take time. */
static int want_time(struct ktap_vm *vm, const char *name, const struct ktap_value *v)
{
	if (vm->level == KTAP_LEVEL_PROCESS || !(has_stack(v) || ktap_is_object(v)))
		return 0;
	return ktap_vm_error(vm, -EINVAL,
			     "%s of %s works in trace_begin, trace_end, tick and at the top level",
			     name, v->tag == KTAP_USYM || !has_stack(v) ? ktap_type_name(v) :
								   "a stack");
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
		return value_to_text(vm, &r[0], min_t(size_t, KTAP_MAX_STRLEN,
						      strlen("function ") + strlen(name)));
	case KTAP_AGG:
	case KTAP_TUPLE:
	case KTAP_KSTACK:
	case KTAP_USTACK:
	case KTAP_ARRAY:
	case KTAP_USYM:
		err = want_time(vm, "tostring", &r[0]);
		if (err)
			return err;
		return value_to_text(vm, &r[0], vm->level == KTAP_LEVEL_PROCESS ?
						KTAP_MAX_STRLEN : 1024);
	default:
		return value_to_text(vm, &r[0], 32);
	}
}

int ktap_fn_format(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_text t;
	struct seq_buf s;
	unsigned int i;
	int err;

	/* An argument costs more than a byte: it may be padded. */
	err = ktap_vm_charge(vm, 1 + 4 * n);
	if (!err)
		err = ktap_make_texts(vm, r, n);
	for (i = 1; i < n && !err; i++)
		err = want_time(vm, "format", &r[i]);
	if (!err)
		err = ktap_check_format(vm, "format", r, n);
	if (!err)
		err = begin_text(vm, &t, &s, KTAP_MAX_STRLEN);
	if (err)
		return err;
	ktap_text_printf_args(&t, r, n);
	return end_text(vm, &t, &r[0]);
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
		p++;
	return p;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Digits of an integer as the compiler reads it; a `_` may stand behind the first. */
static bool parse_digits(const char *p, const char *end, int base, u64 *u)
{
	const char *first = p;

	*u = 0;
	for (; p < end; p++) {
		if (*p == '_' && p > first)
			continue;
		if (digit_value(*p) >= base || check_mul_overflow(*u, base, u) ||
		    check_add_overflow(*u, digit_value(*p), u))
			return false;
	}
	return p > first;
}

static bool parse_integer(const char *p, const char *end, s64 *i)
{
	bool minus = false;
	int base = 10;
	u64 u, most;

	p = skip_blanks(p, end);
	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	while (end > p && skip_blanks(end - 1, end) == end)
		end--;
	if (end - p > 1 && *p == '0') {
		base = lower(p[1]) == 'x' ? 16 : lower(p[1]) == 'b' ? 2 : 8;
		p += base == 8 ? 0 : 2;
	}
	if (!parse_digits(p, end, base, &u))
		return false;
	/* Bits may be written in base 16; elsewhere the sign is not among them. */
	most = base == 16 ? U64_MAX : (U64_MAX >> 1) + (minus && base == 10);
	*i = minus ? -u : u;
	return u <= most;
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
	text = r[0].blob;
	if (r[0].tag == KTAP_STR && parse_integer(text, text + r[0].len, &i))
		r[0] = KTAP_VALUE_INT(i);
	else
		r[0] = KTAP_VALUE_NIL;
	return 0;
}

#define FAMILY_INET	2
#define FAMILY_INET6	10

/* Bytes of an address, 0 if it is none.  An integer has its bytes as in memory. */
static u32 address_of(const struct ktap_value *v, u8 *bytes)
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
	memcpy(bytes, v->blob, v->len);
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
	size = address_of(address, bytes);
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
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (r[0].len != 6)
		return ktap_vm_error(vm, -EINVAL, "macaddr: a string of %u bytes, not of 6",
				     r[0].len);
	return ktap_make_string(vm, text, scnprintf(text, sizeof(text), "%pM", r[0].blob), &r[0]);
}

/* A time, as strftime shows it. */
struct moment {
	s64 secs;
	u32 nsecs;
	struct tm tm;
};

static void put_name(struct ktap_text *t, const char * const *names, int i, bool short_one)
{
	ktap_text_put(t, names[i], short_one ? 3 : strlen(names[i]));
}

static void put_day(struct ktap_text *t, const struct tm *tm, bool short_one)
{
	static const char * const days[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	};

	put_name(t, days, tm->tm_wday, short_one);
}

static void put_month(struct ktap_text *t, const struct tm *tm, bool short_one)
{
	static const char * const months[] = {
		"January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December",
	};

	put_name(t, months, tm->tm_mon, short_one);
}

/* False: there is no such directive. */
static bool put_moment(struct ktap_text *t, char directive, const struct moment *m)
{
	const struct tm *tm = &m->tm;
	int year = tm->tm_year + 1900;

	switch (directive) {
	case 'Y':
		ktap_text_printf(t, "%d", year);
		break;
	case 'y':
		ktap_text_printf(t, "%02d", year % 100);
		break;
	case 'm':
		ktap_text_printf(t, "%02d", tm->tm_mon + 1);
		break;
	case 'd':
		ktap_text_printf(t, "%02d", tm->tm_mday);
		break;
	case 'e':
		ktap_text_printf(t, "%2d", tm->tm_mday);
		break;
	case 'j':
		ktap_text_printf(t, "%03d", tm->tm_yday + 1);
		break;
	case 'H':
		ktap_text_printf(t, "%02d", tm->tm_hour);
		break;
	case 'M':
		ktap_text_printf(t, "%02d", tm->tm_min);
		break;
	case 'S':
		ktap_text_printf(t, "%02d", tm->tm_sec);
		break;
	case 'f':
		ktap_text_printf(t, "%06u", m->nsecs / 1000);
		break;
	case 'N':
		ktap_text_printf(t, "%09u", m->nsecs);
		break;
	case 's':
		ktap_text_printf(t, "%lld", m->secs);
		break;
	case 'F':
		ktap_text_printf(t, "%d-%02d-%02d", year, tm->tm_mon + 1, tm->tm_mday);
		break;
	case 'T':
		ktap_text_printf(t, "%02d:%02d:%02d", tm->tm_hour, tm->tm_min, tm->tm_sec);
		break;
	case 'A':
		put_day(t, tm, false);
		break;
	case 'a':
		put_day(t, tm, true);
		break;
	case 'B':
		put_month(t, tm, false);
		break;
	case 'b':
		put_month(t, tm, true);
		break;
	case 'Z':
		ktap_text_put(t, "UTC", 3);
		break;
	case 'z':
		ktap_text_put(t, "+0000", 5);
		break;
	case '%':
		ktap_text_put(t, "%", 1);
		break;
	default:
		return false;
	}
	return true;
}

static int put_moments(struct ktap_vm *vm, struct ktap_text *t, const struct ktap_value *format,
		       const struct moment *m)
{
	const char *p = format->blob, *end = p + format->len, *text;

	while (p < end) {
		for (text = p; p < end && *p != '%'; p++)
			;
		ktap_text_put(t, text, p - text);
		if (p == end)
			break;
		if (++p == end || !put_moment(t, *p, m))
			return ktap_vm_error(vm, -EINVAL, "strftime: there is no directive %%%.*s",
					     (int)min_t(size_t, end - p, 1), p);
		p++;
	}
	return 0;
}

/* The clock of nsecs counts from the boot, the calendar does not. */
static int moment_of(struct ktap_vm *vm, s64 monotonic, struct moment *m)
{
	s64 time;
	s32 nsecs;

	if (check_add_overflow(monotonic, vm->env->wall_offset, &time))
		return ktap_vm_error(vm, -ERANGE, "strftime: there is no time %lld", monotonic);
	m->secs = div_s64_rem(time, NSEC_PER_SEC, &nsecs);
	if (nsecs < 0) {
		m->secs--;
		nsecs += NSEC_PER_SEC;
	}
	m->nsecs = nsecs;
	time64_to_tm(m->secs, 0, &m->tm);
	return 0;
}

int ktap_fn_strftime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct moment m;
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = ktap_make_text(vm, &r[0]);
	/* A directive of two bytes is a number to be made. */
	if (!err)
		err = ktap_vm_charge(vm, 1 + r[0].len / 4);
	if (!err)
		err = moment_of(vm, n > 1 ? r[1].i : ktime_get_mono_fast_ns(), &m);
	if (!err)
		err = begin_text(vm, &t, &s, KTAP_MAX_STRLEN);
	if (err)
		return err;
	err = put_moments(vm, &t, &r[0], &m);
	return end_text(vm, &t, &r[0]) ?: err;
}

/* The same clock as strftime() has: times of one run agree. */
int ktap_fn_walltime(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_STR("%F %T", 5);
	return ktap_fn_strftime(vm, r, 1);
}
