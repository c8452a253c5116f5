package palisade;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A native or empty {@code void} method whose calls the outside world can see: an external action in the sense of the
 * Java memory model, as input and output are. A native one may give a number, which may be any of its type.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Special {}
