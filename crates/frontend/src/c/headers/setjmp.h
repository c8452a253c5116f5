/* Included by programs that also do other things; nothing of it is modelled but the types. */
#ifndef PALISADE_SETJMP_H
#define PALISADE_SETJMP_H

typedef long jmp_buf[25];
typedef long sigjmp_buf[25];

extern int setjmp(jmp_buf place);
extern void longjmp(jmp_buf place, int value);
extern int sigsetjmp(sigjmp_buf place, int masks);
extern void siglongjmp(sigjmp_buf place, int value);

#endif
