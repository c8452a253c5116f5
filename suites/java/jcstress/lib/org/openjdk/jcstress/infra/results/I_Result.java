package org.openjdk.jcstress.infra.results;

/** A stand-in for jcstress's class of this name. */
public class I_Result {
    public int r1;
}
