// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that the headers in shim/ only declare.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/verification.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

unsigned long shim_barriers;
unsigned long shim_fail_at;
long shim_allocated;
__thread bool shim_atomic;
u64 shim_time;
bool shim_locked_down;
bool shim_killed;
struct shim_verified shim_verified = { .result = -ENOKEY };

/* The exit code of a finding differs from those of scripts. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:detect_stack_use_after_return=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void may_sleep(void)
{
	if (!shim_atomic)
		return;
	fputs("what may sleep is called in the context of an event\n", stderr);
	abort();
}

static bool fails(void)
{
	may_sleep();
	return shim_fail_at && !--shim_fail_at;
}

static void *allocated(void *p)
{
	if (p)
		__atomic_add_fetch(&shim_allocated, 1, __ATOMIC_RELAXED);
	return p;
}

void *kvmalloc_array(size_t n, size_t size, gfp_t flags)
{
	size_t bytes;

	if (fails() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return allocated(malloc(bytes));
}

void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	return fails() ? NULL : allocated(calloc(n, size));
}

void kvfree(const void *p)
{
	if (p)
		__atomic_sub_fetch(&shim_allocated, 1, __ATOMIC_RELAXED);
	free((void *)p);
}

/* Per-CPU memory: the pointers to the part of each CPU are stored before it. */

__thread int shim_cpu;
const char shim_thread;

struct percpu {
	void *cpus[NR_CPUS];
	max_align_t data[];
};

static struct percpu *percpu_of(void *p)
{
	return container_of(p, struct percpu, data);
}

void free_percpu(void *p)
{
	int cpu;

	if (!p)
		return;
	for (cpu = 1; cpu < NR_CPUS; cpu++)
		free(percpu_of(p)->cpus[cpu]);
	kvfree(percpu_of(p));
}

void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	struct percpu *percpu = kvzalloc(sizeof(*percpu) + size, gfp);
	int cpu;

	if (!percpu)
		return NULL;
	percpu->cpus[0] = percpu->data;
	for (cpu = 1; cpu < NR_CPUS; cpu++)
		percpu->cpus[cpu] = calloc(1, size);
	return percpu->data;
}

void *shim_per_cpu_ptr(void *p, int cpu)
{
	return shim_static_percpu(p, cpu) ?: percpu_of(p)->cpus[cpu];
}

/* Preemption and grace periods: the number of a CPU is odd while it is in a handler. */

static struct {
	unsigned long seq;
} __aligned(64) readers[NR_CPUS];

__thread unsigned int shim_preempt_count;

void preempt_disable(void)
{
	unsigned long *seq = &readers[shim_cpu].seq;

	if (!shim_preempt_count++)
		__atomic_exchange_n(seq, *seq + 1, __ATOMIC_SEQ_CST);
}

void preempt_enable(void)
{
	unsigned long *seq = &readers[shim_cpu].seq;

	if (!--shim_preempt_count)
		__atomic_store_n(seq, *seq + 1, __ATOMIC_RELEASE);
}

void synchronize_rcu(void)
{
	unsigned long seq;
	int cpu;

	may_sleep();
	smp_mb();
	for (cpu = 0; cpu < NR_CPUS; cpu++) {
		seq = __atomic_load_n(&readers[cpu].seq, __ATOMIC_ACQUIRE);
		while (seq & 1 && __atomic_load_n(&readers[cpu].seq, __ATOMIC_ACQUIRE) == seq)
			sched_yield();
	}
}

/* Interrupts */

__thread bool shim_irqs_off;
static struct llist_head irq_works[NR_CPUS];

static void do_irq_work(struct irq_work *work)
{
	__atomic_store_n(&work->busy, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&work->pending, false, __ATOMIC_SEQ_CST);
	work->func(work);
	__atomic_store_n(&work->busy, false, __ATOMIC_RELEASE);
}

static void do_irq_works(void)
{
	struct llist_node *list = llist_del_all(&irq_works[shim_cpu]);
	struct irq_work *work, *next;

	shim_irqs_off = true;
	preempt_disable();
	llist_for_each_entry_safe(work, next, list, node)
		do_irq_work(work);
	preempt_enable();
	shim_irqs_off = false;
}

void shim_interrupt(void)
{
	while (!shim_irqs_off && __atomic_load_n(&irq_works[shim_cpu].first, __ATOMIC_RELAXED))
		do_irq_works();
}

bool irq_work_queue_on(struct irq_work *work, int cpu)
{
	if (__atomic_exchange_n(&work->pending, true, __ATOMIC_SEQ_CST))
		return false;
	llist_add(&work->node, &irq_works[cpu]);
	if (cpu == shim_cpu)
		shim_interrupt();
	return true;
}

