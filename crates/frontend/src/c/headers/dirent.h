/* Included by programs that also do other things; nothing of it is modelled but the types. */
#ifndef PALISADE_DIRENT_H
#define PALISADE_DIRENT_H

#include <sys/types.h>

typedef struct palisade_directory DIR;
struct dirent {
    ino_t d_ino;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
};

extern DIR *opendir(const char *name);
extern struct dirent *readdir(DIR *directory);
extern int closedir(DIR *directory);

#endif
