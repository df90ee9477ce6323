#include "probes/doctor_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/switch_programs.h"
#include "proc/textfile.h"
#include "trace/switch_windows.h"

/* capabilities(7): the last two, or the first instead of them */
#define CAP_SYS_ADMIN 21
#define CAP_PERFMON 38
#define CAP_BPF 39
#define HAS(set, cap) ((set) >> (cap)&1)

#define ALL_USERS "4294967295" /* of a user namespace that is no other than the first */

static int has_line(const char *root, const char *path, const char *line)
{
	char text[8192];

	return !sd_textfile_read(root, path, text, sizeof text) && strstr(text, line) != NULL;
}

/* Capabilities of this process, a bit each; all where the kernel does not say. */
static unsigned long long capabilities(const char *root)
{
	static const char name[] = "\nCapEff:";
	char text[8192];
	const char *at;

	if (sd_textfile_read(root, "/proc/self/status", text, sizeof text))
		return ~0ull;
	at = strstr(text, name);
	return at ? strtoull(at + sizeof name - 1, NULL, 16) : ~0ull;
}

static int may(const char *root)
{
	const unsigned long long set = capabilities(root);

	return HAS(set, CAP_SYS_ADMIN) || (HAS(set, CAP_BPF) && HAS(set, CAP_PERFMON));
}

/* Rights within another user namespace are none in the kernel. */
static int is_user_namespace(const char *root)
{
	char text[256];

	return !sd_textfile_read(root, "/proc/self/uid_map", text, sizeof text) &&
	       !strstr(text, ALL_USERS);
}

struct reason {
	enum sd_status status;
	const char *why, *enable;
};

static struct reason denied(const char *root)
{
	const int filtered = has_line(root, "/proc/self/status", "\nSeccomp:\t2");

	if (is_user_namespace(root))
		return (struct reason){SD_STATUS_DENIED, "a user namespace (rootless container)",
			"run outside of it, as root"};
	if (filtered && !may(root))
		return (struct reason){SD_STATUS_DENIED, "a container without CAP_BPF",
			"start the container with --pid=host --cap-add BPF --cap-add PERFMON"};
	if (!may(root))
		return (struct reason){SD_STATUS_DENIED, "not allowed to this user",
			"run as root, or with the capabilities CAP_BPF and CAP_PERFMON"};
	if (has_line(root, "/sys/kernel/security/lockdown", "[confidentiality]"))
		return (struct reason){SD_STATUS_DENIED,
			"the kernel is locked down (confidentiality)",
			"boot with lockdown=integrity"};
	if (filtered)
		return (struct reason){SD_STATUS_DENIED, "a seccomp filter, as containers have",
			"start the container with --security-opt seccomp=unconfined"};
	return (struct reason){SD_STATUS_DENIED, "a security module forbids it",
		"journalctl -k | grep -iE 'avc|apparmor' says which"};
}

static struct reason reason_of(int error, const char *root)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return denied(root);
	case -EXDEV:
		return (struct reason){SD_STATUS_UNSUPPORTED, "a PID namespace (container)",
			"start the container with --pid=host --cap-add BPF --cap-add PERFMON"};
	case -ENOENT:
		return (struct reason){SD_STATUS_UNSUPPORTED,
			"no BTF in the kernel (/sys/kernel/btf/vmlinux)",
			"a kernel with CONFIG_DEBUG_INFO_BTF"};
	case -EOPNOTSUPP:
		return (struct reason){
			SD_STATUS_UNSUPPORTED, "the kernel is too old", "Linux 5.18 or later"};
	case -ENOSYS:
		if (has_line(root, "/proc/self/status", "\nSeccomp:\t2"))
			return denied(root); /* some filters answer so */
		return (struct reason){SD_STATUS_UNSUPPORTED, "the kernel is built without BPF",
			"a kernel with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS"};
	default:
		return (struct reason){SD_STATUS_UNSUPPORTED, strerror(-error), ""};
	}
}

/* By loading them, which is what a run does. */
void sd_doctor_look_switches(const struct sd_doctor_look *l, struct sd_fact *f)
{
	struct sd_switch_programs p = {0};
	const int rc = sd_switch_programs_open(&p);
	struct reason r;

	sd_switch_programs_close(&p);
	if (!rc) {
		sd_doctor_look_say(f, SD_STATUS_OK, "",
			"BPF: all of them, up to %d a second and CPU",
			SD_SWITCH_WINDOWS_PROGRAMS_HZ);
		return;
	}
	r = reason_of(rc, l->root);
	sd_doctor_look_say(f, r.status, r.enable,
		"no BPF: %s. Above %d a second and CPU only windows of %.0f ms are recorded", r.why,
		SD_SWITCH_WINDOWS_ALL_HZ, 1e3 * SD_SAMPLED_WINDOW_S);
}
