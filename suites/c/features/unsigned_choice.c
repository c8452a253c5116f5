/* Any number of an unsigned type: also those whose highest bit is set. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    unsigned char byte = __VERIFIER_nondet_uchar();
    unsigned short number = __VERIFIER_nondet_ushort();
    _Bool truth = __VERIFIER_nondet_bool();
    assert(byte <= 255 && number <= 65535 && (truth == 0 || truth == 1));
#ifdef SMALL
    assert(byte < 200);
#endif
    return 0;
}

/* What is expected.
   expect sc holds engine=axiomatic
   expect sc violated -D SMALL engine=axiomatic
   expect rc11 violated -D SMALL engine=axiomatic */
