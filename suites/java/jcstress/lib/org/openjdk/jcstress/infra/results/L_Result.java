package org.openjdk.jcstress.infra.results;

public class L_Result {
    public Object r1;
}
