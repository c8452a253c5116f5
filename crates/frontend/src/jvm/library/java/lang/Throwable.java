package java.lang;

public class Throwable implements java.io.Serializable {
    private String message;
    private Throwable cause;

    public Throwable() {}

    public Throwable(String message) {
        this.message = message;
    }

    public Throwable(String message, Throwable cause) {
        this.message = message;
        this.cause = cause;
    }

    public Throwable(Throwable cause) {
        this.cause = cause;
        if (cause != null) {
            message = cause.toString();
        }
    }

    public String getMessage() {
        return message;
    }

    public String getLocalizedMessage() {
        return getMessage();
    }

    public Throwable getCause() {
        return cause;
    }

    public Throwable initCause(Throwable cause) {
        this.cause = cause;
        return this;
    }

    /** Not modelled: exceptions that a resource throws while another one is under way are dropped. */
    public final void addSuppressed(Throwable suppressed) {}

    public Throwable fillInStackTrace() {
        return this;
    }

    public void printStackTrace() {
        System.err.println(toString());
    }

    public String toString() {
        String text = getLocalizedMessage();
        String name = palisade.Machine.className(this);
        return text == null ? name : name + ": " + text;
    }
}
