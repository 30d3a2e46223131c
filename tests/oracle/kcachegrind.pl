#!/usr/bin/perl
# kcachegrind.pl FILE - prints the functions of a callgrind file of which
# KCachegrind shows less than the self cost and the calls by them:
#
#   PART  FUNCTION  EVENT  SHOWN  SELF-AND-CALLS
#
# FILE is the output of callgrind.pl. KCachegrind sums the calls of a function
# that was called, and its self cost and calls of others else, both without calls
# by itself (TracePartFunction::update() in its libcore/tracedata.cpp). Members of
# cycles are skipped, as it shows them with the cost of the cycle.
use strict;
use warnings;

my (%own, %in, %called, %to);

while (<>) {
    chomp;
    my ($kind, @word) = split /\t/;
    if ($kind eq 'self') {
        my $fn = join "\t", @word[0 .. 3];
        for (@word[7 .. $#word]) {
            my ($event, $cost) = /^(.*)=(\d+)$/ or die "no cost: $_\n";
            $own{$fn}{$event} += $cost;
        }
    }
    elsif ($kind eq 'call') {
        my $fn = join "\t", @word[0 .. 3];
        my $callee = join "\t", $word[0], @word[8 .. 10];
        $called{$callee} += $word[13];
        next if $fn eq $callee;
        $to{$fn}{$callee} = 1;
        for (@word[14 .. $#word]) {
            my ($event, $cost) = /^(.*)=(\d+)$/ or die "no cost: $_\n";
            $own{$fn}{$event} += $cost;
            $in{$callee}{$event} += $cost;
        }
    }
}

sub in_cycle {
    my ($fn) = @_;
    my (%seen, @next);
    @next = keys %{ $to{$fn} };
    while (defined(my $at = pop @next)) {
        return 1 if $at eq $fn;
        push @next, keys %{ $to{$at} } if !$seen{$at}++;
    }
    return 0;
}

for my $fn (sort grep { $called{$_} } keys %own) {
    for my $event (sort keys %{ $own{$fn} }) {
        my $shown = $in{$fn}{$event} // 0;
        print join("\t", $fn, $event, $shown, $own{$fn}{$event}), "\n"
            if $shown < $own{$fn}{$event} && !in_cycle($fn);
    }
}
