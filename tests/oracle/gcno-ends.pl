#!/usr/bin/perl
# gcno-ends.pl FILE.gcno - prints the offsets where records end, one per line.
# Truncated there, the file is valid with fewer functions: it has no end mark.
use strict;
use warnings;

local $/;
open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $file = <$in>;
my $word = substr($file, 0, 4) eq 'oncg' ? 'V' : 'N';

sub word { return $_[0] + 4 > length $file ? 0 : unpack $word, substr $file, $_[0], 4 }

# "B22*" as a number; clang states version 12 or later but writes that of 11.
my ($a, $b, $c) = map { ord } split //, pack 'N', word(4);
my $version = $a >= 65 ? ($a - 65) * 1000 + ($b - 48) * 100 + $c - 48
    : ($a - 48) * 100 + ($b - 48) * 10 + $c - 48;
for my $layout ($version, $version >= 1200 ? 1100 : ()) {
    my $unit = $layout >= 1200 ? 1 : 4;
    my $at = $layout >= 1200 ? 16 : 12;
    $at += 4 + $unit * word($at) if $layout >= 900;
    $at += 4 if $layout >= 800;
    while ($at <= length $file) {
        print "$at\n";
        $at += 8 + $unit * word($at + 4);
    }
}
