// SPDX-License-Identifier: GPL-2.0
/*
 * Find places in programs by the text of an event.  The program ktap has looked up symbols
 * and markers (see user_places.h); an offset in a file needs no lookup.
 */
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "session.h"
#include "user/uprobe_args.h"

/**
 * struct uprobe_find_spelling - the parts of an event's text
 * @text: a copy of the event, cut to pieces
 * @path: a file
 * @place: the part after @path
 * @ret: the event is a return
 */
struct uprobe_find_spelling {
	char *text;
	char *path;
	char *place;
	bool ret;
};

static const char * const prefixes[] = { "probe:", "uprobe:", "uretprobe:" };

static bool uprobe_find_is_return(const char *event)
{
	size_t len = strlen(event), suffix = strlen("%return");

	return strstarts(event, "uretprobe:") ||
	       (len > suffix && !strcmp(event + len - suffix, "%return"));
}

static bool uprobe_find_is_marker(const char *event)
{
	return strstarts(event, "sdt:") || strstarts(event, "usdt:");
}

/* Split "PREFIX:PATH:PLACE[%return]"; false if the event is of another form. */
static bool uprobe_find_spell(struct uprobe_find_spelling *sp)
{
	size_t len = strlen(sp->text), suffix = strlen("%return");
	unsigned int i;
	char *colon;

	if (sp->ret && !strcmp(sp->text + max(len, suffix) - suffix, "%return"))
		sp->text[len - suffix] = '\0';
	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strstarts(sp->text, prefixes[i]))
			sp->path = sp->text + strlen(prefixes[i]);
	}
	colon = sp->path ? strrchr(sp->path, ':') : NULL;
	if (!colon || *sp->path != '/')
		return false;
	*colon = '\0';
	sp->place = colon + 1;
	return true;
}

static const char *uprobe_find_why_no_path(int err)
{
	switch (err) {
	case -ENOMEM:
		return "no memory";
	case -EACCES:
		return "you may not search one of its directories";
	case -ENOTDIR:
		return "a part of the path before a slash is no directory";
	case -ELOOP:
		return "too many symbolic links";
	case -ENAMETOOLONG:
		return "its name is too long";
	}
	return "its file system does not let it";
}

static int uprobe_find_open_file(struct ktap_vm *vm, struct ktap_upoint *u, const char *name,
				 struct inode **inode)
{
	const char *event = u->point.probe->event;
	struct path path;
	int err;

	err = kern_path(name, LOOKUP_FOLLOW, &path);
	if (err == -ENOENT)
		return ktap_vm_error(vm, err, "'%s': there is no file '%s'", event, name);
	if (err)
		return ktap_vm_error(vm, err, "'%s': file '%s' cannot be opened: %s", event, name,
				     uprobe_find_why_no_path(err));
	*inode = d_real_inode(path.dentry);
	if (!S_ISREG((*inode)->i_mode)) {
		path_put(&path);
		return ktap_vm_error(vm, -EINVAL, "'%s': '%s' is not a program, nor a library",
				     event, name);
	}
	u->files[u->nfiles++] = path;
	return 0;
}

static void uprobe_find_add_place(struct ktap_upoint *u, struct inode *inode,
				  const struct ktap_user_place *place)
{
	if (place->offset >= i_size_read(inode)) {
		u->skipped++;
		return;
	}
	u->places[u->nplaces++] = (struct ktap_uplace){
		.u = u,
		.inode = inode,
		.place = place,
	};
}

static bool uprobe_find_make_room(struct ktap_upoint *u, unsigned int nfiles, unsigned int nplaces)
{
	u->files = kvcalloc(nfiles, sizeof(*u->files), KTAP_GFP);
	u->places = kvcalloc(nplaces, sizeof(*u->places), KTAP_GFP);
	return u->files && u->places;
}

static int uprobe_find_by_place(const void *a, const void *b)
{
	const struct ktap_uplace *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	if (x->place->offset != y->place->offset)
		return x->place->offset < y->place->offset ? -1 : 1;
	return 0;
}

/* Remove duplicates: a file may have several paths. */
static void uprobe_find_tidy(struct ktap_upoint *u)
{
	unsigned int i, n = 0;

	sort(u->places, u->nplaces, sizeof(*u->places), uprobe_find_by_place, NULL);
	for (i = 0; i < u->nplaces; i++) {
		if (!n || uprobe_find_by_place(&u->places[n - 1], &u->places[i]))
			u->places[n++] = u->places[i];
	}
	u->nplaces = n;
}

