package palisade;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A {@code static void} method without parameters that is the body of a thread. All such methods of a program run in
 * parallel, each once, after the classes are initialised.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface ThreadBody {
    /** Names of the thread methods that end before this one starts. */
    String[] after() default {};
}
