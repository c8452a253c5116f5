package java.util.concurrent.locks;

public interface Lock {
    void lock();

    void unlock();
}
