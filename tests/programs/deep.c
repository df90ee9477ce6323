/* Computes below a stack of 40 KiB. */
#include <stdio.h>
#include <string.h>

#include "work.h"

__attribute__((noinline)) static uint64_t descend(unsigned more, double amount)
{
	char room[1024];
	uint64_t x;

	memset(room, (int)more, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
	x = more ? descend(more - 1, amount) : work(amount);
	__asm__ volatile("" : : "r"(room) : "memory");
	return x;
}

int main(int argc, char **argv)
{
	printf("%llu\n", (unsigned long long)descend(40, work_amount(argc, argv)));
	return 0;
}
