include $(sort $(wildcard $(BR2_EXTERNAL_KTAP_PATH)/package/*/*.mk))
