/*
 * Caliper's C++ annotations, and its loops, as a program calls them in a shared libcaliper: by
 * their mangled names, g++'s and clang's. cali::Annotation::begin() without a value begins a region
 * of the annotation's name, with a text one of that text; numbers are values and no regions.
 *
 * Annotations, their guards and loops hold one pointer, which their copies share: their key.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "markers/scalediag.h"
#include "preload/open_regions.h"

/* The library's own; NULL: it is not there. Looked for once at each place. */
#define REAL(type, symbol)                                      \
	static __typeof__(type) *real;                          \
	static int looked;                                      \
                                                                \
	if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {      \
		*(void **)(&real) = dlsym(RTLD_NEXT, symbol);   \
		__atomic_store_n(&looked, 1, __ATOMIC_RELEASE); \
	}

#define CALLED(function, symbol) EXPORT function __asm__(symbol);

typedef void named(void *self, const char *name);
typedef void plain(void *self);

/* ---- scopes and functions: they nest --------------------------------------------------------- */

#define SCOPE(begin, begin_symbol, end, end_symbol)                    \
	CALLED(void begin(void *self, const char *name), begin_symbol) \
	void begin(void *self, const char *name)                       \
	{                                                              \
		REAL(named, begin_symbol)                              \
		sd_region_begin(name);                                 \
		if (real)                                              \
			real(self, name);                              \
	}                                                              \
	CALLED(void end(void *self), end_symbol)                       \
	void end(void *self)                                           \
	{                                                              \
		REAL(plain, end_symbol)                                \
		sd_open_end_innermost();                               \
		if (real)                                              \
			real(self);                                    \
	}
SCOPE(function_begin, "_ZN4cali8FunctionC1EPKc", function_end, "_ZN4cali8FunctionD1Ev")
SCOPE(scope_begin, "_ZN4cali15ScopeAnnotationC1EPKc", scope_end, "_ZN4cali15ScopeAnnotationD1Ev")

/* ---- loops ----------------------------------------------------------------------------------- */

/* An annotation of several threads is in each of them another region. */
static struct sd_open_key key_of(void *const *self)
{
	return (struct sd_open_key){.a = (uintptr_t)*self, .b = (uintptr_t)&sd_marker_thread};
}

static struct sd_open_key attribute_key(uint64_t attribute)
{
	return (struct sd_open_key){.a = attribute, .b = (uintptr_t)&sd_marker_thread, .c = 1};
}

CALLED(void loop_begin(void **self, const char *name), "_ZN4cali4LoopC1EPKc")
void loop_begin(void **self, const char *name)
{
	struct sd_open_key k;
	REAL(named, "_ZN4cali4LoopC1EPKc")

	if (real)
		real(self, name);
	k = key_of(self);
	sd_open_begin(&k, name);
}

/* Its destructor ends one that has not been ended. */
#define LOOP_END(function, symbol)                         \
	CALLED(void function(void **self), symbol)         \
	void function(void **self)                         \
	{                                                  \
		const struct sd_open_key k = key_of(self); \
		REAL(plain, symbol)                        \
                                                           \
		sd_open_end(&k);                           \
		if (real)                                  \
			real(self);                        \
	}
LOOP_END(loop_end, "_ZN4cali4Loop3endEv")
LOOP_END(loop_gone, "_ZN4cali4LoopD1Ev")

/* In C a loop is an attribute with the loop's name. */
EXPORT void cali_begin_string(uint64_t attribute, const char *name);
EXPORT void cali_begin_string(uint64_t attribute, const char *name)
{
	const struct sd_open_key k = attribute_key(attribute);
	REAL(void(uint64_t, const char *), "cali_begin_string")

	sd_open_begin(&k, name);
	if (real)
		real(attribute, name);
}

EXPORT void cali_end(uint64_t attribute);
EXPORT void cali_end(uint64_t attribute)
{
	const struct sd_open_key k = attribute_key(attribute);
	REAL(void(uint64_t), "cali_end")

	sd_open_end(&k);
	if (real)
		real(attribute);
}

