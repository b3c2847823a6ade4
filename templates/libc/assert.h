// <assert.h>: off by default, as in upstream's own release builds; PORTER_ASSERT turns it on.
// No include guard: the standard lets a file redefine assert by including this again.
#undef assert
#ifdef PORTER_ASSERT
void porter_assert_failed(const char *condition, const char *file, int line);
#define assert(condition) \
    ((condition) ? (void)0 : porter_assert_failed(#condition, __FILE__, __LINE__))
#else
#define assert(condition) ((void)0)
#endif
#undef static_assert
#define static_assert _Static_assert
