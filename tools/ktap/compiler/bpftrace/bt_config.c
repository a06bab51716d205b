// SPDX-License-Identifier: GPL-2.0
/* config = { key = value }, and the variables of the environment with the same names. */
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* A value as it is written, without quotes */
static void bt_set_silent(struct bt_script *s, const char *value)
{
	s->silent = !strcmp(value, "false") || !strcmp(value, "0");
}

static void bt_set_lines(struct bt_script *s, const char *value)
{
	s->lines = strcmp(value, "false") && strcmp(value, "0");
}

static void bt_set_max_keys(struct bt_script *s, const char *value)
{
	s->max_keys = strtoll(value, NULL, 0);
}

static void bt_set_stack_mode(struct bt_script *s, const char *value)
{
	bt_stack_mode(value, &s->frames);
}

static void bt_set_strlen(struct bt_script *s, const char *value)
{
	s->strlen = strtoll(value, NULL, 0);
}

static void bt_set_cat(struct bt_script *s, const char *value)
{
	s->cat_bytes = strtoull(value, NULL, 0);
}

static void bt_set_trailer(struct bt_script *s, const char *value)
{
	if (!strpbrk(value, "\"\\\n"))
		s->trailer = value;
}

static void bt_set_series(struct bt_script *s, const char *value)
{
	s->no_series = !strcmp(value, "error");
}

static void bt_set_missing(struct bt_script *s, const char *value)
{
	s->missing = !strcmp(value, "warn") ? BT_MISSING_WARN :
		     !strcmp(value, "ignore") ? BT_MISSING_IGNORE : BT_MISSING_ERROR;
}

/* The kernel asks scripts of ktap for no license, but bpftrace asks for one of these. */
static bool bt_is_license(const char *value)
{
	static const char * const licenses[] = {
		"GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL",
		"Dual MPL/GPL",
	};

	for (size_t i = 0; i < ARRAY_SIZE(licenses); i++)
		if (!strcmp(licenses[i], value))
			return true;
	return false;
}

/* Keys without a function are accepted and have no meaning here. */
static const struct {
	const char *key;
	void (*set)(struct bt_script *s, const char *value);
	const char *value;	/* the default of bpftrace */
} bt_config_keys[BT_CONFIG_KEYS] = {
	{ "cache_user_symbols", NULL, "PER_PID" },
	{ "cpp_demangle", NULL, "1" },
	{ "enum_format", NULL, "symbolic" },
	{ "kprobe_multi", NULL, "1" },
	{ "lazy_symbolication", NULL, "0" },
	{ "license", NULL, "GPL" },
	{ "log_size", NULL, "1000000" },
	{ "max_bpf_progs", NULL, "1024" },
	{ "max_cat_bytes", bt_set_cat, "10240" },
	{ "max_map_keys", bt_set_max_keys, "4096" },
	{ "max_probes", NULL, "1024" },
	{ "max_strlen", bt_set_strlen, "1024" },
	{ "max_type_res_iterations", NULL, "0" },
	{ "missing_probes", bt_set_missing, "error" },
	{ "on_stack_limit", NULL, "32" },
	{ "perf_rb_pages", NULL, "0" },
	{ "print_maps_on_exit", bt_set_silent, "1" },
	{ "show_debug_info", bt_set_lines, "0" },
	{ "stack_mode", bt_set_stack_mode, "bpftrace" },
	{ "str_trunc_trailer", bt_set_trailer, ".." },
	{ "symbol_source", NULL, "dwarf" },
	{ "unstable_dw_ustack", NULL, "warn" },
	{ "unstable_import", NULL, "warn" },
	{ "unstable_import_statement", NULL, "warn" },
	{ "unstable_macro", NULL, "warn" },
	{ "unstable_map_decl", NULL, "warn" },
	{ "unstable_tseries", bt_set_series, "warn" },
	{ "unstable_typeinfo", NULL, "warn" },
	{ "uprobe_multi", NULL, "1" },
	{ "use_blazesym", NULL, "1" },
	{ "verify_llvm_ir", NULL, "0" },
};

