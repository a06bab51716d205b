// SPDX-License-Identifier: GPL-2.0
/*
 * The part of the kernel's library that the headers in shim/ only declare.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>

unsigned long shim_fail_at;

/* A finding is no exit code of a script's. */
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

static bool fails(void)
{
	return shim_fail_at && !--shim_fail_at;
}

void *kvmalloc_array(size_t n, size_t size, gfp_t flags)
{
	size_t bytes;

	if (fails() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return malloc(bytes);
}

void *kvcalloc(size_t n, size_t size, gfp_t flags)
{
	return fails() ? NULL : calloc(n, size);
}

void kvfree(const void *p)
{
	free((void *)p);
}

/* Memory per CPU: in front of it stands where that of each CPU is. */

__thread int shim_cpu;

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

	for (cpu = 1; cpu < NR_CPUS; cpu++)
		free(percpu_of(p)->cpus[cpu]);
	free(percpu_of(p));
}

void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp)
{
	struct percpu *percpu = fails() ? NULL : calloc(1, sizeof(*percpu) + size);
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
	return percpu_of(p)->cpus[cpu];
}

/* Threads */

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

struct task_struct *kthread_run(int (*fn)(void *data), void *data, const char *name, ...)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	/* CPU 0 is the one that calls this. */
	for (task->cpu = 1; threads[task->cpu]; task->cpu++)
		;
	task->fn = fn;
	task->data = data;
	threads[task->cpu] = task;
	if (pthread_create(&task->thread, NULL, run_thread, task))
		abort();
	return task;
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
	return __atomic_load_n(&this_thread->stop, __ATOMIC_ACQUIRE);
}

/* What the kernel's printf has beyond C's: a format of its own. */
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
