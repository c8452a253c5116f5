/* Functions that do not return. */
#ifndef PALISADE_STDNORETURN_H
#define PALISADE_STDNORETURN_H
#define noreturn _Noreturn
#endif
