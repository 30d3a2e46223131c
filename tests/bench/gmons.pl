#!/usr/bin/perl
# gmons.pl FILE DIRECTORY COUNT - writes COUNT copies of a gmon.out of 64 bits as
# DIRECTORY/run1.gmon, ... with other counts of calls.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($file, $directory, $count) = @ARGV;

open my $in, '<:raw', $file or die "$file: $!\n";
my $raw = do { local $/; <$in> };
my @arc; # places of their counts

for (my $at = 20; $at < length $raw; ) {
    my $tag = unpack "x$at C", $raw;
    push @arc, $at + 17 if $tag == 1;
    $at += $tag == 1 ? 21
        : $tag == 0 ? 41 + 2 * unpack 'x' . ($at + 17) . 'V', $raw
        : die "$file: a record of kind $tag\n";
}
for my $copy (1 .. $count) {
    substr($raw, $_, 4) = pack 'V', 1 + below(10000) for @arc;
    open my $out, '>:raw', "$directory/run$copy.gmon" or die "$!\n";
    print $out $raw;
    close $out or die "$!\n";
}
