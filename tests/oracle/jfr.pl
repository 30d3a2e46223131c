#!/usr/bin/perl
# jfr.pl [FILE] - prints the samples of a recording, from the output of
# "jfr print --json" or from cgconv's JSON, sorted, tab-separated, to compare
# them:
#
#   EVENT  THREAD  STATE  CLASS  STACK  COST
#
# A stack is its frames from the root, joined by ";": the method with its
# descriptor, ":" and the line, and "_[i]" if it was inlined. Costs of one
# stack are added up; costs of 0 are left out.
use strict;
use warnings;
use JSON::PP;

my %weight = (
    'jdk.ExecutionSample'          => undef,
    'jdk.NativeMethodSample'       => undef,
    'jdk.ObjectAllocationSample'   => 'weight',
    'jdk.ObjectAllocationInNewTLAB' => 'tlabSize',
    'jdk.ObjectAllocationOutsideTLAB' => 'allocationSize',
    'jdk.JavaMonitorEnter'         => 'duration',
    'jdk.JavaMonitorWait'          => 'duration',
    'jdk.ThreadPark'               => 'duration',
    'jdk.ThreadSleep'              => 'duration',
);
my %primitive = (B => 'byte', C => 'char', D => 'double', F => 'float',
    I => 'int', J => 'long', S => 'short', Z => 'boolean');
my %sum;

sub add {
    my ($cost, @key) = @_;
    $sum{join "\t", @key} += $cost if $cost;
}

# ---- jfr print --------------------------------------------------------------

# Nanoseconds of PT1M2.5S; numbers as they are.
sub cost {
    my ($text) = @_;
    return $text if $text =~ /^\d+$/;
    my ($h, $m, $s, $ns) =
        $text =~ /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?$/
        or die "not a duration: $text\n";
    return ((($h // 0) * 60 + ($m // 0)) * 60 + ($s // 0)) * 1000000000
        + substr(($ns // '') . '000000000', 0, 9);
}

sub class {
    my ($class) = @_;
    my $name = $class ? $class->{name} : '';
    my $levels = $name =~ s/^(\[+)// ? length $1 : 0;
    $name = $primitive{$name} // $name =~ s/^L(.*);$/$1/r if $levels;
    return $name =~ tr{/}{.}r . '[]' x $levels;
}

sub frame {
    my ($frame, $root) = @_;
    my $method = $frame->{method};
    my $line = $frame->{lineNumber} // 0;
    return class($method->{type}) . ".$method->{name}$method->{descriptor}:"
        . ($line > 0 ? $line : 0)
        . (!$root && $frame->{type} eq 'Inlined' ? '_[i]' : '');
}

sub from_jfr {
    my ($events) = @_;
    for my $event (@$events) {
        my $v = $event->{values};
        next if !exists $weight{$event->{type}};
        my $field = $weight{$event->{type}};
        my $thread = $v->{sampledThread} // $v->{eventThread};
        my @frames = $v->{stackTrace} ? @{$v->{stackTrace}{frames}} : ();
        my @stack = map { frame($frames[$_], $_ == $#frames) }
            reverse 0 .. $#frames;
        add(defined $field ? cost($v->{$field}) : 1,
            $event->{type} =~ s/^jdk\.//r,
            $thread ? $thread->{javaName} // $thread->{osName} : '',
            $v->{state} // '',
            class($v->{objectClass} // $v->{monitorClass}
                // $v->{parkedClass}),
            join ';', @stack);
    }
}

# ---- cgconv -----------------------------------------------------------------

sub from_cgconv {
    my ($json, @lines) = @_;
    my (@event, @fn, @label, @stack);
    for (map { $json->decode($_) } @lines) {
        next if ref $_ ne 'ARRAY';
        my ($what, @row) = @$_;
        if ($what eq 'event') {
            $event[$row[0]] = $row[1];
        } elsif ($what eq 'function') {
            $fn[$row[0]] = $row[9] // $row[1];
        } elsif ($what eq 'labels') {
            my $set = shift @row;
            $label[$set] = {map { $_->[0] => $_->[-1] } @row};
        } elsif ($what eq 'frame') {
            my ($node, $parent, $fn, undef, $line, undef, $inlined) = @row;
            $stack[$node] = ($parent ? "$stack[$parent];" : '')
                . "$fn[$fn]:$line" . ($inlined ? '_[i]' : '');
        } elsif ($what eq 'stack') {
            my ($leaf, undef, $cost, $labels) = @row;
            my $of = $labels ? $label[$labels] : {};
            add($cost->[$_], $event[$_], $of->{thread} // '',
                $of->{state} // '', $of->{class} // '', $stack[$leaf])
                for 0 .. $#$cost;
        }
    }
}

binmode STDOUT, ':encoding(UTF-8)';
my $json = JSON::PP->new->utf8;
my @lines = <>;
if ($lines[0] =~ /"cgconv"/) {
    from_cgconv($json, @lines);
} else {
    from_jfr($json->decode(join '', @lines)->{recording}{events});
}
print map { "$_\t$sum{$_}\n" } sort keys %sum;
