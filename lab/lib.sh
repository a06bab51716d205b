# SPDX-License-Identifier: GPL-2.0
# Paths and messages of the lab's scripts.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# KTAP_BUILD is for lab/series, which builds other kernels
build=${KTAP_BUILD:-$top/build}
me=lab/$(basename "$0")
# shellcheck disable=SC2034 # lab/fetch, lab/build
default_base=7.2 backport_base=6.12

note() { printf '%s: %s\n' "$me" "$*" >&2; }

# die MESSAGE [ADVICE]: print an error and what to do about it, and exit
die() {
	note "error: $1"
	[ -z "${2:-}" ] || note "  $2"
	exit 1
}

need() {
	local c
	for c; do
		command -v "$c" >/dev/null 2>&1 ||
			die "'$c' is not installed" "run lab/deps to install what the lab needs"
	done
}

# install_packages LOG PACKAGES...: those that lab/deps leaves out; for root on Debian
install_packages() {
	[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return
	note "installing ${*:2}"
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${@:2}" >"$1" 2>&1
}

# VERSION.PATCHLEVEL of a kernel tree
tree_version() {
	[ -f "$1/Makefile" ] && [ -f "$1/Kbuild" ] || return 1
	sed -n 's/^VERSION = //p; s/^PATCHLEVEL = //p' "$1/Makefile" | paste -sd.
}

# The base in use: BASE, or the one that lab/fetch fell back to, or 7.2
base_version() {
	if [ -n "${BASE:-}" ]; then
		echo "$BASE"
	elif [ -f "$build/fallback-base" ]; then
		cat "$build/fallback-base"
	else
		echo "$default_base"
	fi
}

# The directory below build/ for output of the base in use
base_dir() {
	if [ -n "${KSRC:-}" ]; then
		local path
		path=$(realpath -m -- "$KSRC")
		echo "$build/ksrc-$(basename "$path")-$(cksum <<<"$path" | cut -d' ' -f1)"
	else
		echo "$build/$(base_version)"
	fi
}

# compiler_cache: $cc is gcc, through ccache if there is one
compiler_cache() {
	# The same command line and the same paths in every clone, so that ccache hits
	export KBUILD_BUILD_TIMESTAMP='Sat Jan  1 00:00:00 UTC 2000' KBUILD_BUILD_USER=ktap KBUILD_BUILD_HOST=lab
	# Depend mode: a cache miss does not run the preprocessor
	export CCACHE_DEPEND=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G}
	export CCACHE_BASEDIR=$top CCACHE_IGNOREOPTIONS='-fmacro-prefix-map=*'
	# Debug information names the directory, which is not used here
	export CCACHE_NOHASHDIR=1
	cc=gcc
	if command -v ccache >/dev/null 2>&1; then
		cc="ccache gcc"
	else
		note "ccache is not installed: every clone and every clean build compiles everything"
	fi
}
