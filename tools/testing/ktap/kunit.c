// SPDX-License-Identifier: GPL-2.0
/*
 * kunit [TEXT...]: run the linked KUnit suites, or only the tests that have a TEXT in
 * their names.  Prints "ok NAME", "ok NAME # SKIP WHY" or "not ok NAME" for each.
 * KUNIT_STOP=1 in the environment: the first test that fails is the last one.
 */
#include <stdarg.h>
#include <stdlib.h>

#include <kunit/test.h>

struct kunit_action {
	struct kunit_action *next;
	void (*fn)(void *arg);
	void *arg;
};

/* Numbers of tests */
struct tally {
	unsigned int passed;
	unsigned int failed;
	unsigned int skipped;
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

static void run(const struct kunit_case *c, const void *param, const char *name, struct tally *n)
{
	struct kunit test = { .param_value = param };
	struct kunit_action *a;

	if (!setjmp(test.abort))
		c->run(&test);
	while ((a = test.actions)) {
		test.actions = a->next;
		a->fn(a->arg);
		free(a);
	}
	if (test.failed) {
		printf("not ok %s\n", name);
		n->failed++;
	} else if (*test.skipped) {
		printf("ok %s # SKIP %s\n", name, test.skipped);
		n->skipped++;
	} else {
		printf("ok %s\n", name);
		n->passed++;
	}
	fflush(stdout);
}

static int end(const struct tally *n)
{
	printf("%u passed, %u failed, %u skipped\n", n->passed, n->failed, n->skipped);
	return n->failed != 0;
}

static bool is_meant(const char *name, char **texts)
{
	bool any = !*texts;

	for (; *texts && !any; texts++)
		any = strstr(name, *texts);
	return any;
}

/* Run it once for each parameter. */
static void run_case(const struct kunit_suite *s, const struct kunit_case *c, char **texts,
		     struct tally *n)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "", name[256 + sizeof(desc)];
	const void *param = NULL;

	for (;;) {
		if (c->generate_params) {
			param = c->generate_params(param, desc);
			if (!param)
				break;
		}
		snprintf(name, sizeof(name), "%s.%s%s%s", s->name, c->name, *desc ? "." : "", desc);
		if (is_meant(name, texts))
			run(c, param, name, n);
		if (n->failed && getenv("KUNIT_STOP"))
			exit(end(n));
		if (!c->generate_params)
			break;
	}
}

int main(int argc, char **argv)
{
	const struct kunit_suite *s;
	const struct kunit_case *c;
	struct tally n = { 0 };

	for (s = suites; s; s = s->next) {
		for (c = s->test_cases; c->run; c++)
			run_case(s, c, argv + 1, &n);
	}
	return end(&n);
}
