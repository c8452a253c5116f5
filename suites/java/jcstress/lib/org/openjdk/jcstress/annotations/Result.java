package org.openjdk.jcstress.annotations;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** A stand-in for jcstress's annotation of this name. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Result {}
