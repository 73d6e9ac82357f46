/*
 * cairn_sanitized.c: linked by `cairn run` into its sanitizer build, so that it behaves alike however it is
 * started: no leak detection, which sandboxes do not allow, and no abort on an allocation that is too large.
 */
#ifdef __cplusplus
extern "C"
#endif
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16";
}
