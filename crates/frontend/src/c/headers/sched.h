/* Giving way. */
#ifndef PALISADE_SCHED_H
#define PALISADE_SCHED_H

extern int sched_yield(void);
extern int sched_getcpu(void);

#endif
