package org.openjdk.jcstress.infra.results;

/** A stand-in for jcstress's class of this name. */
public class III_Result {
    public int r1;
    public int r2;
    public int r3;
}
