#!/usr/bin/perl
# jacoco.pl FILE - checks a report of JaCoCo: elements are where its DTD allows
# them, and the counters of each element are the sums of what it contains.
use strict;
use warnings;

my %in = (
    sessioninfo => 'report',
    group       => 'report group',
    package     => 'report group',
    class       => 'package',
    method      => 'class',
    sourcefile  => 'package',
    line        => 'sourcefile',
    counter     => 'report group package class method sourcefile',
);

# What a counter of an element is the sum of.
my %parts = (
    report     => 'group package',
    group      => 'group package',
    package    => 'sourcefile',
    sourcefile => 'line class',
    class      => 'method',
);
my @types = qw(INSTRUCTION BRANCH LINE COMPLEXITY METHOD CLASS);

local $/;
my $xml = <>;
$xml =~ s/^<\?xml[^>]*>\s*<!DOCTYPE report PUBLIC[^>]*>\s*// or die "no head\n";
my (@open, %class);

# Adds counters {TYPE}[missed, covered].
sub add {
    my ($to, $from, @which) = @_;
    for my $type (@which) {
        $to->{$type}[$_] += $from->{$type}[$_] // 0 for 0, 1;
    }
}

sub check {
    my ($e, $type) = @_;
    for (0, 1) {
        my ($want, $got) = map { $_ // 0 } $e->{sum}{$type}[$_],
            $e->{counter}{$type}[$_];
        die "$e->{name} $e->{id}: $type is $got, not $want\n"
            if $want != $got;
    }
}

sub end {
    my $e    = pop @open;
    my $name = $e->{name};
    my $up   = $open[-1];
    if ($name eq 'line') {
        my %a = %{$e->{attributes}};
        my ($mi, $ci) = map { $_ // 0 } @a{qw(mi ci)};
        $e->{counter} = {
            INSTRUCTION => [ $mi, $ci ],
            BRANCH      => [ $a{mb} // 0, $a{cb} // 0 ],
            LINE        => [ !$ci || 0, !!$ci || 0 ],
        };
        add($up->{sum}, $e->{counter}, qw(INSTRUCTION BRANCH LINE));
    } elsif ($name eq 'class') {
        # Lines can be in several methods or in none (of functions unknown).
        check($e, 'METHOD');
        # Old reports do not tell the file of a class.
        my $file = $e->{attributes}{sourcefilename} // '';
        add($class{$file} //= {}, $e->{counter}, qw(COMPLEXITY METHOD CLASS));
    } elsif ($name eq 'sourcefile') {
        add($e->{sum}, $class{ $e->{id} } // {}, qw(COMPLEXITY METHOD CLASS));
        check($e, $_) for $class{''} ? @types[0 .. 2] : @types;
        add($up->{sum}, $e->{counter}, @types);
    } elsif ($name eq 'method') {
        add($up->{sum}, $e->{counter}, @types);
    } elsif ($name =~ /^(?:report|group|package)$/) {
        check($e, $_) for @types;
        add($up->{sum}, $e->{counter}, @types) if $up;
        %class = () if $name eq 'package';
    }
}

while ($xml =~ m{<(/?)([a-z]+)((?:\s+[a-z]+="[^"]*")*)\s*(/?)>|(<)}g) {
    my ($close, $name, $attributes, $empty, $bad) = ($1, $2, $3, $4, $5);
    die "syntax\n" if $bad;
    if ($close) {
        $open[-1]{name} eq $name or die "</$name>\n";
        end();
        next;
    }
    my $up = @open ? $open[-1]{name} : '';
    $up eq '' ? $name eq 'report' : grep { $_ eq $up } split / /, $in{$name} // ''
        or die "$name in $up\n";
    my %a = $attributes =~ /([a-z]+)="([^"]*)"/g;
    if ($name eq 'counter') {
        $open[-1]{counter}{ $a{type} } and die "two $a{type}\n";
        $a{missed} + $a{covered} or die "counter of nothing\n";
        $open[-1]{counter}{ $a{type} } = [ $a{missed}, $a{covered} ];
        next;
    }
    push @open, { name => $name, attributes => \%a, sum => {}, counter => {},
        id => $a{name} // $a{nr} };
    end() if $empty;
}
die "not closed\n" if @open;
