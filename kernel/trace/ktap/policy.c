// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: which users may run which scripts, as the administrator has chosen in ktap/policy.
 */
#include <linux/array_size.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../trace.h"
#include "load/signature.h"
#include "policy.h"
#include "session.h"

/**
 * DOC: Policy
 *
 * By default the permissions of the opener decide what a script may do (permissions.c).
 * The administrator may choose that users without permissions can run scripts that are signed
 * (load/signature.c): whoever has signed a script has judged that it is harmless, as for a
 * program with file capabilities.  Such a script may do what CAP_PERFMON allows, but
 *
 * - it cannot trace programs: mounts of the user decide which file a path names, and the
 *   user tells the kernel where in it a function is (load/user_places.c).  So a user could
 *   choose any instruction of any program, and a breakpoint between two instructions
 *   changes what the program does;
 * - it cannot act on the system, because that needs the consent of a user with
 *   CAP_SYS_ADMIN.
 *
 * Arguments of the script are not signed: the script decides what they can do.
 *
 * With "signed-only" no user can run other scripts, not even root.  As for modules, that
 * lasts until the machine is rebooted.
 *
 * The mode of the file ktap/session says in any case who can open it at all.
 */

/* From the least strict one on */
enum policy {
	POLICY_PERMISSIONS,	/* what the opener's permissions allow */
	POLICY_SIGNED,		/* and signed scripts, without permissions */
	POLICY_SIGNED_ONLY,	/* only signed scripts */
};

static const char * const policy_names[] = {
	[POLICY_PERMISSIONS] = "permissions",
	[POLICY_SIGNED]	     = "signed",
	[POLICY_SIGNED_ONLY] = "signed-only",
};

static DEFINE_MUTEX(policy_lock);
static enum policy policy;	/* written with policy_lock held */

bool ktap_policy_opens(void)
{
	return READ_ONCE(policy) != POLICY_PERMISSIONS;
}

/*
 * Could the session have been opened under this policy?  That of own processes is for users who
 * may run scripts that are not signed.
 */
static bool policy_allowed_open(const struct ktap_session *s, enum policy demands)
{
	if (demands == POLICY_PERMISSIONS)
		return s->may_profile || s->filter.owner;
	return !s->filter.owner;
}

int ktap_policy_check(struct ktap_session *s)
{
	enum policy demands = READ_ONCE(policy);
	const char *why;
	int err;

	lockdep_assert_held(&s->lock);
	if (!policy_allowed_open(s, demands)) {
		ktap_diag(&s->diag,
			  "CAP_PERFMON is needed: ktap/policy has been changed since the session was opened");
		return -EPERM;
	}
	if (demands == POLICY_PERMISSIONS ||
	    (demands == POLICY_SIGNED && s->perfmon && s->may_profile))
		return 0;
	err = ktap_signature_check(s->chunk, s->chunk_size, &why);
	if (!err) {
		s->perfmon = true;
		WRITE_ONCE(s->is_signed, true);
		return 0;
	}
	if (demands == POLICY_SIGNED && s->may_profile)
		return 0;
	ktap_diag(&s->diag, "%s may run only signed scripts (ktap/policy): %s",
		  demands == POLICY_SIGNED ? "users without CAP_PERFMON" : "all users", why);
	return err == -ENOMEM ? err : -EPERM;
}

/* Print the names of the policies, the chosen one in brackets. */
static int policy_show(struct seq_file *m, void *unused)
{
	unsigned int i, chosen = READ_ONCE(policy);

	for (i = 0; i < ARRAY_SIZE(policy_names); i++)
		seq_printf(m, i == chosen ? "%s[%s]" : "%s%s", i ? " " : "", policy_names[i]);
	seq_putc(m, '\n');
	return 0;
}

/* Sessions that have loaded their script go on. */
static int policy_set(int chosen)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	guard(mutex)(&policy_lock);
	if (policy == POLICY_SIGNED_ONLY && chosen != POLICY_SIGNED_ONLY)
		return -EPERM;
	WRITE_ONCE(policy, chosen);
	return 0;
}

static int policy_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: single_open(file, policy_show, NULL);
}

static ssize_t policy_write(struct file *file, const char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	char name[16] = "";
	int chosen, err;

	/* No policy has such a long name. */
	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, ubuf, count))
		return -EFAULT;
	chosen = sysfs_match_string(policy_names, name);
	if (chosen < 0)
		return chosen;
	err = policy_set(chosen);
	return err ?: (ssize_t)count;
}

const struct file_operations ktap_policy_fops = {
	.open = policy_open,
	.read = seq_read,
	.write = policy_write,
	.llseek = seq_lseek,
	.release = single_release,
};
