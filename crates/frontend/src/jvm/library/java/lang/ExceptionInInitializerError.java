package java.lang;

public class ExceptionInInitializerError extends LinkageError {
    public ExceptionInInitializerError(Throwable cause) {
        super(null, cause);
    }
}
