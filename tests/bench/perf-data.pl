#!/usr/bin/perl
# perf-data.pl BYTES - prints lines of which tests/formats/perf-data.pl makes a
# recording of about BYTES bytes: 2000 stacks of 4 to 24 frames, in rounds of 2000
# samples.
use strict;
use warnings;

my $bytes = shift;
srand 1;
my @stacks = map {
    my $depth = 4 + int rand 21;
    join ' ', 'u', map { sprintf '%x', 0x400000 + 16 * int rand 30 * $_ }
        reverse 1 .. $depth;
} 1 .. 2000;

print "comm 1 7 7 prog\nmmap 2 7 400000 100000 0 /x/prog\n";
for (my ($n, $at) = (0, 0); $at < $bytes; $n++) {
    my $stack = $stacks[rand @stacks];
    print 'sample ', 1000 + 1000 * $n, ' 7 7 1 1000000 ', "$stack\n";
    $at += 64 + 8 * (() = $stack =~ / /g);
    print "round\n" if $n % 2000 == 1999;
}
