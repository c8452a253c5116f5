#define USERS 2
static int users;
static const int most = USERS;
static inline int use(void) { return users++ < most; }
int both(void);
