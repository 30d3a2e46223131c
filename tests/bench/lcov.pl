#!/usr/bin/perl
# lcov.pl BYTES [TEST] - prints a tracefile of lcov of at least BYTES bytes: files
# of 500 lines, of which every other one has code, with 20 functions and
# branches. TEST: the coverage by that test, from 0 on, an eighth of the files;
# all tests have the same lines and branches.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes, $test) = @ARGV;

# True if the line has two branches.
sub branches {
    my ($file, $line) = @_;
    return defined $test ? ($file + 5 * $line) % 8 == 0 : below(8) == 0;
}

sub section {
    my ($file) = @_;
    my $text = "TN:\nSF:/home/user/project/src/module" . $file % 70
        . "/file$file.cc\n";
    $text .= sprintf "FN:%d,_ZN7project6method%dEv\n", 1 + 25 * $_,
        $file * 20 + $_ for 0 .. 19;
    $text .= sprintf "FNDA:%d,_ZN7project6method%dEv\n", below(1000),
        $file * 20 + $_ for 0 .. 19;
    for my $line (map { 2 * $_ + 1 } 0 .. 249) {
        $text .= "BRDA:$line,0,$_," . below(1000) . "\n"
            for 0 .. (branches($file, $line) ? 1 : -1);
        $text .= "DA:$line," . below(100000) . "\n";
    }
    return $text . "end_of_record\n";
}

# The same numbers for each test would be a special case.
below(2) for 1 .. 7 * ($test // 0);

my $files = int($bytes / 700) + 1; # of a test, by its number of files
my $size = 0;
for (my $file = 0; $size < $bytes; $file++) {
    my $text = section(
        defined $test ? (37 * $test + $file) % $files : $file);
    print $text;
    $size += length $text;
}
