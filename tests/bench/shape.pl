#!/usr/bin/perl
# shape.pl FILE EVENTS [plain] - prints a callgrind file with another number of
# events; the first event is repeated if there are too few. plain: without
# instructions and jumps.
use strict;
use warnings;

my ($path, $events, $plain) = (@ARGV, '');
my ($positions, $known) = (1, 0);

sub costs {
    my (@costs) = @_;
    push @costs, $costs[0] while @costs < $events;
    return @costs[0 .. $events - 1];
}

open my $in, '<', $path or die "$path: $!\n";
while (<$in>) {
    chomp;
    if (/^positions: (.*)/) {
        $positions = split ' ', $1;
        $_ = 'positions: line' if $plain;
    }
    elsif (/^events: (.*)/) {
        my @names = split ' ', $1;
        $known = @names;
        push @names, 'E' . @names while @names < $events;
        $_ = "events: @names[0 .. $events - 1]";
    }
    elsif (/^(totals|summary): (.*)/) {
        $_ = join ' ', "$1:", costs(split ' ', $2);
    }
    elsif ($plain && /^j(?:fi|fn|cnd|ump)=/) {
        readline $in if /^j(?:cnd|ump)=/;
        next;
    }
    elsif ($plain && $positions == 2 && /^(calls=\S+) \S+ (.*)/) {
        $_ = "$1 $2";
    }
    elsif (/^[-+*0-9]/) {
        my @all = split ' ';
        my @at  = splice @all, 0, $positions;
        shift @at if $plain && $positions == 2;
        # A line may leave out zeros at its end; one of a jump has no costs.
        push @all, 0 while @all && @all < $known;
        $_ = join ' ', @at, @all ? costs(@all) : ();
    }
    print "$_\n";
}
