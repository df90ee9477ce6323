/* Prints what is not UTF-8, a NUL and a terminal escape on both outputs, between works. */
#include <stdio.h>

#include "work.h"

int main(int argc, char **argv)
{
	static const char bytes[] = "\xff\xfe\xc3\x28\0\x1b[31m\xed\xa0\x80\xf8\x88\n";

	fwrite(bytes, 1, sizeof bytes - 1, stdout);
	work(work_amount(argc, argv));
	fwrite(bytes, 1, sizeof bytes - 1, stderr);
	return 0;
}
