/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in user programs as events: shared by uprobe_attach.c, which attaches them,
 * uprobe_args.c, which knows the data that a probe asks for, and uprobe_find.c.
 */
#ifndef _KTAP_UPROBE_ARGS_H
#define _KTAP_UPROBE_ARGS_H

#include <linux/path.h>
#include <linux/uprobes.h>

#include "event/source.h"

struct ktap_uplace;

/**
 * struct ktap_ukeep - keeps an argument until the return
 * @uc: what the kernel calls
 * @uprobe: NULL: it is not registered
 * @at: which function
 * @n: which of &ktap_upoint.kept
 */
struct ktap_ukeep {
	struct uprobe_consumer uc;
	struct uprobe *uprobe;
	struct ktap_uplace *at;
	unsigned int n;
};

/**
 * struct ktap_uplace - a place that a probe waits for
 * @uc: what the kernel calls
 * @uprobe: NULL: it is not registered
 * @u: the probe's point
 * @inode: the file, pinned by one of &ktap_upoint.files
 * @place: where in the file
 * @keeps: of a return: &ktap_upoint.nkept - 1 of them, for all kept arguments but
 *	the first
 */
struct ktap_uplace {
	struct uprobe_consumer uc;
	struct uprobe *uprobe;
	struct ktap_upoint *u;
	struct inode *inode;
	const struct ktap_user_place *place;
	struct ktap_ukeep *keeps;
};

/**
 * struct ktap_ureturn - arguments on their way to the handler of the return
 * @owner: the thread that returns; NULL: this is free
 * @at: from which function
 * @have: which of @args are there
 * @args: by number in &ktap_upoint.kept
 */
struct ktap_ureturn {
	struct task_struct *owner;
	const struct ktap_uplace *at;
	u16 have;
	u64 args[KTAP_USER_ARGS];
};

/**
 * struct ktap_upoint - the places in programs that a probe waits for
 * @point: the part that all sources have
 * @ret: for the return of functions
 * @marker: they are markers, whose arguments are described
 * @exact: the script asks for one place: it must be had
 * @strings: handlers may read strings that arguments point to
 * @bytes: they may read other memory that these point to
 * @joins: they may read strings of an array of pointers
 * @follows: one of these three
 * @wanted: by bit: arguments that handlers may ask for
 * @in_regs: those of @wanted that need not be read before a handler asks for them: in a
 *	program with words of the kernel's size they are in registers
 * @nkept: of a return: entries of @kept
 * @kept: of a return: which arguments are kept until then
 * @fields: by field of the program: what it is
 * @files: files, opened
 * @nfiles: entries of @files
 * @own: the place, if the script itself has its offset
 * @places: the places, by file and offset
 * @nplaces: entries of @places
 * @keeps: of all @places
 * @skipped: places that cannot be probed
 * @touched: something was registered, and uprobe_unregister_sync() is due
 * @returning: see struct ktap_ureturn; NULL without @keeps
 * @nreturning: entries of @returning
 * @missed: returns that the kernel does not watch, or of unknown arguments
 */
struct ktap_upoint {
	struct ktap_point point;
	bool ret;
	bool marker;
	bool exact;
	bool strings;
	bool bytes;
	bool joins;
	bool follows;
	u16 wanted;
	u16 in_regs;
	u8 nkept;
	u8 kept[KTAP_USER_ARGS];
	u8 *fields;
	struct path *files;
	unsigned int nfiles;
	struct ktap_user_place *own;
	struct ktap_uplace *places;
	unsigned int nplaces;
	struct ktap_ukeep *keeps;
	unsigned int skipped;
	bool touched;
	struct ktap_ureturn *returning;
	unsigned int nreturning;
	atomic_long_t missed;
};

/**
 * struct ktap_uhit - a place was reached, or a function has returned
 * @hit: the part that all sources have
 * @at: which place
 * @regs: the process's registers
 * @ip: where the place is in the memory of the process
 * @have: by bit: which of @args are there
 * @late: by bit: which arguments are read from @regs when a handler asks for them
 * @args: the arguments
 */
struct ktap_uhit {
	struct ktap_hit hit;
	const struct ktap_uplace *at;
	struct pt_regs *regs;
	unsigned long ip;
	u16 have;
	u16 late;
	u64 args[KTAP_USER_ARGS];
};

extern const struct ktap_event_ops ktap_user_ops;

/* uprobe_args.c */
bool ktap_user_argument(struct pt_regs *regs, unsigned int n, u64 *value);
bool ktap_user_arguments(struct ktap_uhit *h);
bool ktap_uprobe_bring_in(const struct ktap_uhit *h);
int ktap_user_init(struct ktap_upoint *u, const struct ktap_program *prog);
bool ktap_user_has(const struct ktap_point *point, enum ktap_part part, u32 n);

/* uprobe_find.c */
int ktap_user_find(struct ktap_vm *vm, struct ktap_upoint *u);

#endif /* _KTAP_UPROBE_ARGS_H */
