/* Included by programs that also do other things; nothing of it is modelled but the types. */
#ifndef PALISADE_SYS_STAT_H
#define PALISADE_SYS_STAT_H

#include <sys/types.h>
#include <time.h>

struct stat {
    dev_t st_dev;
    ino_t st_ino;
    nlink_t st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    int palisade_padding;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks;
    struct timespec st_atim, st_mtim, st_ctim;
    long palisade_reserved[3];
};

extern int stat(const char *path, struct stat *found);
extern int fstat(int file, struct stat *found);
extern int lstat(const char *path, struct stat *found);

#endif
