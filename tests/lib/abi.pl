#!/usr/bin/perl
# abi.pl VERSION HEADER... - prints what the headers declare, a line each: VERSION
# and the declaration with single blanks. Without macros, and without functions
# with a body, which are compiled into programs.
use strict;
use warnings;

my $version = shift;
my %own = map { $_ => 1 } @ARGV;
my %printed;

# The text of a header after the preprocessor, without that of others.
sub text_of {
    my ($header) = @_;
    my ($text, $file) = ('', '');
    open my $in, '-|', split(' ', $ENV{CC} || 'cc'), qw(-std=c11 -D_POSIX_C_SOURCE=200809L
        -Ilib -E), $header or die "$header: $!\n";
    while (<$in>) {
        if (/^# \d+ "(.*?)"/) { $file = $1 }
        elsif ($own{$file} && !/^#/) { $text .= $_ }
    }
    close $in or die "$header\n";
    return $text;
}

sub put {
    my ($declaration) = @_;
    for ($declaration) {
        s/__attribute__\s*(\((?:[^()]|(?1))*\))//g;
        s/\s+/ /g;
        s/^ | (?=[;,)])| $//g;
        s/\( /(/g;
    }
    print "$version $declaration\n" if !$printed{$declaration}++;
}

for my $header (@ARGV) {
    my ($depth, $declaration) = (0, '');
    for (split /([;{}])/, text_of($header)) {
        $depth += ($_ eq '{') - ($_ eq '}');
        $declaration .= $_;
        next if $depth > 0 || !/[;}]/;
        my $inline = $declaration =~ /^\s*static\s+inline\b/;
        next if !$inline && $_ eq '}';
        put($declaration) if !$inline;
        $declaration = '';
    }
}
