/*
 * cairn_sanitized.c: what `cairn run` links into its build with sanitizers, so that whoever starts it gets the same: no search for
 * leaks, which sandboxes do not allow, and no end because of a request for more memory than there is.
 */
#ifdef __cplusplus
extern "C"
#endif
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16";
}
