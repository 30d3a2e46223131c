#!/usr/bin/perl
# grow.pl FILE BYTES - prints a callgrind file of at least BYTES bytes: the body
# of FILE repeated, with new functions each time.
use strict;
use warnings;

my ($path, $bytes) = @ARGV;
my (@head, @body, @totals, $highest);

open my $in, '<', $path or die "$path: $!\n";
$highest = 0;
while (<$in>) {
    if    (!@body && !/^(?:ob|fl|fn)=/) { push @head, $_ }
    elsif (/^totals: (.*)/)             { @totals = split ' ', $1 }
    else {
        push @body, $_;
        $highest = $1 if /^[cj]?fn=\((\d+)\)/ && $1 > $highest;
    }
}
my $size = 0;
$size += length for @body;
my $copies = int($bytes / $size) + 1;

sub multiply { return join ' ', map { $_ * $copies } @_ }

for (@head) {
    s/^(summary: )(.*)/$1 . multiply(split ' ', $2)/e;
    print;
}
for my $copy (0 .. $copies - 1) {
    my $shift = $copy * ($highest + 1);
    for my $line (@body) {
        if ($line =~ /^([cj]?fn=)\((\d+)\)(.*)/) {
            my $name = length $3 ? "$3.$copy" : '';
            print "$1(", $2 + $shift, ")$name\n";
        }
        # The first copy has defined the names of files and objects.
        elsif ($copy && $line =~ /^([a-z]+=\(\d+\)) /) { print "$1\n" }
        else                                           { print $line }
    }
}
print 'totals: ', multiply(@totals), "\n";