#define BT_PREFIX	"BPFTRACE_"
#define BT_BUILTIN	"__builtin_"

static void bt_config_set(struct bt_parser *p, const char *key, struct pos pos, const char *value,
			  uint32_t end)
{
	size_t skip = strncmp(key, BT_PREFIX, strlen(BT_PREFIX)) ? 0 : strlen(BT_PREFIX);

	for (size_t i = 0; i < ARRAY_SIZE(bt_config_keys); i++) {
		if (strcasecmp(bt_config_keys[i].key, key + skip))
			continue;
		if (!strcmp(bt_config_keys[i].key, "license") && !bt_is_license(value))
			diag_error(&p->cc->diag, pos,
				   "Invalid value for license. Found: %s. Valid values: Dual MIT/GPL, Dual BSD/GPL, Dual MPL/GPL, GPL and additional rights, GPL v2, GPL.",
				   value);
		p->script->config[i] = value;
		if (bt_config_keys[i].set)
			bt_config_keys[i].set(p->script, value);
		return;
	}
	diag_error(&p->cc->diag, pos, "%s: not a known configuration option", key + skip);
	diag_end(&p->cc->diag, end);
}

void bt_parse_config(struct bt_parser *p)
{
	struct bt_token key, value;

	bt_next(p);
	bt_accept(p, "=");
	bt_expect(p, "{");
	while (!p->failed && !bt_is(p, "}")) {
		key = p->tok;
		if (key.kind != BT_NAME)
			bt_fail(p, key.pos, NULL, "expected a key, found '%s'", bt_found(p));
		bt_next(p);
		bt_expect(p, "=");
		value = p->tok;
		if (value.kind == BT_STR)
			value.text = pool_strndup(&p->cc->pool, value.text + 1,
						  strlen(value.text) - 2);
		bt_next(p);
		if (!p->cc->diag.nerrors)
			bt_config_set(p, key.text, key.pos, value.text, p->last.col);
		if (!bt_accept(p, ";") && !bt_accept(p, ",") && !bt_is(p, "}"))
			bt_expect(p, ";");
	}
	bt_expect(p, "}");
}

/* The environment is stronger than the script. */
void bt_config_environment(struct bt_script *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_config_keys); i++) {
		char name[64] = BT_PREFIX;
		const char *value;

		for (size_t n = 0; bt_config_keys[i].key[n]; n++)
			name[strlen(BT_PREFIX) + n] =
				bt_config_keys[i].key[n] >= 'a' && bt_config_keys[i].key[n] <= 'z' ?
				bt_config_keys[i].key[n] - 'a' + 'A' : bt_config_keys[i].key[n];
		value = getenv(name);
		if (value)
			s->config[i] = value;
		if (value && bt_config_keys[i].set)
			bt_config_keys[i].set(s, value);
	}
}

uint64_t bt_default_strlen(const struct bt_script *s)
{
	return s->strlen > 0 ? s->strlen : 1024;
}

bool bt_config_value(struct bt_script *s, const struct bt_node *n)
{
	const char *value, *name = n->a->kind == BN_CALL || n->a->kind == BN_NAME ? n->a->text : "";
	bool number;

	if (strcmp(name, "config") && strcmp(name, BT_BUILTIN "config"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(bt_config_keys); i++) {
		if (strcmp(bt_config_keys[i].key, n->text))
			continue;
		value = s->config[i] ? s->config[i] : bt_config_keys[i].value;
		number = value[strspn(value, "0123456789")] == '\0';
		bt_put(s, n->pos, number ? "%s" : "\"%s\"", value);
		return true;
	}
	bt_error(s, n->pos, NULL, "'%s' is no key of bpftrace's config", n->text);
	return true;
}
