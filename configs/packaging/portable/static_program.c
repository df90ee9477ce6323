/*
 * Linked into the program of the portable archive, which is static: what a static program of glibc
 * has to do without. A library that it loaded would bring along a second C library, of whatever
 * version the machine has; so none is loaded, and the OpenMP kernels of the calibration say that
 * there is no runtime. hwloc asks libudev, which Debian has as a shared library alone, for the
 * names of disks and networks, and goes on where there is none.
 */
#include <dlfcn.h>
#include <stddef.h>

void *udev_new(void);
void *udev_unref(void *udev);
void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name);
const char *udev_device_get_property_value(void *device, const char *key);
void *udev_device_unref(void *device);

void *dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

void *dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *dlerror(void)
{
	static char why[] = "a static program loads no libraries";

	return why;
}

int dlinfo(void *handle, int request, void *out)
{
	(void)handle;
	(void)request;
	(void)out;
	return -1;
}

void *udev_new(void)
{
	return NULL;
}

void *udev_unref(void *udev)
{
	(void)udev;
	return NULL;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name)
{
	(void)udev;
	(void)subsystem;
	(void)name;
	return NULL;
}

const char *udev_device_get_property_value(void *device, const char *key)
{
	(void)device;
	(void)key;
	return NULL;
}

void *udev_device_unref(void *device)
{
	(void)device;
	return NULL;
}
