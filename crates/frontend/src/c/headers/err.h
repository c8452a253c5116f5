/* Messages: those that end the program say that something is wrong. */
#ifndef PALISADE_ERR_H
#define PALISADE_ERR_H

extern void abort(void);

#define err(status, ...) abort()
#define errx(status, ...) abort()
#define warn(...) ((void)0)
#define warnx(...) ((void)0)

#endif
