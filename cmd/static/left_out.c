/*
 * left_out.c - what libxml2 asks of libraries that a static program leaves out:
 * ICU, which it asks for encodings that the C library does not have, and whose
 * data is 30 MB; and names of hosts, since cgconv opens no connection. libxml2
 * reports an encoding that none of them has.
 */
#include <netdb.h>
#include <unicode/ucnv.h>

#define UNUSED __attribute__((unused))

UConverter *
ucnv_open(UNUSED const char *name, UErrorCode *error)
{
	*error = U_UNSUPPORTED_ERROR;
	return NULL;
}

void
ucnv_close(UNUSED UConverter *converter)
{
}

void
ucnv_setFromUCallBack(UNUSED UConverter *converter,
    UNUSED UConverterFromUCallback action, UNUSED const void *context,
    UNUSED UConverterFromUCallback *old, UNUSED const void **old_context,
    UErrorCode *error)
{
	*error = U_UNSUPPORTED_ERROR;
}

void
ucnv_setToUCallBack(UNUSED UConverter *converter,
    UNUSED UConverterToUCallback action, UNUSED const void *context,
    UNUSED UConverterToUCallback *old, UNUSED const void **old_context,
    UErrorCode *error)
{
	*error = U_UNSUPPORTED_ERROR;
}

void
ucnv_convertEx(UNUSED UConverter *to, UNUSED UConverter *from,
    UNUSED char **target, UNUSED const char *target_end,
    UNUSED const char **source, UNUSED const char *source_end,
    UNUSED UChar *pivot, UNUSED UChar **pivot_source,
    UNUSED UChar **pivot_target, UNUSED const UChar *pivot_end,
    UNUSED UBool reset, UNUSED UBool flush, UErrorCode *error)
{
	*error = U_UNSUPPORTED_ERROR;
}

void
UCNV_FROM_U_CALLBACK_STOP(UNUSED const void *context,
    UNUSED UConverterFromUnicodeArgs *args, UNUSED const UChar *units,
    UNUSED int32_t length, UNUSED UChar32 point,
    UNUSED UConverterCallbackReason reason, UNUSED UErrorCode *error)
{
}

void
UCNV_TO_U_CALLBACK_STOP(UNUSED const void *context,
    UNUSED UConverterToUnicodeArgs *args, UNUSED const char *units,
    UNUSED int32_t length, UNUSED UConverterCallbackReason reason,
    UNUSED UErrorCode *error)
{
}

int
getaddrinfo(UNUSED const char *name, UNUSED const char *service,
    UNUSED const struct addrinfo *hints, UNUSED struct addrinfo **result)
{
	return EAI_FAIL;
}

void
freeaddrinfo(UNUSED struct addrinfo *result)
{
}

struct hostent *
gethostbyname(UNUSED const char *name)
{
	return NULL;
}
