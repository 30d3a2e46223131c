#!/usr/bin/perl
# tests/oracle/trace-queues.pl FILE - imports a trace as speedscope does (begins
# and ends wait in two queues, see its src/import/trace-event.ts), and prints
# each thread's intervals: begin, end, names of the stack; times in microseconds
# since the thread's first event, rounded to nanoseconds. Ends that do not match
# the stack are lines "bad end".
use strict;
use warnings;
use JSON::PP;

binmode STDOUT, ':encoding(UTF-8)';
local $/;
open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!\n";
my (%begins, %ends, %first);
for my $event (@{decode_json(<$file>)->{traceEvents}}) {
    next unless $event->{ph} =~ /^[BEX]$/;
    my $thread = "$event->{pid}:$event->{tid}";
    my $ts = $event->{ts} + 0;
    $first{$thread} = $ts if $ts < ($first{$thread} // 9e99);
    push @{$begins{$thread}}, [$event, $ts] if $event->{ph} ne 'E';
    push @{$ends{$thread}}, [$event, $ts + ($event->{dur} // 0)]
        if $event->{ph} ne 'B';
}

for my $thread (sort keys %first) {
    my $first = $first{$thread};
    # B before X; of X that begin at one time the longest first. Ends are those
    # of E, then those of X in the order of their begins.
    my @b = grep { $_->[0]{ph} eq 'B' } @{$begins{$thread}};
    my @e = grep { $_->[0]{ph} eq 'E' } @{$ends{$thread}};
    my @x = sort { $a->{ts} <=> $b->{ts} || $b->{dur} <=> $a->{dur} }
        map { $_->[0] } grep { $_->[0]{ph} eq 'X' } @{$begins{$thread}};
    @b = sort { $a->[1] <=> $b->[1] }
        map { [$_->{name}, $_->{ts} - $first] } (map { $_->[0] } @b), @x;
    @e = sort { $a->[1] <=> $b->[1] } (map { [$_->[0]{name}, $_->[1] - $first] } @e),
        map { [$_->{name}, $_->{ts} - $first + $_->{dur}] } @x;

    my (@stack, @rows);
    my $now = 0;
    while (@b || @e) {
        my $begin = !@e || (@b && ($b[0][1] < $e[0][1] ||
            ($b[0][1] == $e[0][1] && $b[0][0] eq $e[0][0])));
        my $time = $begin ? $b[0][1] : $e[0][1];
        if (sprintf('%.3f', $time) > sprintf('%.3f', $now)) {
            my $names = join ';', @stack;
            if (@rows && $rows[-1][1] == $now && $rows[-1][2] eq $names) {
                $rows[-1][1] = $time;
            }
            elsif (@stack) { push @rows, [$now, $time, $names] }
            $now = $time;
        }
        if ($begin) {
            push @stack, (shift @b)->[0];
            next;
        }
        # The first end of that time that matches the stack's top comes first.
        for my $i (1 .. $#e) {
            last if $e[$i][1] > $e[0][1];
            next if !@stack || $e[$i][0] ne $stack[-1];
            @e[0, $i] = @e[$i, 0];
            last;
        }
        my $end = shift @e;
        if (@stack && $stack[-1] eq $end->[0]) { pop @stack }
        else { print "bad end\t$thread\t$end->[1]\t$end->[0]\n" }
    }
    print "bad end\t$thread\t$_\n" for @stack;
    printf "%s\t%.3f\t%.3f\t%s\n", $thread, @$_ for @rows;
}
