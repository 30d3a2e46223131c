#!/usr/bin/perl
# graph.pl [FILE] - prints the functions and calls in cgconv's JSON, sorted,
# tab-separated, to compare them with the output of a profiler's own tool:
#
#   function  FILE:LINE:NAME  SELF  INCLUSIVE
#   call      CALLER  CALLEE  COUNT  COST
#
# FILE is the object if there is no file. A line appended to a name ("run:9") is
# removed. INCLUSIVE is - if not stated. Costs of several events are joined by
# commas. Call stacks are folded: a function or call that occurs several times on
# a stack is counted once; COUNT is in samples.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8(0)->allow_nonref;
my (@object, @file, @name, %self, %inclusive, %call, @frame, $rows);
my $events = 0;
$object[0] = $file[0] = '';
$name[0] = '<spontaneous>';

sub add {
    my ($sum, $cost) = @_;
    $sum->[$_] += $cost->[$_] for 0 .. $#$cost;
}

sub costs {
    my ($cost) = @_;
    return join ',', map { $cost->[$_] // 0 } 0 .. $events - 1;
}

sub add_call {
    my ($from, $to, $count, $cost) = @_;
    my $call = $call{$from}{$to} //= { count => 0, cost => [] };
    $call->{count} += $count;
    add($call->{cost}, $cost);
}

sub add_stack {
    my ($leaf, $samples, $cost) = @_;
    my (%functions, %calls);
    add($self{ $frame[$leaf]{fn} }, $cost);
    for (my $at = $leaf; $at != 0; $at = $frame[$at]{parent}) {
        my $fn = $frame[$at]{fn};
        $functions{$fn} = 1;
        my $parent = $frame[$at]{parent};
        $calls{"$frame[$parent]{fn} $fn"} = 1 if $parent != 0;
    }
    add($inclusive{$_} //= [], $cost) for keys %functions;
    add_call(split(/ /), $samples, $cost) for keys %calls;
}

while (<>) {
    my $record = $json->decode($_);
    next unless ref $record eq 'ARRAY';
    my ($tag, @f) = @$record;
    if ($tag eq 'event')     { $events++ }
    elsif ($tag eq 'object') { $object[$f[0]] = $f[1] }
    elsif ($tag eq 'file')   { $file[$f[0]]   = $f[1] }
    elsif ($tag eq 'function') {
        my ($id, $name, $file, $object, $line) = @f;
        $line //= 0;
        $name =~ s/:$line(:\d+)?$//;
        my $where = length $file[$file] ? $file[$file] : $object[$object];
        $name[$id] = "$where:$line:$name";
        $self{$id} = [];
    }
    elsif ($tag eq 'rows')      { $rows = $f[0] }
    elsif ($tag eq 'cost')      { add($self{$rows}, $f[3]) }
    elsif ($tag eq 'inclusive') { add($inclusive{$rows} //= [], $f[0]) }
    elsif ($tag eq 'call')      { add_call($rows, @f[3, 6, 7]) }
    elsif ($tag eq 'frame') { $frame[$f[0]] = { parent => $f[1], fn => $f[2] } }
    elsif ($tag eq 'stack') { add_stack(@f) }
}

my @lines;
for my $fn (keys %self) {
    my $inclusive = $inclusive{$fn} ? costs($inclusive{$fn}) : '-';
    push @lines, "function\t$name[$fn]\t" . costs($self{$fn}) . "\t$inclusive\n";
}
for my $from (keys %call) {
    for my $to (keys %{ $call{$from} }) {
        my $call = $call{$from}{$to};
        push @lines, join "\t", 'call', $name[$from], $name[$to],
            $call->{count}, costs($call->{cost}) . "\n";
    }
}
binmode STDOUT, ':utf8';
print sort @lines;
