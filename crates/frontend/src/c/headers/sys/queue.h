/* Lists of structs that hold their own links: singly and doubly linked, and those with a tail. */
#ifndef PALISADE_SYS_QUEUE_H
#define PALISADE_SYS_QUEUE_H

#define SLIST_HEAD(name, type) struct name { struct type *slh_first; }
#define SLIST_HEAD_INITIALIZER(head) { 0 }
#define SLIST_ENTRY(type) struct { struct type *sle_next; }
#define SLIST_INIT(head) ((head)->slh_first = 0)
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_EMPTY(head) ((head)->slh_first == 0)
#define SLIST_NEXT(element, field) ((element)->field.sle_next)
#define SLIST_FOREACH(at, head, field) for ((at) = (head)->slh_first; (at); (at) = (at)->field.sle_next)
#define SLIST_INSERT_HEAD(head, element, field) \
    do { \
        (element)->field.sle_next = (head)->slh_first; \
        (head)->slh_first = (element); \
    } while (0)
#define SLIST_INSERT_AFTER(before, element, field) \
    do { \
        (element)->field.sle_next = (before)->field.sle_next; \
        (before)->field.sle_next = (element); \
    } while (0)
#define SLIST_REMOVE_HEAD(head, field) ((head)->slh_first = (head)->slh_first->field.sle_next)
#define SLIST_REMOVE(head, element, type, field) \
    do { \
        struct type **palisade_link = &(head)->slh_first; \
        while (*palisade_link != (element)) \
            palisade_link = &(*palisade_link)->field.sle_next; \
        *palisade_link = (element)->field.sle_next; \
    } while (0)

#define LIST_HEAD(name, type) struct name { struct type *lh_first; }
#define LIST_HEAD_INITIALIZER(head) { 0 }
#define LIST_ENTRY(type) struct { struct type *le_next; struct type **le_prev; }
#define LIST_INIT(head) ((head)->lh_first = 0)
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_EMPTY(head) ((head)->lh_first == 0)
#define LIST_NEXT(element, field) ((element)->field.le_next)
#define LIST_FOREACH(at, head, field) for ((at) = (head)->lh_first; (at); (at) = (at)->field.le_next)
#define LIST_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.le_next = (head)->lh_first) != 0) \
            (head)->lh_first->field.le_prev = &(element)->field.le_next; \
        (head)->lh_first = (element); \
        (element)->field.le_prev = &(head)->lh_first; \
    } while (0)
#define LIST_REMOVE(element, field) \
    do { \
        if ((element)->field.le_next != 0) \
            (element)->field.le_next->field.le_prev = (element)->field.le_prev; \
        *(element)->field.le_prev = (element)->field.le_next; \
    } while (0)

#define STAILQ_HEAD(name, type) struct name { struct type *stqh_first; struct type **stqh_last; }
#define STAILQ_HEAD_INITIALIZER(head) { 0, &(head).stqh_first }
#define STAILQ_ENTRY(type) struct { struct type *stqe_next; }
#define STAILQ_INIT(head) \
    do { \
        (head)->stqh_first = 0; \
        (head)->stqh_last = &(head)->stqh_first; \
    } while (0)
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_EMPTY(head) ((head)->stqh_first == 0)
#define STAILQ_NEXT(element, field) ((element)->field.stqe_next)
#define STAILQ_FOREACH(at, head, field) for ((at) = (head)->stqh_first; (at); (at) = (at)->field.stqe_next)
#define STAILQ_INSERT_TAIL(head, element, field) \
    do { \
        (element)->field.stqe_next = 0; \
        *(head)->stqh_last = (element); \
        (head)->stqh_last = &(element)->field.stqe_next; \
    } while (0)
#define STAILQ_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.stqe_next = (head)->stqh_first) == 0) \
            (head)->stqh_last = &(element)->field.stqe_next; \
        (head)->stqh_first = (element); \
    } while (0)
#define STAILQ_REMOVE_HEAD(head, field) \
    do { \
        if (((head)->stqh_first = (head)->stqh_first->field.stqe_next) == 0) \
            (head)->stqh_last = &(head)->stqh_first; \
    } while (0)

#define TAILQ_HEAD(name, type) struct name { struct type *tqh_first; struct type **tqh_last; }
#define TAILQ_HEAD_INITIALIZER(head) { 0, &(head).tqh_first }
#define TAILQ_ENTRY(type) struct { struct type *tqe_next; struct type **tqe_prev; }
#define TAILQ_INIT(head) \
    do { \
        (head)->tqh_first = 0; \
        (head)->tqh_last = &(head)->tqh_first; \
    } while (0)
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_EMPTY(head) ((head)->tqh_first == 0)
#define TAILQ_NEXT(element, field) ((element)->field.tqe_next)
#define TAILQ_FOREACH(at, head, field) for ((at) = (head)->tqh_first; (at); (at) = (at)->field.tqe_next)
#define TAILQ_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.tqe_next = (head)->tqh_first) != 0) \
            (head)->tqh_first->field.tqe_prev = &(element)->field.tqe_next; \
        else \
            (head)->tqh_last = &(element)->field.tqe_next; \
        (head)->tqh_first = (element); \
        (element)->field.tqe_prev = &(head)->tqh_first; \
    } while (0)
#define TAILQ_INSERT_TAIL(head, element, field) \
    do { \
        (element)->field.tqe_next = 0; \
        (element)->field.tqe_prev = (head)->tqh_last; \
        *(head)->tqh_last = (element); \
        (head)->tqh_last = &(element)->field.tqe_next; \
    } while (0)
#define TAILQ_REMOVE(head, element, field) \
    do { \
        if ((element)->field.tqe_next != 0) \
            (element)->field.tqe_next->field.tqe_prev = (element)->field.tqe_prev; \
        else \
            (head)->tqh_last = (element)->field.tqe_prev; \
        *(element)->field.tqe_prev = (element)->field.tqe_next; \
    } while (0)

#endif
