// SPDX-License-Identifier: GPL-2.0
/*
 * kunit [TEXT...]: runs the KUnit suites linked in, or those of their tests that
 * have a TEXT in their names.  Prints "ok NAME" or "not ok NAME" for each.
 */
#include <stdarg.h>
#include <stdlib.h>

#include <kunit/test.h>

struct kunit_action {
	struct kunit_action *next;
	void (*fn)(void *arg);
	void *arg;
};

static struct kunit_suite *suites;

void kunit_add_suite(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

static void free_it(void *p)
{
	free(p);
}

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	void *p = calloc(1, size);

	kunit_add_action_or_reset(test, free_it, p);
	return p;
}

int kunit_add_action_or_reset(struct kunit *test, void (*fn)(void *), void *arg)
{
	struct kunit_action *a = malloc(sizeof(*a));

	*a = (struct kunit_action){ test->actions, fn, arg };
	test->actions = a;
	return 0;
}

void kunit_fail(struct kunit *test, bool end, const char *file, int line, const char *what,
		const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	printf("# %s:%d: %s: ", file, line, what);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	if (end)
		longjmp(test->abort, 1);
}

static bool run(const struct kunit_case *c)
{
	struct kunit test = { };
	struct kunit_action *a;

	if (!setjmp(test.abort))
		c->run(&test);
	while ((a = test.actions)) {
		test.actions = a->next;
		a->fn(a->arg);
		free(a);
	}
	return !test.failed;
}

static bool is_meant(const char *name, char **texts)
{
	bool any = !*texts;

	for (; *texts && !any; texts++)
		any = strstr(name, *texts);
	return any;
}

int main(int argc, char **argv)
{
	const struct kunit_suite *s;
	const struct kunit_case *c;
	unsigned int passed = 0, failed = 0;
	char name[256];

	for (s = suites; s; s = s->next) {
		for (c = s->test_cases; c->run; c++) {
			snprintf(name, sizeof(name), "%s.%s", s->name, c->name);
			if (!is_meant(name, argv + 1))
				continue;
			if (run(c)) {
				printf("ok %s\n", name);
				passed++;
			} else {
				printf("not ok %s\n", name);
				failed++;
			}
			fflush(stdout);
		}
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
