# SPDX-License-Identifier: GPL-2.0
# Read the help of a program. Print its options, one name a line: KIND, the name, the name of
# its value or "-", and the help, with tabs between them. A name whose value belongs to the
# same word ends with "=".
#
#	PROGRAM -h | awk -v kind=KIND -f options.awk

BEGIN { OFS = "\t" }

/^ +-/ {
	sub(/^ +/, "")
	at = match($0, /  +/)
	count = split(substr($0, 1, at - 1), names, ", ")
	help = substr($0, at + RLENGTH)
	value = "-"
	# the last name has the value of all
	if (match(names[count], /[ =]/)) {
		value = substr(names[count], RSTART + 1)
		# "[VALUE]" may be missing
		gsub(/[][]/, "", value)
		names[count] = substr(names[count], 1, RSTART)
		sub(/ $/, "", names[count])
	}
	for (i = 1; i <= count; i++)
		print kind, names[i], value, help
}
