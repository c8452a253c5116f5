/* What stale_cache.c should show: a variable. */
int x;

void i(void)
{
    x = 0;
}

void w(void)
{
    x = 1;
}

int r(void)
{
    return x;
}
