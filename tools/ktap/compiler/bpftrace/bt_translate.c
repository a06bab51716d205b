// SPDX-License-Identifier: GPL-2.0
/* The translation of a script of bpftrace, for the compiler and as a script of its own. */
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"

/* How many probes does bpftrace say that it attaches? */
static void bt_count_probes(const struct bt_script *s, struct ktap_bpftrace_probes *probes)
{
	*probes = (struct ktap_bpftrace_probes) {
		.frames = s->user_frames, .several_frames = s->several_frames,
		.lines = s->lines, .cat_bytes = s->cat_bytes,
		.params = s->params, .signals = s->signals,
		.of_process = bt_events_of_process(s),
	};
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		for (const struct bt_event *event = probe->events; event; event = event->next)
			++*(bt_event_is_edge(event) ? &probes->others : &probes->events);
}

struct translation *bpftrace_translate(struct compiler *cc)
{
	struct bt_script s = {
		.cc = cc, .frames = KTAP_FRAME_BPFTRACE,
		.json = cc->opts->bpftrace_output == KTAP_BPFTRACE_JSON,
		.ends = cc->opts->bpftrace_output == KTAP_BPFTRACE_TEXT,
	};

	s.out = pool_alloc(&cc->pool, sizeof(*s.out));
	bt_parse(&s);
	bt_config_environment(&s);
	if (!cc->diag.nerrors)
		bt_find_missing(&s);
	if (!cc->diag.nerrors)
		bt_declare(&s);
	bt_fn_name(&s);
	if (!cc->diag.nerrors)
		bt_expand_macros(&s);
	if (!cc->diag.nerrors)
		bt_stack_find(&s);
	if (!cc->diag.nerrors)
		bt_split_probes(&s);
	if (!cc->diag.nerrors)
		bt_program_types(&s);
	if (!cc->diag.nerrors)
		bt_find_maps(&s);
	if (!cc->diag.nerrors)
		bt_lower(&s);
	bt_check_command(&s);
	if (cc->opts->bpftrace_probes)
		bt_count_probes(&s, cc->opts->bpftrace_probes);
	/* the translation declares them again */
	cc->cdefs = NULL;
	return cc->diag.nerrors ? NULL : s.out;
}

/* The text of the translation, or NULL after errors. */
static char *bt_translate_text(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			   size_t *len)
{
	struct compiler cc;
	char *text = NULL;

	compiler_begin(&cc, src, opts);
	cc.translation = bpftrace_translate(&cc);
	if (cc.translation) {
		*len = cc.translation->len;
		text = malloc(*len + 1);
		if (text)
			memcpy(text, cc.translation->text, *len);
		else
			fputs("no memory for the text of the script\n", opts->diag);
	}
	compiler_end(&cc);
	return text;
}

char *ktap_from_bpftrace(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			 size_t *len)
{
	struct ktap_compile_opts plain = *opts;
	struct ktap_script script = *src;
	char *text;

	plain.bpftrace = false;
	script.text = bt_translate_text(src, opts, &script.len);
	text = script.text ? ktap_format(&script, &plain, len) : NULL;
	free((void *)script.text);
	return text;
}

/* Report events that are wrong. */
static void bt_check_events(struct bt_script *s)
{
	enum bt_place place;

	for (s->probe = s->probes; s->probe; s->probe = s->probe->next)
		for (const struct bt_event *event = s->probe->events; event; event = event->next)
			bt_event(s, event, &place);
}

bool ktap_bpftrace_events(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			  ktap_listed_fn fn, void *ctx)
{
	struct compiler cc;
	struct bt_script s = { .cc = &cc };
	const char *rest, *kind;
	bool good;

	compiler_begin(&cc, src, opts);
	bt_parse(&s);
	if (!cc.diag.nerrors)
		bt_check_events(&s);
	good = !cc.diag.nerrors;
	for (const struct bt_probe *probe = s.probes; good && probe; probe = probe->next)
		for (const struct bt_event *event = probe->events; event; event = event->next) {
			kind = bt_event_kind(event, &rest);
			fn(ctx, kind, rest);
		}
	compiler_end(&cc);
	return good;
}

bool ktap_bpftrace_explain(const struct ktap_script *src, const struct ktap_compile_opts *opts)
{
	struct compiler cc;
	struct bt_script s = { .cc = &cc, .refused = true };
	bool found;

	compiler_begin(&cc, src, opts);
	bt_parse(&s);
	bt_config_environment(&s);
	if (!cc.diag.nerrors)
		bt_find_missing(&s);
	found = cc.diag.nerrors;
	compiler_end(&cc);
	return found;
}
