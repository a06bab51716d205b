# SPDX-License-Identifier: GPL-2.0
SUMMARY = "Scripting tracer that lives in the Linux kernel"
DESCRIPTION = "ktap runs scripts in the kernel, and ktapc compiles them on any machine. \
The package ktap-tools has finished scripts for common questions."
SECTION = "devel"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://packaging/COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"

DEPENDS = "elfutils xz"

# the tree that has this layer
inherit externalsrc
EXTERNALSRC = "${@os.path.realpath(d.expand('${THISDIR}/../../../../..'))}"
EXTERNALSRC_BUILD = "${WORKDIR}/build"

# BUILD_CC makes the programs that the build runs
EXTRA_OEMAKE = "-C ${S}/tools/ktap O=${B} CC='${CC}' AR='${AR}' CFLAGS='${CFLAGS}' \
    LDFLAGS='${LDFLAGS}' HOSTCC='${BUILD_CC}' PREFIX=${prefix} LIBRARY=${datadir}/ktap \
    MANDIR=${mandir} RST2MAN=/none"

do_compile() {
    oe_runmake
}

do_install() {
    oe_runmake install DESTDIR=${D}
}

PACKAGE_BEFORE_PN = "${PN}-tools ${PN}-language-server"
FILES:${PN} += "${datadir}/ktap ${datadir}/bash-completion ${datadir}/fish ${datadir}/zsh \
    ${datadir}/vim ${datadir}/emacs"
FILES:${PN}-tools = "${datadir}/ktap/tools ${datadir}/ktap/tests"
FILES:${PN}-language-server = "${bindir}/ktap-language-server"
RDEPENDS:${PN}-tools = "${PN}"
RDEPENDS:${PN}-language-server = "${PN} python3-core python3-io python3-json python3-netclient \
    python3-shell python3-threading"
RRECOMMENDS:${PN} = "${PN}-tools"
