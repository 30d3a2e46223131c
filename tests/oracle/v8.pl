#!/usr/bin/perl
# v8.pl FILE - prints a .cpuprofile or .heapprofile of V8 in the format of
# graph.pl: sample by sample, node by node, as Chrome's
# CPUProfileDataModel does it: a sample lasts until the next, the last one for
# the average interval; hitCount samples.
use strict;
use warnings;
use JSON::PP;

local $/;
my $profile = JSON::PP->new->utf8->decode(<>);
my (%node, %cost, %self, %inclusive, %call);
my $nodes = 0;
no warnings 'recursion';

sub walk {
    my ($node, $parent) = @_;
    $node->{id} //= 'node ' . ++$nodes;
    $node->{parent} = $parent if $parent;
    $node{ $node->{id} } = $node;
    walk($_, $node->{id}) for grep { ref } @{ $node->{children} // [] };
}

sub name {
    my ($node) = @_;
    my $f = $node->{callFrame};
    my $url = $f->{url} =~ s{^file://}{}r;
    $url = '(V8)' if $url eq '' && $f->{scriptId} eq '0';
    my $name = length $f->{functionName} ? $f->{functionName} : '(anonymous)';
    return join ':', $url, $f->{lineNumber} + 1, $name;
}

my @events;
if ($profile->{head}) {
    @events = 0;
    walk($profile->{head});
    $cost{$_} = [1, $node{$_}{selfSize}] for keys %node;
}
else {
    @events = (0, 1);
    walk($_) for @{ $profile->{nodes} };
    for my $node (values %node) {
        $node{$_}{parent} = $node->{id} for @{ $node->{children} // [] };
    }
    $cost{$_} = [($node{$_}{hitCount}) x 2, 0] for keys %node;
    my @times = ($profile->{startTime});
    push @times, $times[-1] + $_ for @{ $profile->{timeDeltas} };
    shift @times;
    push @times, $times[-1] + ($times[-1] - $times[0]) / $#times
        if @times == @{ $profile->{samples} };
    for my $i (1 .. $#times) {
        $times[$i] = $times[$i - 1] if $times[$i] < $times[$i - 1];
        $cost{ $profile->{samples}[$i - 1] }[2]
            += int(($times[$i] - $times[$i - 1]) * 1000);
    }
}

for my $id (keys %node) {
    my ($samples, @cost) = @{ $cost{$id} };
    next unless grep { $_ } @cost;
    my (%functions, %calls, $callee);
    for (my $at = $id; $at; $at = $node{$at}{parent}) {
        my $fn = name($node{$at});
        last if $fn eq '(V8):0:(root)';
        $self{$fn} //= [map { 0 } @events];
        if ($at eq $id) { $self{$fn}[$_] += $cost[$_] for @events }
        $functions{$fn} = 1;
        $calls{"$fn\t$callee"} = 1 if defined $callee;
        $callee = $fn;
    }
    for my $fn (keys %functions) { $inclusive{$fn}[$_] += $cost[$_] for @events }
    for my $call (keys %calls) {
        $call{$call}[0] += $samples;
        $call{$call}[$_ + 1] += $cost[$_] for @events;
    }
}
binmode STDOUT, ':utf8';
print sort +(map { join("\t", 'function', $_, join(',', @{ $self{$_} }),
    join(',', @{ $inclusive{$_} })) . "\n" } keys %self),
    (map { join("\t", 'call', $_, $call{$_}[0],
    join(',', @{ $call{$_} }[map { $_ + 1 } @events])) . "\n" } keys %call);
