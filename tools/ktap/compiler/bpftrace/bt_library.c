// SPDX-License-Identifier: GPL-2.0
/* Functions of the library of bpftrace that are macros, or that ask for the type of a value. */
#include <stdlib.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

static const struct {
	const char *name;
	const char *text;
} bt_library[] = {
	{ "find", "macro find(@map, key, $value) { let $key = key; "
	  "if (has_key(@map, $key)) { $value = @map[$key]; true } else { false } }" },
	{ "memcmp", "macro memcmp(left, right, count) { let $left = buf(left, count); "
	  "let $right = buf(right, count); $left == $right ? 0 : ($left < $right ? -1 : 1) }" },
	{ "assert_str", "macro assert_str(v) { "
	  "static_assert(is_str(v) || is_array(v) || is_ptr(v), \"no string or pointer\"); }" },
	{ "default_str_length", "macro default_str_length() { config().max_strlen }" },
	{ "strcap", "macro strcap(value) { sizeof(value) }" },
};

void bt_library_add(struct bt_script *s, const char *name)
{
	struct bt_parser p = { .cc = s->cc, .script = s };
	struct ktap_script file = { .name = "stdlib" };
	struct bt_macro **added = s->last_macro;

	for (size_t i = 0; i < ARRAY_SIZE(bt_library); i++) {
		if (strcmp(bt_library[i].name, name) || s->cc->diag.nfiles == KTAP_MAX_FILES)
			continue;
		file.len = strlen(bt_library[i].text);
		file.text = strdup(bt_library[i].text);
		if (!file.text)
			return;
		bt_lex_init(&p.lx, s->cc, diag_add_file(&s->cc->diag, &file));
		bt_next(&p);
		bt_parse_items(&p);
		for (struct bt_macro *macro = *added; macro; macro = macro->next)
			macro->library = true;
	}
}

/* is_str(x) and others: true or false, by the type of the value */
void bt_is_of_type(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	const char *what = n->text + strlen("is_");
	bool is = false;

	if (!strcmp(what, "literal"))
		is = n->a->kind == BN_INT || n->a->kind == BN_STR || n->a->kind == BN_BOOL ||
		     (n->a->kind == BN_UNARY && *n->a->op == '-' && n->a->a->kind == BN_INT);
	else if (!strcmp(what, "str"))
		is = t->kind == BT_STRING;
	else if (!strcmp(what, "ptr"))
		is = t->kind == BT_POINTER;
	else if (!strcmp(what, "array"))
		is = t->kind == BT_ARRAY;
	else if (!strcmp(what, "unsigned_integer"))
		is = t->kind == BT_ANY || (t->kind == BT_INTEGER && t->is_unsigned);
	else
		is = t->kind == BT_ANY || t->kind == BT_INTEGER || t->kind == BT_ENUM;
	bt_put(s, n->pos, is ? "true" : "false");
}
