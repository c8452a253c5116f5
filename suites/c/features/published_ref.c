/* What published.c should show: a variable. */
int x;

void i(void)
{
    x = 0;
}

void w(void)
{
    x = 1;
}

void t(void)
{
}

void n(void)
{
}

int l(void)
{
    return x;
}
