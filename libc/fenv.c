/* fetestexcept, fegetexceptflag, fegetenv, feholdexcept: their results depend on the arithmetic before them */
#include "model.h"
#include <fenv.h>

void __cairn_flags_told(void);

int MODEL(fetestexcept)(int exceptions)
{
    __cairn_flags_told();
    return fetestexcept((int)__cairn_concretized((size_t)exceptions));
}

int MODEL(fegetexceptflag)(fexcept_t *flags, int exceptions)
{
    __cairn_flags_told();
    return fegetexceptflag(flags, (int)__cairn_concretized((size_t)exceptions));
}

int MODEL(fegetenv)(fenv_t *environment)
{
    __cairn_flags_told();
    return fegetenv(environment);
}

int MODEL(feholdexcept)(fenv_t *environment)
{
    __cairn_flags_told();
    return feholdexcept(environment);
}
