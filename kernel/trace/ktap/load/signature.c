// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of chunks.
 */
#include <linux/errno.h>
#include <linux/verification.h>
#include <asm/byteorder.h>
#include <uapi/linux/ktap.h>

#include "load/signature.h"

/**
 * DOC: Signatures
 *
 * A chunk may be signed: its section %KTAP_SEC_SIGNATURE is a detached PKCS#7 signature,
 * in DER, of all bytes before it, the header and the table of sections among them.  It is
 * the last section and ends with the chunk, so that no byte of the chunk but its own is
 * outside of what is signed.  (Reordering it, or adding bytes after it, changes the header,
 * which is signed.)
 *
 * The kernel's own code verifies it against the built-in and the secondary trusted keys,
 * as for modules.  It is verified before anything else of the chunk is decoded: users
 * who may run only signed chunks cannot reach the decoder or the verifier with others.
 */

/* Return the table's entry of the signature; NULL if there is none. */
static const struct ktap_section *signature_find(const void *chunk, size_t len)
{
	const struct ktap_header *h = chunk;
	const struct ktap_section *section = chunk + sizeof(*h);
	u32 i, n;

	if (len < sizeof(*h))
		return NULL;
	n = le32_to_cpu(h->nsections);
	if (n > (len - sizeof(*h)) / sizeof(*section))
		return NULL;
	for (i = 0; i < n; i++) {
		if (le32_to_cpu(section[i].type) == KTAP_SEC_SIGNATURE)
			return &section[i];
	}
	return NULL;
}

static const char *signature_error(int err)
{
	switch (err) {
	case -ENOKEY:
		return "no key that this kernel trusts has signed it (see .builtin_trusted_keys)";
	case -EKEYREJECTED:
		return "its signature does not match: it was changed after it was signed";
	case -ENOPKG:
		return "this kernel lacks the algorithm of its signature";
	case -EKEYEXPIRED:
		return "the key that has signed it has expired";
	case -ENOMEM:
		return "no memory to verify its signature";
	default:
		return "its signature is malformed";
	}
}

int ktap_signature_check(const void *chunk, size_t len, const char **why)
{
	const struct ktap_section *section = signature_find(chunk, len);
	u32 offset, size;
	int err;

	if (!section) {
		*why = "it is not signed (ktapc --sign signs it)";
		return -ENODATA;
	}
	offset = le32_to_cpu(section->offset);
	size = le32_to_cpu(section->size);
	if (offset > len || size != len - offset) {
		*why = "its signature is not the end of the chunk";
		return -EBADMSG;
	}
	err = verify_pkcs7_signature(chunk, offset, chunk + offset, size,
				     VERIFY_USE_SECONDARY_KEYRING,
				     VERIFYING_UNSPECIFIED_SIGNATURE, NULL, NULL);
	if (err)
		*why = signature_error(err);
	return err;
}
