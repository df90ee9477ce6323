#include "machine/firmware.h"

#include <string.h>

#include "proc/textfile.h"

#define DMI "/sys/class/dmi/id/"
#define TREE "/proc/device-tree/hypervisor/compatible"

/* A file that begins with a text names a hypervisor, unless another file holds a word. */
static const struct {
	const char *path, *begins, *name;
	const char *unless_path, *unless;
} signs[] = {
	{.path = "/sys/hypervisor/type", .begins = "xen", .name = "Xen"},
	{.path = TREE, .begins = "linux,kvm", .name = "KVM"},
	{.path = TREE, .begins = "xen", .name = "Xen"},
	{.path = TREE, .begins = "vmware", .name = "VMware"},
	{.path = DMI "product_name", .begins = "KVM", .name = "KVM"},
	{.path = DMI "product_name", .begins = "OpenStack", .name = "KVM"},
	{.path = DMI "product_name", .begins = "Google Compute Engine", .name = "KVM"},
	{.path = DMI "product_name", .begins = "Alibaba Cloud ECS", .name = "KVM"},
	{.path = DMI "product_name", .begins = "VMware", .name = "VMware"},
	{.path = DMI "product_name", .begins = "VirtualBox", .name = "VirtualBox"},
	{.path = DMI "product_name", .begins = "Parallels", .name = "Parallels"},
	{.path = DMI "product_name", .begins = "Apple Virtualization", .name = "Apple"},
	/* Microsoft sells computers too */
	{.path = DMI "product_name", .begins = "Virtual Machine", .name = "Hyper-V"},
	{.path = DMI "sys_vendor", .begins = "QEMU", .name = "QEMU"},
	{.path = DMI "sys_vendor", .begins = "Xen", .name = "Xen"},
	/* bare-metal instances have the vendor's name too, and end in ".metal" or ".metal-24xl" */
	{.path = DMI "sys_vendor",
		.begins = "Amazon EC2",
		.name = "KVM",
		.unless_path = DMI "product_name",
		.unless = ".metal"},
};

void sd_firmware_hypervisor(const char *root, char *name, size_t size)
{
	name[0] = '\0';
	for (size_t i = 0; i < sizeof signs / sizeof *signs && !name[0]; i++) {
		char text[256];

		if (sd_textfile_read(root, signs[i].path, text, sizeof text) ||
			strncmp(text, signs[i].begins, strlen(signs[i].begins)) != 0)
			continue;
		if (signs[i].unless &&
			!sd_textfile_read(root, signs[i].unless_path, text, sizeof text) &&
			strstr(text, signs[i].unless))
			continue;
		sd_textfile_clean(name, size, signs[i].name);
	}
}
