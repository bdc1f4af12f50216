/* Stands in for the icuuc.dll of Windows 10, which Wine lacks and Qt6Core 6.10 and later load for converters between
   legacy encodings. Every encoding is unknown here, which Qt accepts. Only for tests; not part of the installer. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __declspec(dllexport)
#define UNSUPPORTED 16 /* U_UNSUPPORTED_ERROR */

typedef int32_t UErrorCode;

static void fail(UErrorCode *error) {
    if (error)
        *error = UNSUPPORTED;
}

EXPORT void *ucnv_open(const char *name, UErrorCode *error) { fail(error); return NULL; }
EXPORT void ucnv_close(void *converter) {}
EXPORT void ucnv_reset(void *converter) {}
EXPORT int8_t ucnv_getMaxCharSize(const void *converter) { return 1; }
EXPORT const char *ucnv_getName(const void *converter, UErrorCode *error) { fail(error); return NULL; }
EXPORT const char *ucnv_getStandardName(const char *name, const char *standard, UErrorCode *error) {
    fail(error);
    return NULL;
}
EXPORT int32_t ucnv_countAvailable(void) { return 0; }
EXPORT const char *ucnv_getAvailableName(int32_t index) { return NULL; }

EXPORT void ucnv_getToUCallBack(const void *converter, void **action, const void **context) {
    *action = NULL;
    *context = NULL;
}
EXPORT void ucnv_getFromUCallBack(const void *converter, void **action, const void **context) {
    *action = NULL;
    *context = NULL;
}
EXPORT void ucnv_setToUCallBack(void *converter, void *action, const void *context, void **old_action,
                                const void **old_context, UErrorCode *error) { fail(error); }
EXPORT void ucnv_setFromUCallBack(void *converter, void *action, const void *context, void **old_action,
                                  const void **old_context, UErrorCode *error) { fail(error); }
EXPORT void UCNV_TO_U_CALLBACK_SUBSTITUTE(void) {}
EXPORT void UCNV_FROM_U_CALLBACK_SUBSTITUTE(void) {}
EXPORT void ucnv_cbToUWriteUChars(void *arguments, const void *source, int32_t length, int32_t offset,
                                  UErrorCode *error) { fail(error); }
EXPORT void ucnv_cbFromUWriteUChars(void *arguments, const void **source, const void *limit, int32_t offset,
                                    UErrorCode *error) { fail(error); }

EXPORT void ucnv_toUnicode(void *converter, void **target, const void *target_limit, const char **source,
                           const char *source_limit, int32_t *offsets, int8_t flush, UErrorCode *error) { fail(error); }
EXPORT void ucnv_fromUnicode(void *converter, char **target, const char *target_limit, const void **source,
                             const void *source_limit, int32_t *offsets, int8_t flush, UErrorCode *error) {
    fail(error);
}
EXPORT int32_t ucnv_toUCountPending(const void *converter, UErrorCode *error) { return 0; }
EXPORT int32_t ucnv_fromUCountPending(const void *converter, UErrorCode *error) { return 0; }

EXPORT int __stdcall DllMainCRTStartup(void *module, unsigned reason, void *reserved) { return 1; }
