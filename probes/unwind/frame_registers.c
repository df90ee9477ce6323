#include "unwind/frame_registers.h"

#include <elf.h>

/* DWARF numbers: the psABI documents of x86-64 (figure 3.36) and AArch64 (section 4.1); perf's:
 * asm/perf_regs.h. */
static const struct sd_frame_arch arches[] = {
	{
		.machine = EM_X86_64,
		.sp = 7,
		.fp = 6,
		.ra = 16,
		.pc = 8,
		.code = ~0ull,
		/* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
		.perf = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8, 255, 255, 255,
			255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
		.kept = {16, 7, 6, 3, 12, 13, 14, 15},
		.n_kept = 8,
	},
	{
		.machine = EM_AARCH64,
		.sp = 31,
		.fp = 29,
		.ra = 30,
		.pc = 32,
		.link = 1,
		/* user addresses have 48 bits unless a program asks for more (arm64/memory.rst) */
		.code = 0xffffffffffffull,
		.perf = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
			21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 255},
		.kept = {30, 31, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28},
		.n_kept = 13,
	},
};

const struct sd_frame_arch *sd_frame_arch_of(int machine)
{
	for (size_t i = 0; i < sizeof arches / sizeof *arches; i++)
		if (arches[i].machine == machine)
			return &arches[i];
	return NULL;
}

const struct sd_frame_arch *sd_frame_arch_host(void)
{
#if defined(__x86_64__)
	return sd_frame_arch_of(EM_X86_64);
#elif defined(__aarch64__)
	return sd_frame_arch_of(EM_AARCH64);
#else
	return NULL;
#endif
}
