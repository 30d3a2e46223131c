#!/usr/bin/perl
# cuts.pl CGCONV ROOM FEW INPUT [OPTION...] - converts INPUT truncated at every
# byte (larger files at 50 / FEW offsets). ROOM is a working directory;
# ROOM/whole contains the conversion of the complete input.
#
# Truncation has to give an error or a warning, unless no data was lost or the
# format has no end mark. An error leaves no output. With $PRELOAD the program is
# started once: see server.pl.
use strict;
use warnings;
require './tests/faults/server.pl';

my ($cgconv, $room, $few, $input, @options) = @ARGV;

sub slurp {
    my ($name) = @_;
    open my $in, '<:raw', $name or die "$name: $!\n";
    local $/;
    return scalar(<$in>) // '';
}

my $profile = slurp($input);
my $whole   = slurp("$room/whole");

# Returns the offsets where .gcno files may end: after each record.
my %note_ends;
if ($input =~ /\.gcno$/) {
    $note_ends{ 0 + $_ } = 1
        for split /\n/, qx(perl tests/oracle/gcno-ends.pl '$input');
}

sub is_record_of_gmon { my ($cut, $left) = @_; $left % 13 == 0 || $left % 21 == 0 }
sub is_note           { my ($cut) = @_; $note_ends{ length $cut } }
sub is_line           { my ($cut) = @_; $cut eq '' || $cut =~ /\n\z/ }
sub is_map            { my ($cut) = @_; $cut =~ /(?:^|\n)[^\n]*\]:[^\n]*\n+(?:\[[^\n]*\n)*\z/ }
sub is_count          { my ($cut) = @_; $cut =~ /\n *\d+\n+\z/ }
sub is_place          { my ($cut) = @_; $cut eq '' || $cut =~ /\n(?:\t[^\n]*)?\n\z/ }
sub is_paragraph      { my ($cut) = @_; $cut =~ /\n\n\z/ }
sub is_ended          { my ($cut) = @_; $cut =~ / END\n?\z/ }
sub is_section        { my ($cut) = @_; $cut =~ /(?:^|\n)(?:end_of_record|TN[^\n]*)\n?\z/ }

sub is_record_of_perf {
    my ($cut) = @_;
    my $at = 16;
    $at += unpack 'v', substr $cut, $at + 6, 2 while $at + 8 <= length $cut;
    return $at == length $cut;
}

# Packets of Perfetto: the byte 0x0a, a varint with the length, the packet.
sub is_packet {
    my ($cut) = @_;
    pos($cut) = 0;
    while ($cut =~ /\G\x0a([\x80-\xff]*)([\x00-\x7f])/gc) {
        my ($length, $shift) = (0, 0);
        $length |= (ord($_) & 127) << 7 * $shift++ for split //, $1 . $2;
        return 0 if pos($cut) + $length > length $cut;
        pos($cut) += $length;
    }
    return pos($cut) == length $cut;
}

# Formats without an end mark: truncation after a whole record goes unnoticed.
my @endless = (
    [ qr{^samples/gprof/[^/]+/gmon},              \&is_record_of_gmon ],
    [ qr{^samples/perf-data/[^/]+/pipe},          \&is_record_of_perf ],
    [ qr{^samples/gcov/.*\.gcno$},                \&is_note ],
    [ qr{^samples/(?:folded|gcov-text|ghc|go-cover|memray|vtune)/}, \&is_line ],
    [ qr{^samples/(?:luacov|verilator|xccov/text)/}, \&is_line ],
    [ qr{^samples/bpftrace/},                     \&is_map ],
    [ qr{^samples/perfetto/},                     \&is_packet ],
    [ qr{^samples/dtrace/},                       \&is_count ],
    [ qr{^samples/gperftools/go/(?:block|mutex)}, \&is_line ],
    [ qr{^samples/(?:phpspy|rprof|thread-dump|xray)/}, \&is_line ],
    [ qr{^samples/caliper/report/},                \&is_line ],
    [ qr{^samples/gprofng/tree/},                  \&is_line ],
    [ qr{^samples/goroutines/},                   \&is_place ],
    [ qr{^samples/perf-script/[^/]+/lines\.perf}, \&is_line ],
    [ qr{^samples/perf-script/},                  \&is_paragraph ],
    [ qr{^samples/lcov/},                         \&is_section ],
    [ qr{^samples/hprof/},                        \&is_ended ],
);

sub is_at_record {
    my ($cut) = @_;
    for (@endless) {
        my ($name, $is) = @$_;
        return $is->($cut, length($profile) - length $cut) if $input =~ $name;
    }
    return 0;
}

my @command = ($cgconv, '-t', 'callgrind', @options, "$room/cut", '-o', "$room/out");
my $server;
$server = start_server("$room/said", "$room/err", {}, @command) if $ENV{PRELOAD};

sub run_program {
    return ask_server($server, '') if $server;
    my $pid = fork() // die "fork: $!\n";
    if ($pid == 0) {
        open STDERR, '>', "$room/err" or die "$room/err: $!\n";
        exec @command or die "$cgconv: $!\n";
    }
    waitpid $pid, 0;
    return $?;
}

# Converts ROOM/cut. Returns the exit status, or 255 after a signal.
sub convert {
    my $wait = run_program();
    return $wait & 127 ? 255 : $wait >> 8;
}

my $size = length $profile;
my $step = ($size > 300 ? int($size / 50) + 1 : 1) * $few;
for (my $at = 0; $at < $size - 1; $at += $step) {
    unlink "$room/out";
    my $cut = substr $profile, 0, $at;
    open my $out, '>:raw', "$room/cut" or die "$room/cut: $!\n";
    print {$out} $cut;
    close $out or die "$room/cut: $!\n";
    my $status  = convert();
    my $is_left = -e "$room/out";
    next if $status == 1 && -s "$room/err" && !$is_left;
    next if $status == 0 && $is_left && (-s "$room/err" ||
        slurp("$room/out") eq $whole || is_at_record($cut));
    print "$input cut at $at: status $status",
        $is_left ? ', an output' : '', "\n", slurp("$room/err");
    exit 1;
}
stop_server($server) if $server;
