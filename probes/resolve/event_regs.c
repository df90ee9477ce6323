#include "resolve/event_regs.h"

#include <asm/perf_regs.h>

#if defined(__x86_64__)
#define REG_IP PERF_REG_X86_IP
#define REG_SP PERF_REG_X86_SP
/* a system call leaves them as they were */
static const unsigned arguments[SD_EVENT_REGS_ARGUMENTS] = {
	PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX};
#elif defined(__aarch64__)
#define REG_IP PERF_REG_ARM64_PC
#define REG_SP PERF_REG_ARM64_SP
static const unsigned arguments[SD_EVENT_REGS_ARGUMENTS] = {
	PERF_REG_ARM64_X0, PERF_REG_ARM64_X1, PERF_REG_ARM64_X2};
#else
#define REG_IP 0
#define REG_SP 0
static const unsigned arguments[SD_EVENT_REGS_ARGUMENTS];
#endif

static uint64_t reg(const struct sd_event *e, unsigned i)
{
	return e->regs.mask >> i & 1 ? e->regs.reg[i] : 0;
}

uint64_t sd_event_regs_ip(const struct sd_event *e)
{
	const uint64_t ip = reg(e, REG_IP);

	return ip || e->kernel ? ip : e->ip;
}

uint64_t sd_event_regs_sp(const struct sd_event *e)
{
	return reg(e, REG_SP);
}

uint64_t sd_event_regs_argument(const struct sd_event *e, unsigned i)
{
	return reg(e, arguments[i]);
}
