#!/usr/bin/perl
# conserved.pl FORMAT FILES WANT GOT - did the writer of FORMAT conserve the self
# costs of the files? FILES has their names; WANT and GOT have the sums before and
# after, as callgrind.pl --totals prints them.
use strict;
use warnings;

my ($format, @lists) = @ARGV;

sub lines_of {
    my ($name) = @_;
    open my $in, '<', $name or die "$name: $!\n";
    chomp(my @lines = <$in>);
    return @lines;
}

# Returns file -> list of [event, sum].
sub sums_of {
    my %sums;
    for (lines_of(@_)) {
        my ($file, $event, $sum) = split /\t/;
        push @{ $sums{$file} }, [$event, $sum];
    }
    return \%sums;
}

sub is_near { my ($x, $y) = @_; return abs(1 - $x / ($y + 1e-9)) < 1e-3 }

# A writer may be limited to one event, which it keeps.
sub is_one_kept {
    my ($want, $got) = @_;
    my %is_wanted = map { ("@$_" => 1) } @$want;
    return grep { $is_wanted{"@$_"} } @$got;
}

# Counters of 16 bits keep the first digits of larger costs, in nanoseconds or
# powers of ten. Costs that are not time are microseconds there.
sub is_scaled {
    my ($want, $got) = @_;
    for my $g (map { $_->[1] } @$got) {
        for my $w (map { $_->[1] } @$want) {
            for my $digits (0 .. 12) {
                my $unit = 10**$digits;
                return 1 if is_near($g * $unit, $w) || is_near($g / $unit, $w);
            }
        }
    }
    return 0;
}

# Some formats drop the event's name.
sub is_kept_without_name {
    my ($want, $got) = map { join "\n", map { $_->[1] } @$_ } @_;
    return $want eq $got || grep { $_->[1] eq $got } @{ $_[0] };
}

sub is_same {
    my ($want, $got) = map { join "\n", map { "@$_" } @$_ } @_;
    return $want eq $got;
}

my %rule = (
    'gcov-json' => \&is_one_kept,
    'gcov-text' => \&is_one_kept,
    gprof       => \&is_scaled,
    cpuprofile  => \&is_scaled,
    folded        => \&is_kept_without_name,
    'trace-event' => \&is_kept_without_name,
    firefox       => \&is_kept_without_name,
);

my @files = lines_of($lists[0]);
my ($want, $got) = map { sums_of($_) } @lists[1, 2];
my $bad = 0;
for my $file (@files) {
    my $rule = $rule{$format} || ($file =~ m{^samples/jacoco/} ? \&is_one_kept : \&is_same);
    my @sums = map { $_->{$file} || [] } $want, $got;
    next if $rule->(@sums);
    my ($before, $after) = map { join ', ', map { "@$_" } @$_ } @sums;
    print "$format: $file has $before before, $after after\n";
    $bad = 1;
}
exit $bad;
