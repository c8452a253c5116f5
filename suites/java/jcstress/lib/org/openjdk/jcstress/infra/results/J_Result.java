package org.openjdk.jcstress.infra.results;

/** A stand-in for jcstress's class of this name. */
public class J_Result {
    public long r1;
}