/* ---- annotations ----------------------------------------------------------------------------- */

#define ANNOTATIONS 4096u
#define PROBED 64u

/* Their names; another one at the address of one that is gone takes its place. */
static struct {
	uintptr_t key;
	char name[SD_MARKER_NAME];
} annotations[ANNOTATIONS];

static uint32_t place_of(uintptr_t key, uint32_t i)
{
	return ((uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) + i) % ANNOTATIONS;
}

static const char *name_of(uintptr_t key)
{
	for (uint32_t i = 0; i < PROBED; i++) {
		const uint32_t at = place_of(key, i);

		if (__atomic_load_n(&annotations[at].key, __ATOMIC_ACQUIRE) == key)
			return annotations[at].name;
	}
	return NULL;
}

static void keep_name(uintptr_t key, const char *name)
{
	for (uint32_t i = 0; i < PROBED; i++) {
		const uint32_t at = place_of(key, i);
		uintptr_t was = 0;

		if (!__atomic_compare_exchange_n(&annotations[at].key, &was, key, 0,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
			was != key)
			continue;
		snprintf(annotations[at].name, SD_MARKER_NAME, "%s", name);
		return;
	}
}

CALLED(void annotation(void **self, const char *name, int option), "_ZN4cali10AnnotationC1EPKci")
void annotation(void **self, const char *name, int option)
{
	REAL(void(void *, const char *, int), "_ZN4cali10AnnotationC1EPKci")

	if (real)
		real(self, name, option);
	keep_name((uintptr_t)*self, name);
}

#define ANNOTATION_METADATA \
	"_ZN4cali10AnnotationC1EPKcRKSt3mapIS2_NS_7VariantESt4lessIS2_ESaISt4pairIKS2_S4_EEEi"
CALLED(void annotation_metadata(void **self, const char *name, const void *metadata, int option),
	ANNOTATION_METADATA)
void annotation_metadata(void **self, const char *name, const void *metadata, int option)
{
	REAL(void(void *, const char *, const void *, int), ANNOTATION_METADATA)

	if (real)
		real(self, name, metadata, option);
	keep_name((uintptr_t)*self, name);
}

typedef void *chained(void *self);
CALLED(void *annotation_begin(void **self), "_ZN4cali10Annotation5beginEv")
void *annotation_begin(void **self)
{
	const struct sd_open_key k = key_of(self);
	const char *const name = name_of((uintptr_t)*self);
	REAL(chained, "_ZN4cali10Annotation5beginEv")

	if (name)
		sd_open_begin(&k, name);
	return real ? real(self) : self;
}

/* As Caliper's C interface has it (cali_variant_t). */
struct variant {
	uint64_t type_and_size;
	const char *text;
};
#define TYPE_MASK 0xffu
#define TYPE_STRING 4u

typedef void *valued(void *self, const struct variant *value);
CALLED(void *annotation_begin_value(void **self, const struct variant *value),
	"_ZN4cali10Annotation5beginERKNS_7VariantE")
void *annotation_begin_value(void **self, const struct variant *value)
{
	const struct sd_open_key k = key_of(self);
	char name[SD_MARKER_NAME];
	REAL(valued, "_ZN4cali10Annotation5beginERKNS_7VariantE")

	if ((value->type_and_size & TYPE_MASK) == TYPE_STRING && value->text) {
		const size_t size = (size_t)(value->type_and_size >> 32);

		snprintf(name, sizeof name, "%.*s",
			(int)(size < sizeof name ? size : sizeof name - 1), value->text);
		sd_open_begin(&k, name);
	}
	return real ? real(self, value) : self;
}

LOOP_END(annotation_end, "_ZN4cali10Annotation3endEv")
LOOP_END(guard_gone, "_ZN4cali10Annotation5GuardD1Ev")
