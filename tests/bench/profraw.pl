#!/usr/bin/perl
# profraw.pl FILE DIRECTORY COUNT - writes COUNT copies of a .profraw (64 bits,
# little endian) as DIRECTORY/run1.profraw, ... In each, the counters of every
# function are multiplied by a number of its own, which is 0 for half of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($file, $directory, $count) = @ARGV;

open my $in, '<:raw', $file or die "$file: $!\n";
my $raw = do { local $/; <$in> };
my $version = unpack 'x8 V', $raw;
# By version: words after that of the version, place of the distance to the
# counters among them, size of a function's record, place of their number in it.
my %layout = (
    8  => [9,  6, 48, 40],
    9  => [12, 8, 64, 48],
    10 => [14, 8, 64, 48],
    11 => [17, 11, 72, 56],
);
my ($words, $delta, $size, $place) = @{ $layout{$version}
        or die "$file: version $version is not known\n" };
my @word = unpack "x16 Q<$words", $raw;
my $records  = 16 + 8 * $words + $word[0];
my $counters = $records + $size * $word[1] + $word[2];
my @counter  = unpack "x$counters Q<$word[3]", $raw;
my @function; # first counter, number of counters

for my $i (0 .. $word[1] - 1) {
    my $at = $records + $i * $size;
    my ($address) = unpack 'x' . ($at + 16) . 'q<', $raw;
    my ($n) = unpack 'x' . ($at + $place) . 'V', $raw;
    my $distance = unpack 'q<', pack 'Q<', $word[$delta];
    push @function, [($address - $distance + $i * $size) / 8, $n];
}
for my $copy (1 .. $count) {
    my @new = @counter;
    for my $function (@function) {
        my ($first, $n) = @$function;
        my $by = below(2) * below(10);
        $_ *= $by for @new[$first .. $first + $n - 1];
    }
    open my $out, '>:raw', "$directory/run$copy.profraw" or die "$!\n";
    print $out substr($raw, 0, $counters), pack('Q<*', @new),
        substr($raw, $counters + 8 * @new);
    close $out or die "$!\n";
}
