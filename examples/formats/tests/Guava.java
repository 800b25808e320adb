/* Builds and checks filters with the real Guava, with the same arguments as
   examples/formats/guava.c, which does so without Guava. The class is in Guava's
   package, because the create() that takes a strategy is not public.

     javac -cp guava.jar -d DIR Guava.java
     java -cp DIR:guava.jar com.google.common.hash.Guava ...
         build [-0] [-x] N P OUT < KEYS
         check [-x] FILE < KEYS
         sizes < LINES          prints, for each line "N P", the header of that
                                filter, or "refused" */
package com.google.common.hash;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

public final class Guava {
    static final BufferedReader IN = new BufferedReader(
        new InputStreamReader(System.in, StandardCharsets.UTF_8));
    static PrintStream out;
    static BloomFilterStrategies strategy =
        BloomFilterStrategies.MURMUR128_MITZ_64;

    static byte[] unhex(String line) {
        byte[] key = new byte[line.length() / 2];
        for (int i = 0; i < key.length; i++)
            key[i] = (byte) Integer.parseInt(
                line.substring(2 * i, 2 * i + 2), 16);
        return key;
    }

    interface Parser<T> { T parse(String line); }

    static <T> void run(String[] words, int at, Funnel<T> funnel,
                        Parser<T> parser) throws Exception {
        String line;
        if (words[0].equals("build")) {
            BloomFilter<T> f = BloomFilter.create(funnel,
                Long.parseLong(words[at]), Double.parseDouble(words[at + 1]),
                strategy);
            while ((line = IN.readLine()) != null)
                f.put(parser.parse(line));
            try (OutputStream to = new BufferedOutputStream(
                     new FileOutputStream(words[at + 2]))) {
                f.writeTo(to);
            }
        } else {
            BloomFilter<T> f;
            try (InputStream from = new BufferedInputStream(
                     new FileInputStream(words[at]))) {
                f = BloomFilter.readFrom(from, funnel);
            }
            while ((line = IN.readLine()) != null)
                if (f.mightContain(parser.parse(line)))
                    out.println(line);
        }
    }

    static String size(long n, double p) throws Exception {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        StringBuilder header = new StringBuilder();
        try {
            BloomFilter.create(Funnels.byteArrayFunnel(), n, p).writeTo(to);
        } catch (IllegalArgumentException e) {
            return "refused";
        }
        for (int i = 0; i < 6; i++)
            header.append(String.format("%02x", to.toByteArray()[i]));
        return header.toString();
    }

    public static void main(String[] words) throws Exception {
        boolean hex = false;
        int at = 1;
        String line;
        out = new PrintStream(System.out, false, "UTF-8");
        for (; at < words.length && words[at].startsWith("-"); at++) {
            hex |= words[at].equals("-x");
            if (words[at].equals("-0"))
                strategy = BloomFilterStrategies.MURMUR128_MITZ_32;
        }
        if (words[0].equals("sizes"))
            while ((line = IN.readLine()) != null)
                out.println(line + " " + size(Long.parseLong(
                    line.split(" ")[0]), Double.parseDouble(
                    line.split(" ")[1])));
        else if (hex)
            run(words, at, Funnels.byteArrayFunnel(), Guava::unhex);
        else
            run(words, at, Funnels.stringFunnel(StandardCharsets.UTF_8),
                text -> text);
        out.flush();
    }
}