/* Its CPU still exists. */
void irq_work_sync(struct irq_work *work)
{
	while (__atomic_load_n(&work->pending, __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(&work->busy, __ATOMIC_ACQUIRE))
		sched_yield();
}

__thread void (*shim_nmi)(void *arg);
__thread bool shim_in_nmi;
static __thread void *nmi_arg;
static __thread unsigned int nmi_every, nmi_points;

void shim_set_nmi(void (*fn)(void *arg), void *arg, unsigned int every)
{
	shim_nmi = fn;
	nmi_arg = arg;
	nmi_every = every;
	nmi_points = 0;
}

void shim_do_nmi(void)
{
	void (*fn)(void *arg) = shim_nmi;
	bool irqs_off = shim_irqs_off;

	if (++nmi_points % nmi_every)
		return;
	/* Nothing interrupts it. */
	shim_nmi = NULL;
	shim_irqs_off = true;
	shim_in_nmi = true;
	fn(nmi_arg);
	shim_in_nmi = false;
	shim_irqs_off = irqs_off;
	shim_nmi = fn;
}

/* Threads */

int shim_online = 4;

struct task_struct {
	pthread_t thread;
	int cpu;
	int (*fn)(void *data);
	void *data;
	int result;
	bool stop;
};

static __thread struct task_struct *this_thread;
static struct task_struct *threads[NR_CPUS];

static void *run_thread(void *arg)
{
	struct task_struct *task = arg;

	this_thread = task;
	shim_cpu = task->cpu;
	task->result = task->fn(task->data);
	return NULL;
}

struct task_struct *kthread_run_on_cpu(int (*fn)(void *data), void *data, unsigned int cpu,
				       const char *name)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	task->cpu = cpu;
	task->fn = fn;
	task->data = data;
	threads[cpu] = task;
	if (pthread_create(&task->thread, NULL, run_thread, task))
		abort();
	return task;
}

struct task_struct *kthread_run(int (*fn)(void *data), void *data, const char *name, ...)
{
	unsigned int cpu = 1;

	/* CPU 0 is the one that calls this. */
	while (threads[cpu])
		cpu++;
	return kthread_run_on_cpu(fn, data, cpu, name);
}

int kthread_stop(struct task_struct *task)
{
	int result;

	__atomic_store_n(&task->stop, true, __ATOMIC_RELEASE);
	pthread_join(task->thread, NULL);
	result = task->result;
	threads[task->cpu] = NULL;
	free(task);
	return result;
}

bool kthread_should_stop(void)
{
	shim_interrupt();
	return __atomic_load_n(&this_thread->stop, __ATOMIC_ACQUIRE);
}

/* Formats that the kernel's printf has and C does not. */
static int print_address(char *buf, size_t size, const char *conv, const unsigned char *p)
{
	char text[INET6_ADDRSTRLEN];

	if (!strcmp(conv, "M"))
		return snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1], p[2],
				p[3], p[4], p[5]);
	inet_ntop(!strcmp(conv, "I4") ? AF_INET : AF_INET6, p, text, sizeof(text));
	return snprintf(buf, size, "%s", text);
}

int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int len;

	if (fmt[0] == '%' && fmt[1] == 'p' && fmt[2])
		len = print_address(buf, size, fmt + 2, va_arg(args, const unsigned char *));
	else
		len = vsnprintf(buf, size, fmt, args);
	if (!size)
		return 0;
	return min_t(size_t, len, size - 1);
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}

static void swap_bytes(char *a, char *b, size_t size)
{
	char tmp;

	while (size--) {
		tmp = *a;
		*a++ = *b;
		*b++ = tmp;
	}
}

static void sift(char *base, size_t i, size_t num, size_t size,
		 int (*cmp)(const void *a, const void *b, const void *priv), const void *priv)
{
	size_t child;

	for (; (child = 2 * i + 1) < num; i = child) {
		if (child + 1 < num &&
		    cmp(base + child * size, base + (child + 1) * size, priv) < 0)
			child++;
		if (cmp(base + i * size, base + child * size, priv) >= 0)
			return;
		swap_bytes(base + i * size, base + child * size, size);
	}
}

void sort_r_nonatomic(void *base, size_t num, size_t size,
		      int (*cmp)(const void *a, const void *b, const void *priv),
		      void (*swap)(void *a, void *b, int size, const void *priv),
		      const void *priv)
{
	size_t i;

	for (i = num / 2; i-- > 0;)
		sift(base, i, num, size, cmp, priv);
	for (i = num; i-- > 1;) {
		swap_bytes(base, (char *)base + i * size, size);
		sift(base, 0, i, size, cmp, priv);
	}
}

static int call_cmp(const void *a, const void *b, const void *priv)
{
	return (*(int (* const *)(const void *a, const void *b))priv)(a, b);
}

void sort_nonatomic(void *base, size_t num, size_t size,
		    int (*cmp)(const void *a, const void *b),
		    void (*swap)(void *a, void *b, int size))
{
	sort_r_nonatomic(base, num, size, call_cmp, NULL, &cmp);
}

static int parse_cpu(const char **p, unsigned long *cpu)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	*cpu = strtoul(*p, &end, 10);
	*p = end;
	return *cpu < NR_CPUS ? 0 : -ERANGE;
}

int cpulist_parse(const char *list, struct cpumask *m)
{
	unsigned long first, last;
	int err;

	m->bits = 0;
	for (;;) {
		err = parse_cpu(&list, &first);
		last = first;
		if (!err && *list == '-') {
			list++;
			err = parse_cpu(&list, &last);
		}
		if (err)
			return err;
		if (last < first)
			return -EINVAL;
		for (; first <= last; first++)
			m->bits |= 1UL << first;
		if (!*list)
			return 0;
		if (*list++ != ',')
			return -EINVAL;
	}
}
