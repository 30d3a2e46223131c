#!/usr/bin/perl
# gcov-ways.pl ARCS LINES OUT - writes OUT.gcno and OUT.gcda, as of gcc 12, of a
# function with one block that is the last of LINES lines and the target of ARCS
# arcs: counting its lines takes ARCS * LINES steps.
use strict;
use warnings;

my ($arcs, $lines, $out) = @ARGV;

sub text { pack 'V/a*', "$_[0]\0" }
sub words { pack 'V*', @_ }
sub record { pack 'V V/a*', @_ }

my @ident = (7, 1, 1);
my @places = map { words(0) . text('a.c') . words($_) } 1 .. $lines;

open my $notes, '>:raw', "$out.gcno" or die "$out.gcno: $!\n";
print $notes 'oncg*22B', words(1, 1), text('/'), words(0),
    record(0x01000000, words(@ident) . text('f') . words(0) . text('a.c') .
        words(1, 1, 9, 1)),
    record(0x01410000, words(5)),
    record(0x01430000, words(0, 2, 0)),
    record(0x01430000, words(2, (3, 0) x $arcs)),
    record(0x01430000, words(3, 4, 0)),
    record(0x01430000, words(4, 1, 0)),
    record(0x01450000, join '', words(3), @places, words(0, 0));
close $notes or die "$out.gcno: $!\n";

open my $data, '>:raw', "$out.gcda" or die "$out.gcda: $!\n";
print $data 'adcg*22B', words(1, 1), record(0x01000000, words(@ident)),
    record(0x01a10000, words((1, 0) x ($arcs + 3))), words(0);
close $data or die "$out.gcda: $!\n";
