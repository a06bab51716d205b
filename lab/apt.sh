# SPDX-License-Identifier: GPL-2.0
# Packages of other suites of Debian, from the mirror that this machine uses. Nothing is
# installed. The caller sets $tmp, a directory, and $log, a file; and $debian, if the
# packages are those of a foreign machine.
# shellcheck shell=bash disable=SC2154

# Options that make apt keep its state in $tmp/$1 instead of the machine's directories
private_apt() {
	local d=$tmp/$1
	mkdir -p "$d"/{state/lists/partial,cache/archives/partial}
	apt_opts=(-o "Dir::State=$d/state" -o "Dir::Cache=$d/cache"
		-o "Dir::State::status=/var/lib/dpkg/status"
		-o "APT::Sandbox::User=$(id -un)" -o "Acquire::Languages=none"
		-o "Acquire::Retries=2" -o "Acquire::http::Timeout=30"
		${debian:+-o "APT::Architectures::=$debian"})
}

# The mirror's address, from the machine's own configuration
# shellcheck disable=SC2016
mirror() {
	apt-get "$@" indextargets --format '$(CREATED_BY) $(COMPONENT) $(REPO_URI)' 2>>"$log" |
		awk '$1 == "Packages" && $2 == "main" && $3 !~ /security/ { print $3; exit }'
}

# Set apt_opts so that apt knows the sources of the packages of the machine's suite
enter_sources() {
	local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	uri=$(mirror)
	[ -n "$uri" ] && [ -f "$keyring" ] && [ -r /etc/os-release ] || return
	private_apt sources
	echo "deb-src [signed-by=$keyring] $uri $(. /etc/os-release && echo "$VERSION_CODENAME") main" \
		>"$tmp/sources/list"
	apt_opts+=(-o "Dir::Etc::sourcelist=$tmp/sources/list" -o "Dir::Etc::sourceparts=-")
	apt-get "${apt_opts[@]}" update >>"$log" 2>&1
}

# Set apt_opts so that apt knows the packages of SUITE ("own": the machine's)
enter_suite() {
	local uri keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	apt_opts=(-o "APT::Sandbox::User=$(id -un)")
	if [ "$1" = own ]; then
		[ -n "$(mirror)" ] && return
		private_apt own
		apt-get "${apt_opts[@]}" update >>"$log" 2>&1
		return
	fi
	uri=$(mirror)
	if [ -z "$uri" ]; then
		enter_suite own || return
		uri=$(mirror "${apt_opts[@]}")
	fi
	[ -n "$uri" ] && [ -f "$keyring" ] || return
	private_apt "$1"
	echo "deb [signed-by=$keyring] $uri $1 main" >"$tmp/$1/list"
	apt_opts+=(-o "Dir::Etc::sourcelist=$tmp/$1/list" -o "Dir::Etc::sourceparts=-")
	apt-get "${apt_opts[@]}" update >>"$log" 2>&1
}
