/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core of ktap takes of the kernel, for user space.  Every header it
 * includes is made (see Makefile) to include this one.
 */
#ifndef _KTAP_SHIM_H
#define _KTAP_SHIM_H

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <linux/const.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* compiler and types */
#include <asm/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef __u16 __le16;
typedef __u32 __le32;
typedef __u64 __le64;
typedef unsigned int gfp_t;

#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define __aligned(x)		__attribute__((aligned(x)))
#define __must_check		__attribute__((warn_unused_result))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define __maybe_unused		__attribute__((unused))
#define noinline		__attribute__((noinline))
#define notrace
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define static_assert		_Static_assert
#define fallthrough		__attribute__((fallthrough))
#define __annotate_jump_table
#define __diag_push()		_Pragma("GCC diagnostic push")
#define __diag_pop()		_Pragma("GCC diagnostic pop")
#ifdef __clang__
#define __diag_ignore_all(option, comment)	\
	_Pragma("GCC diagnostic ignored \"-Winitializer-overrides\"")
#else
#define __diag_ignore_all(option, comment)	\
	_Pragma("GCC diagnostic ignored \"-Woverride-init\"")
#endif

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define smp_mb()		__sync_synchronize()
#define smp_mb__after_atomic()	__sync_synchronize()

#define WARN_ON_ONCE(x)							\
	({								\
		bool warn_ = !!(x);					\
									\
		if (warn_) {						\
			fprintf(stderr, "%s:%d: warning\n", __FILE__, __LINE__);	\
			abort();					\
		}							\
		warn_;							\
	})
#define WARN_ON(x)		WARN_ON_ONCE(x)

