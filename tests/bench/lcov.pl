#!/usr/bin/perl
# lcov.pl BYTES - prints a tracefile of lcov of at least BYTES bytes: files of
# 500 lines, of which every other one has code, with 20 functions and branches.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes) = @ARGV;

my $size = 0;
for (my $file = 0; $size < $bytes; $file++) {
    my $text = "TN:\nSF:/home/user/project/src/module" . $file % 70
        . "/file$file.cc\n";
    $text .= sprintf "FN:%d,_ZN7project6method%dEv\n", 1 + 25 * $_,
        $file * 20 + $_ for 0 .. 19;
    $text .= sprintf "FNDA:%d,_ZN7project6method%dEv\n", below(1000),
        $file * 20 + $_ for 0 .. 19;
    for my $line (map { 2 * $_ + 1 } 0 .. 249) {
        $text .= "BRDA:$line,0,$_," . below(1000) . "\n"
            for 0 .. (below(8) ? -1 : 1);
        $text .= "DA:$line," . below(100000) . "\n";
    }
    $text .= "end_of_record\n";
    print $text;
    $size += length $text;
}
