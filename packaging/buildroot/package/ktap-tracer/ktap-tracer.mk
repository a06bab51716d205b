################################################################################
#
# ktap-tracer
#
################################################################################

KTAP_TRACER_VERSION = 1.0
# the tree that has this folder
KTAP_TRACER_SITE = $(realpath $(BR2_EXTERNAL_KTAP_PATH)/../..)
KTAP_TRACER_SITE_METHOD = local
KTAP_TRACER_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude=/build
KTAP_TRACER_LICENSE = GPL-2.0
KTAP_TRACER_LICENSE_FILES = packaging/COPYING

ifeq ($(BR2_PACKAGE_ELFUTILS),y)
KTAP_TRACER_DEPENDENCIES += elfutils
endif

ifeq ($(BR2_PACKAGE_XZ),y)
KTAP_TRACER_DEPENDENCIES += xz
endif

# HOSTCC makes the programs that the build runs
KTAP_TRACER_MAKE_OPTS = \
	$(TARGET_CONFIGURE_OPTS) \
	HOSTCC="$(HOSTCC)" \
	PREFIX=/usr \
	RST2MAN=/none

ifeq ($(BR2_PACKAGE_KTAP_TRACER_BPFTRACE),)
KTAP_TRACER_MAKE_OPTS += BPFTRACE=0
endif

define KTAP_TRACER_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(KTAP_TRACER_MAKE_OPTS) -C $(@D)/tools/ktap
endef

define KTAP_TRACER_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(KTAP_TRACER_MAKE_OPTS) -C $(@D)/tools/ktap \
		DESTDIR=$(TARGET_DIR) install
endef

ifeq ($(BR2_PACKAGE_KTAP_TRACER_TOOLS),)
define KTAP_TRACER_REMOVE_TOOLS
	rm -rf $(TARGET_DIR)/usr/share/ktap/tools $(TARGET_DIR)/usr/share/ktap/tests
endef
KTAP_TRACER_POST_INSTALL_TARGET_HOOKS += KTAP_TRACER_REMOVE_TOOLS
endif

ifeq ($(BR2_PACKAGE_PYTHON3),)
define KTAP_TRACER_REMOVE_SERVER
	rm -f $(TARGET_DIR)/usr/bin/ktap-language-server
endef
KTAP_TRACER_POST_INSTALL_TARGET_HOOKS += KTAP_TRACER_REMOVE_SERVER
endif

# a kernel without the patches of ktap has no such options
define KTAP_TRACER_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_KTAP)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE_SYSCALLS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KPROBES)
	$(call KCONFIG_ENABLE_OPT,CONFIG_UPROBES)
	$(call KCONFIG_ENABLE_OPT,CONFIG_UPROBE_EVENTS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_PERF_EVENTS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_KALLSYMS)
endef

$(eval $(generic-package))