/* kernel.h, minmax.h, align.h, bits.h, overflow.h, container_of.h */
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define ALIGN(x, a)		(((x) + (typeof(x))(a) - 1) & ~((typeof(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((typeof(x))(a) - 1))
#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define BIT(n)			(1UL << (n))
#define GENMASK(h, l)		((~0UL >> (BITS_PER_LONG - 1 - (h))) & (~0UL << (l)))
#define U32_MAX			UINT32_MAX
#define U64_MAX			((u64)~0ULL)
#define S32_MAX			INT32_MAX
#define S64_MAX			INT64_MAX
#define S64_MIN			INT64_MIN

#define min(x, y)		({ typeof(x) x_ = (x); typeof(y) y_ = (y); x_ < y_ ? x_ : y_; })
#define max(x, y)		({ typeof(x) x_ = (x); typeof(y) y_ = (y); x_ > y_ ? x_ : y_; })
#define min_t(t, x, y)		({ t x_ = (x); t y_ = (y); x_ < y_ ? x_ : y_; })
#define max_t(t, x, y)		({ t x_ = (x); t y_ = (y); x_ > y_ ? x_ : y_; })
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define struct_size(p, member, n)	(sizeof(*(p)) + (size_t)(n) * sizeof((p)->member[0]))

static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

static inline void __set_bit(unsigned long n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= 1UL << n % BITS_PER_LONG;
}

static inline bool test_bit(unsigned long n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> n % BITS_PER_LONG & 1;
}

/* byteorder.h */
#define le16_to_cpu(x)		le16toh(x)
#define le32_to_cpu(x)		le32toh(x)
#define le64_to_cpu(x)		le64toh(x)
#define cpu_to_le16(x)		htole16(x)
#define cpu_to_le32(x)		htole32(x)
#define cpu_to_le64(x)		htole64(x)

/* math64.h */
static inline s64 div64_s64(s64 x, s64 y)
{
	return x / y;
}

static inline u64 div_u64_rem(u64 x, u32 y, u32 *rest)
{
	*rest = x % y;
	return x / y;
}

u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c);

/* err.h */
#define MAX_ERRNO		4095

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= (unsigned long)-MAX_ERRNO;
}

/* slab.h: shim_alloc_fail counts down to an allocation that fails, 0: none */
#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0

extern unsigned long shim_alloc_fail;
void *shim_alloc(size_t n, size_t size, bool zero);
void kvfree(const void *p);

#define kvmalloc(size, gfp)		shim_alloc(1, size, false)
#define kvzalloc(size, gfp)		shim_alloc(1, size, true)
#define kvmalloc_array(n, size, gfp)	shim_alloc(n, size, false)
#define kvcalloc(n, size, gfp)		shim_alloc(n, size, true)

/* atomic.h */
typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#define atomic_read(v)			READ_ONCE((v)->counter)
#define atomic_set(v, i)		WRITE_ONCE((v)->counter, i)
#define atomic_inc_return(v)		__sync_add_and_fetch(&(v)->counter, 1)
#define atomic_dec_and_test(v)		(!__sync_sub_and_fetch(&(v)->counter, 1))
#define atomic_cmpxchg(v, old, new)	__sync_val_compare_and_swap(&(v)->counter, old, new)
#define atomic_long_read(v)		READ_ONCE((v)->counter)
#define atomic_long_inc(v)		((void)__sync_add_and_fetch(&(v)->counter, 1))

/* llist.h */
struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

static inline bool llist_add(struct llist_node *node, struct llist_head *list)
{
	struct llist_node *first;

	do {
		first = READ_ONCE(list->first);
		node->next = first;
	} while (!__sync_bool_compare_and_swap(&list->first, first, node));
	return !first;
}

static inline struct llist_node *llist_del_all(struct llist_head *list)
{
	return __atomic_exchange_n(&list->first, NULL, __ATOMIC_SEQ_CST);
}

#define llist_entry(p, type, member)					\
	({								\
		struct llist_node *node_ = (p);				\
									\
		node_ ? container_of(node_, type, member) : NULL;	\
	})
#define llist_for_each_entry_safe(pos, n, node, member)			\
	for (pos = llist_entry(node, typeof(*pos), member);		\
	     pos && (n = llist_entry(pos->member.next, typeof(*n), member), true); pos = n)

/* percpu.h, irqflags.h, spinlock.h: a thread is a CPU */
#define DECLARE_PER_CPU(type, name)	extern __thread typeof(type) name
#define DEFINE_PER_CPU(type, name)	__thread typeof(type) name
#define this_cpu_inc(v)			((v)++)
#define this_cpu_dec(v)			((v)--)
#define this_cpu_read(v)		(v)

#define raw_local_irq_save(flags)	((void)((flags) = 0))
#define raw_local_irq_restore(flags)	((void)(flags))

typedef struct { int locked; } arch_spinlock_t;

#define __ARCH_SPIN_LOCK_UNLOCKED	{ 0 }

static inline void arch_spin_lock(arch_spinlock_t *lock)
{
	while (__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void arch_spin_unlock(arch_spinlock_t *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

/* sched.h, rcupdate.h, random.h */
#define cond_resched()			((void)0)
#define current				NULL
#define fatal_signal_pending(task)	((void)(task), false)
#define synchronize_rcu()		((void)0)

static inline u32 get_random_u32(void)
{
	return 0x6b746170;
}

/* kallsyms.h */
#define KSYM_SYMBOL_LEN			512

static inline int sprint_symbol(char *buf, unsigned long address)
{
	return snprintf(buf, KSYM_SYMBOL_LEN, "0x%lx", address);
}

/* sort.h */
static inline void sort(void *base, size_t n, size_t size,
			int (*cmp)(const void *, const void *), void *swap)
{
	qsort(base, n, size, cmp);
}

/* string.h, sprintf.h */
__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);
__printf(3, 0) int vscnprintf(char *buf, size_t size, const char *fmt, va_list args);

#define strscpy(dst, src)		snprintf(dst, sizeof(dst), "%s", src)

/* jhash.h: any hash will do */
u32 jhash(const void *key, u32 len, u32 seed);

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 seed)
{
	u32 words[] = { a, b, c };

	return jhash(words, sizeof(words), seed);
}

/* seq_buf.h */
struct seq_buf {
	char *buffer;
	size_t size;
	size_t len;
};

static inline void seq_buf_clear(struct seq_buf *s)
{
	s->len = 0;
}

static inline void seq_buf_init(struct seq_buf *s, char *buf, unsigned int size)
{
	*s = (struct seq_buf){ .buffer = buf, .size = size };
}

static inline bool seq_buf_has_overflowed(struct seq_buf *s)
{
	return s->len > s->size;
}

static inline void seq_buf_set_overflow(struct seq_buf *s)
{
	s->len = s->size + 1;
}

static inline unsigned int seq_buf_used(struct seq_buf *s)
{
	return min(s->len, s->size);
}

static inline unsigned int seq_buf_buffer_left(struct seq_buf *s)
{
	return s->len > s->size ? 0 : s->size - s->len;
}

static inline size_t seq_buf_get_buf(struct seq_buf *s, char **p)
{
	*p = s->buffer + s->len;
	return s->len < s->size ? s->size - s->len : 0;
}

static inline void seq_buf_commit(struct seq_buf *s, int n)
{
	s->len += n;
}

static inline int seq_buf_pop(struct seq_buf *s)
{
	return s->buffer[--s->len];
}

#endif /* _KTAP_SHIM_H */
