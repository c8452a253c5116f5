package org.openjdk.jcstress.annotations;

/** A stand-in for jcstress's class of this name. */
public enum Expect { ACCEPTABLE, ACCEPTABLE_INTERESTING, FORBIDDEN, UNKNOWN }
