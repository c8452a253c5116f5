package java.util.concurrent;

/** Units of time. */
public enum TimeUnit {
    NANOSECONDS(1L),
    MICROSECONDS(1000L),
    MILLISECONDS(1000_000L),
    SECONDS(1000_000_000L),
    MINUTES(60 * 1000_000_000L),
    HOURS(3600 * 1000_000_000L),
    DAYS(24 * 3600 * 1000_000_000L);

    private final long nanos;

    TimeUnit(long nanos) {
        this.nanos = nanos;
    }

    /** A duration of one unit in another; what does not fit is the largest or smallest. */
    private static long converted(long duration, long from, long to) {
        if (from <= to) {
            return duration / (to / from);
        }
        long ratio = from / to;
        if (duration > Long.MAX_VALUE / ratio) {
            return Long.MAX_VALUE;
        }
        return duration < -(Long.MAX_VALUE / ratio) ? Long.MIN_VALUE : duration * ratio;
    }

    public long convert(long duration, TimeUnit unit) {
        return converted(duration, unit.nanos, nanos);
    }

    public long toNanos(long duration) {
        return converted(duration, nanos, NANOSECONDS.nanos);
    }

    public long toMicros(long duration) {
        return converted(duration, nanos, MICROSECONDS.nanos);
    }

    public long toMillis(long duration) {
        return converted(duration, nanos, MILLISECONDS.nanos);
    }

    public long toSeconds(long duration) {
        return converted(duration, nanos, SECONDS.nanos);
    }

    public long toMinutes(long duration) {
        return converted(duration, nanos, MINUTES.nanos);
    }

    public long toHours(long duration) {
        return converted(duration, nanos, HOURS.nanos);
    }

    public long toDays(long duration) {
        return converted(duration, nanos, DAYS.nanos);
    }

    public void sleep(long duration) throws InterruptedException {
        if (duration > 0) {
            Thread.sleep(toMillis(duration));
        }
    }

    public void timedJoin(Thread thread, long duration) throws InterruptedException {
        if (duration > 0) {
            thread.join(Math.max(1, toMillis(duration)));
        }
    }

    public void timedWait(Object monitor, long duration) throws InterruptedException {
        if (duration > 0) {
            monitor.wait(Math.max(1, toMillis(duration)));
        }
    }
}
