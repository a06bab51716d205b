// SPDX-License-Identifier: GPL-2.0
/*
 * kstack and ustack, and their formats.
 *
 * The kernel shows its own frames, and the program ktap those of programs (tools/ktap/symbolize.c).
 * If a script has several formats of these, the text around each stack says which one it has.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* Those of programs, if the script has several */
#define BT_STACK_OF(frame, is_raw) [frame] = { \
	.kind = BT_STACK, .raw = is_raw, .frames = frame, .name = "ustack", .leaves = 1, \
}

static const struct bt_type bt_stack_types[] = {
	BT_STACK_OF(KTAP_FRAME_BPFTRACE, false), BT_STACK_OF(KTAP_FRAME_PERF, false),
	BT_STACK_OF(KTAP_FRAME_RAW, true), BT_STACK_OF(KTAP_FRAME_BUILD_ID, true),
};

bool bt_stack_mode(const char *name, enum ktap_user_frame *frames)
{
	static const char * const names[] = {
		[KTAP_FRAME_BPFTRACE] = "bpftrace", [KTAP_FRAME_PERF] = "perf",
		[KTAP_FRAME_RAW] = "raw", [KTAP_FRAME_BUILD_ID] = "build_id",
	};

	for (size_t i = KTAP_FRAME_BPFTRACE; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name))
			continue;
		*frames = i;
		return true;
	}
	return false;
}

const struct bt_type *bt_stack_type(struct bt_script *s, const char *name,
				    const struct bt_node *mode)
{
	enum ktap_user_frame frames = s->frames;

	if (mode && mode->kind == BN_NAME)
		bt_stack_mode(mode->text, &frames);
	if (*name == 'u' && s->several_frames)
		return &bt_stack_types[frames];
	if (*name == 'u')
		return frames == KTAP_FRAME_RAW || frames == KTAP_FRAME_BUILD_ID ?
		       &bt_raw_user_stack : &bt_stack;
	return frames == KTAP_FRAME_RAW ? &bt_raw_stack : &bt_stack;
}

/*
 * Note how stacks of programs are shown. Only the program ktap that compiles the script and shows
 * its text can show several formats.
 */
static void bt_stack_note(struct bt_script *s, struct pos pos, enum ktap_user_frame frames)
{
	if (s->frames_known && s->user_frames != frames) {
		if (!s->ends)
			bt_error(s, pos, "print(ustack(raw)) in a script of its own",
				 s->json ? "all ustack have one format in JSON" :
				 "all ustack have one format, unless ktap runs the script itself");
		s->several_frames = true;
		return;
	}
	s->user_frames = frames;
	s->frames_known = true;
}

static void bt_stack_find_in(struct bt_script *s, const struct bt_node *n)
{
	enum ktap_user_frame frames;

	for (; n; n = n->next) {
		frames = s->frames;
		if (n->kind == BN_CALL && n->a && n->a->kind == BN_NAME)
			bt_stack_mode(n->a->text, &frames);
		if ((n->kind == BN_NAME || n->kind == BN_CALL) && !strcmp(n->text, "ustack"))
			bt_stack_note(s, n->pos, frames);
		bt_stack_find_in(s, n->a);
		bt_stack_find_in(s, n->b);
		bt_stack_find_in(s, n->c);
	}
}

void bt_stack_find(struct bt_script *s)
{
	for (const struct bt_fn *fn = s->functions; fn; fn = fn->next)
		bt_stack_find_in(s, fn->body);
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		bt_stack_find_in(s, probe->filter);
		bt_stack_find_in(s, probe->body);
	}
}

const char *bt_stack_format(struct bt_script *s, const struct bt_type *t, const char *format)
{
	if (!t->frames)
		return format;
	return pool_printf(&s->cc->pool, "\\x1e%d\\x1f%s\\x1e%d\\x1f", t->frames, format,
			   s->user_frames);
}

/* kstack(perf, 5), kstack(5) */
void bt_stack_call(struct bt_script *s, const struct bt_node *n)
{
	enum ktap_user_frame frames = s->frames;
	const struct bt_node *mode = n->a;

	if (mode && mode->kind == BN_NAME) {
		if (!bt_stack_mode(mode->text, &frames) ||
		    (*n->text == 'k' && frames == KTAP_FRAME_BUILD_ID))
			bt_error(s, mode->pos, *n->text == 'k' ? "bpftrace, perf and raw" :
				 "bpftrace, perf, raw and build_id",
				 "stacks have no format '%s'", mode->text);
		mode = mode->next;
	}
	bt_put(s, n->pos, mode ? "%s(" : "%s(" BT_FRAMES, n->text);
	bt_leaves(s, mode, false);
	bt_put(s, n->pos, ")");
}

/* A name alone, unless the script also has stacks of programs */
void bt_stack_usym(struct bt_script *s, const struct bt_node *n)
{
	if (!s->frames_known)
		s->user_frames = KTAP_FRAME_NAME;
	bt_call_template(s, n, "usym(%1)");
}