static int uprobe_find_resolved(struct ktap_vm *vm, struct ktap_upoint *u)
{
	const struct ktap_user_places *places = &u->point.probe->session->user_places;
	const char *event = u->point.probe->event;
	const struct ktap_user_event *a = NULL;
	const struct ktap_user_place *place;
	unsigned int nfiles = 0, n = 0;
	const char *message = NULL;
	struct inode *inode;
	int err;

	while ((a = ktap_user_event_find(places, a, event))) {
		message = message ?: a->message;
		nfiles += !!a->path;
		for (place = a->places; place; place = place->next)
			n++;
	}
	if (!n && message)
		return ktap_vm_error(vm, -ENOENT, "%s", message);
	if (!n)
		return ktap_vm_error(vm, -ENOENT, "'%s': the program ktap has found no place",
				     event);
	if (!uprobe_find_make_room(u, nfiles, n))
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	while ((a = ktap_user_event_find(places, a, event))) {
		if (!a->places)
			continue;
		err = uprobe_find_open_file(vm, u, a->path, &inode);
		if (err)
			return err;
		for (place = a->places; place; place = place->next)
			uprobe_find_add_place(u, inode, place);
	}
	u->exact = n == 1;
	return 0;
}

static int uprobe_find_offset(struct ktap_vm *vm, struct ktap_upoint *u,
			      const struct uprobe_find_spelling *sp, u64 offset)
{
	size_t size = strlen(sp->place) + 1;
	struct ktap_user_place *place;
	struct inode *inode;
	int err;

	place = kzalloc(sizeof(*place) + size, KTAP_GFP);
	if (!place || !uprobe_find_make_room(u, 1, 1)) {
		kfree(place);
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	}
	u->own = place;
	place->offset = offset;
	place->name = memcpy(place + 1, sp->place, size);
	place->name_len = min(size - 1, KTAP_MAX_STRLEN);
	err = uprobe_find_open_file(vm, u, sp->path, &inode);
	if (err)
		return err;
	uprobe_find_add_place(u, inode, place);
	u->exact = true;
	return 0;
}

static const char lookup[] = "are looked up by the program ktap; "
			     "without it write the offset: uprobe:PATH:0xOFFSET";

static int uprobe_find_spelled(struct ktap_vm *vm, struct ktap_upoint *u)
{
	const char *event = u->point.probe->event;
	struct uprobe_find_spelling sp = { .ret = u->ret };
	unsigned long long offset;
	int err;

	if (u->marker)
		return ktap_vm_error(vm, -ENOENT, "'%s': markers %s", event, lookup);
	sp.text = kstrdup(event, KTAP_GFP);
	if (!sp.text)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	if (!uprobe_find_spell(&sp) || kstrtoull(sp.place, 0, &offset) || offset > S64_MAX)
		err = ktap_vm_error(vm, -ENOENT, "'%s': the symbols of a program %s", event,
				    lookup);
	else
		err = uprobe_find_offset(vm, u, &sp, offset);
	kfree(sp.text);
	return err;
}

/* Limit the places of a session, because each of them takes memory of the kernel. */
static int uprobe_find_check_number(struct ktap_vm *vm, const struct ktap_upoint *u)
{
	const struct ktap_session *s = u->point.probe->session;
	const struct ktap_point *point;
	u64 n = u->nplaces;

	list_for_each_entry(point, &s->points, list) {
		if (point->source == &ktap_uprobe_source && point != &u->point)
			n += point->nevents;
	}
	if (n <= KTAP_MAX_USER_PLACES)
		return 0;
	return ktap_vm_error(vm, -E2BIG, "'%s': more than %d places in programs in one script",
			     u->point.probe->event, KTAP_MAX_USER_PLACES);
}

/**
 * ktap_user_find() - Find the places of an event
 * @vm: for errors
 * @u: gets the places, and the kind of the event
 *
 * Context: process, in the mount namespace of the task that writes the session.
 * Return: 0, or a negative errno with the error set.  The source frees what @u has by then.
 */
int ktap_user_find(struct ktap_vm *vm, struct ktap_upoint *u)
{
	const struct ktap_probe *probe = u->point.probe;
	int err;

	u->ret = uprobe_find_is_return(probe->event);
	u->marker = uprobe_find_is_marker(probe->event);
	if (u->ret && u->marker)
		return ktap_vm_error(vm, -EINVAL, "'%s': a marker does not return", probe->event);
	if (ktap_user_event_find(&probe->session->user_places, NULL, probe->event))
		err = uprobe_find_resolved(vm, u);
	else
		err = uprobe_find_spelled(vm, u);
	if (err)
		return err;
	uprobe_find_tidy(u);
	if (!u->nplaces)
		return ktap_vm_error(vm, -EINVAL, "'%s': %s beyond the end of the file",
				     probe->event, u->exact ? "that is" : "all of it is");
	return uprobe_find_check_number(vm, u);
}
