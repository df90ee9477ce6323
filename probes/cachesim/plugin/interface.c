#include "plugin/interface.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_OLDEST;

static int copies;

/* QEMU reads the version after it has loaded the plugin and before it calls anything of it. */
static __attribute__((constructor)) void declare(void)
{
	if (qemu_plugin_read_memory_vaddr)
		qemu_plugin_version = QEMU_PLUGIN_READS;
	else if (qemu_plugin_register_vcpu_tb_exec_cond_cb)
		qemu_plugin_version = QEMU_PLUGIN_COPIES;
	else if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = QEMU_PLUGIN_NEW;
}

void sim_interface_open(const struct qemu_info *info)
{
	copies = info->version.cur >= QEMU_PLUGIN_COPIES;
}

const unsigned char *sim_interface_code(
	const struct qemu_plugin_insn *in, unsigned char copy[SIM_INTERFACE_BYTES], size_t *n)
{
	const void *const got = qemu_plugin_insn_data(in, copy, SIM_INTERFACE_BYTES);

	*n = copies ? (size_t)(uintptr_t)got : qemu_plugin_insn_size(in);
	return copies ? copy : got;
}

int sim_interface_retranslates(void)
{
	return qemu_plugin_version >= QEMU_PLUGIN_NEW;
}

int sim_interface_counts(void)
{
	return qemu_plugin_version >= QEMU_PLUGIN_COPIES;
}
