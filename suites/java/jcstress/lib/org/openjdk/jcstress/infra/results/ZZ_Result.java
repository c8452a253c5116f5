package org.openjdk.jcstress.infra.results;

/** A stand-in for jcstress's class of this name. */
public class ZZ_Result {
    public boolean r1;
    public boolean r2;
}
