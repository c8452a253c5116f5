/* Words around declarations that mean nothing in C. */
#ifndef PALISADE_SYS_CDEFS_H
#define PALISADE_SYS_CDEFS_H

#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#define __P(parameters) parameters
#define __CONCAT(left, right) left##right
#define __STRING(words) #words

#endif
