#!/usr/bin/perl
# perf-data.pl ORDER - writes a recording of perf to standard output, in byte
# order "little" or "big", of lines on standard input:
#
#   pipe                            records tell the events (comes first)
#   event NAME TYPE CONFIG FLAGS SAMPLE_TYPE [USER_REGS]
#   comm TIME PID TID NAME          a thread's name
#   fork TIME PID TID PARENT_PID PARENT_TID
#   mmap TIME PID START LEN OFFSET PATH [BUILD_ID]
#   kernel START LEN OFFSET PATH    a mapping of the kernel
#   sample TIME PID TID ID PERIOD IP... (hex; "k" and "u" select the side, "d"
#                                   that of a deferred stack; -4000: any mark)
#   deferred TIME PID TID COOKIE IP...
#   dwarf TIME PID TID ABI REGISTER,... STACK [SIZE] [BYTES] (hex; of the first
#                                   event, with BYTES before the registers)
#   lost N, lost-samples N, throttle
#   round                           all buffers were read
#   record TYPE BYTES               any other, BYTES in hex
#   feature NUMBER BYTES            the same for features
#   zstd TYPE SIZE                  compresses the following records, up to
#                                   "plain", as one stream in records of that
#                                   type, with SIZE bytes each
#
# Events have ids from 1. Without "event" there is one, cpu-clock.
use strict;
use warnings;
no warnings 'portable';
use IPC::Open2;

my $big = $ARGV[0] eq 'big';
my $pipe;
my (@events, @features, @zstd);
my $data = '';

sub n16 { pack $big ? 'n' : 'v',   @_ }
sub n32 { pack $big ? 'N*' : 'V*', @_ }
sub n64 { pack $big ? 'Q>*' : 'Q<*', @_ }
sub text { my ($text) = @_; $text . "\0" x (8 - length($text) % 8) }
my %side = (k => -128, u => -512, d => -640);
sub chain { map { $side{$_} // (/^-/ ? $_ : hex) } @_ }
sub record { my ($type, $misc, $bytes) = @_; n32($type) . n16($misc) . n16(8 + length $bytes) . $bytes }
# What follows records other than samples: pid, tid, time, id, identifier.
sub ids { my ($pid, $tid, $time) = @_; n32($pid, $tid) . n64($time, 1) . n64(1) }

# IDENTIFIER, IP, TID, TIME, ID, PERIOD, CALLCHAIN
use constant SAMPLE_TYPE => 1 << 16 | 1 | 2 | 4 | 64 | 256 | 32;
use constant SAMPLE_ID_ALL => 1 << 18;

sub attr {
    my ($type, $config, $flags, $sample_type, $regs) = @_;
    $flags = pack 'Q<', $flags | SAMPLE_ID_ALL;
    # Big-endian machines number bits from the highest one.
    $flags = pack 'B*', unpack 'b*', $flags if $big;
    return n32($type, 96) . n64($config, 7, $sample_type, 4) . $flags . "\0" x 32 .
        n64($regs // 0) . "\0" x 8;
}

my %kinds = (
    pipe  => sub { $pipe = 1; '' },
    event => sub {
        my ($name, @attr) = @_;
        push @events, [ $name, attr(map { /^0x/ ? hex : $_ } @attr) ];
        return $pipe ? record(64, 0, $events[-1][1] . n64(scalar @events)) : '';
    },
    comm => sub { my ($time, $pid, $tid, @name) = @_;
        record(3, 0, n32($pid, $tid) . text("@name") . ids($pid, $tid, $time)) },
    fork => sub { my ($time, $pid, $tid, $ppid, $ptid) = @_;
        record(7, 0, n32($pid, $ppid, $tid, $ptid) . n64($time) . ids($ppid, $ptid, $time)) },
    mmap => sub {
        my ($time, $pid, $start, $len, $offset, $path, $id) = @_;
        my $inode = defined $id ? pack('C x3', length($id) / 2) . pack('H*', $id) : '';
        $inode .= "\0" x (24 - length $inode);
        record(10, 2 | (defined $id ? 1 << 14 : 0),
            n32($pid, $pid) . n64(map { hex } $start, $len, $offset) . $inode .
            n32(5, 2) . text($path) . ids($pid, $pid, $time));
    },
    kernel => sub { my ($start, $len, $offset, $path) = @_;
        record(1, 1, n32(0xffffffff, 0) . n64(map { hex } $start, $len, $offset) .
            text($path) . ids(0, 0, 0)) },
    sample => sub {
        my ($time, $pid, $tid, $id, $period, @ip) = @_;
        my @chain = chain(@ip);
        record(9, 2, n64($id, 0) . n32($pid, $tid) . n64($time, $id, $period,
            scalar @chain, @chain));
    },
    dwarf => sub {
        my ($time, $pid, $tid, $abi, $regs, $stack, $size, $before) = @_;
        $stack = pack 'H*', $stack eq '-' ? '' : $stack;
        my $used = defined $size && $size ne '-' ? hex $size : length $stack;
        record(9, 2, n64(1, 0) . n32($pid, $tid) . n64($time, 1, 1, 0) .
            pack('H*', $before // '') .
            n64($abi) . ($abi ? n64(map { hex } split /,/, $regs) : '') .
            n64(length $stack) . $stack . ($stack eq '' ? '' : n64($used)));
    },
    deferred => sub {
        my ($time, $pid, $tid, $cookie, @ip) = @_;
        my @chain = chain(@ip);
        record(22, 2, n64(hex $cookie, scalar @chain, @chain) . ids($pid, $tid, $time));
    },
    lost           => sub { record(2, 0, n64(1, @_) . ids(1, 1, 0)) },
    'lost-samples' => sub { record(13, 0, n64(@_) . ids(1, 1, 0)) },
    throttle       => sub { record(5, 0, n64(1, 1, 1) . ids(1, 1, 0)) },
    round          => sub { record(68, 0, '') },
    record         => sub { my ($type, $hex) = @_; record($type, 0, pack 'H*', $hex // '') },
    zstd           => sub { @zstd = @_; '' },
    plain          => sub { '' },
    feature        => sub { push @features, [ $_[0], pack 'H*', $_[1] // '' ]; '' },
);

# Records with the pieces of a stream; those of type 83 have the size of theirs,
# and are padded.
sub compress {
    my ($bytes) = @_;
    my ($type, $size) = @zstd;
    my $pid = open2(my $out, my $in, 'zstd -q');
    binmode $_ for $in, $out;
    print $in $bytes;
    close $in;
    my $stream = do { local $/; <$out> };
    waitpid $pid, 0;
    return join '', map { record($type, 0, $type == 83
        ? n64(length $_) . $_ . "\0" x (-length($_) % 8) : $_) }
        unpack "(a$size)*", $stream;
}

my $inner = '';
binmode STDOUT;
for ((map { chomp; $_ } <STDIN>), 'plain') {
    my ($kind, @words) = split;
    $data .= $kinds{event}->('cpu-clock', 1, 0, 0, SAMPLE_TYPE) if !@events && $kind !~ /pipe|event/;
    if (@zstd && $kind =~ /^(plain|round)$/) {
        $data .= compress($inner);
        $inner = '';
        @zstd = () if $kind eq 'plain';
    }
    (@zstd && $kind ne 'round' && $kind ne 'zstd' ? $inner : $data) .= $kinds{$kind}->(@words);
}

my $magic = $big ? '2ELIFREP' : 'PERFILE2';
if ($pipe) {
    print $magic, n64(16), $data;
    exit;
}

# The feature EVENT_DESC: attr, ids, name.
my $desc = n32(scalar @events, 96);
my $ids  = '';
my $attrs = '';
for my $i (0 .. $#events) {
    my ($name, $attr) = @{ $events[$i] };
    my $padded = $name . "\0" x (64 - length $name);
    $desc  .= $attr . n32(1) . n32(64) . $padded . n64($i + 1);
    $attrs .= $attr . n64(104 + 8 * $i, 8);
    $ids   .= n64($i + 1);
}
@features = sort { $a->[0] <=> $b->[0] } @features, [ 12, $desc ];
my $bits = 0;
$bits |= 1 << $_->[0] for @features;
my $begin = 104 + length($ids) + length $attrs;
my $at    = $begin + length($data) + 16 * @features;
my ($table, $bytes) = ('', '');
for (@features) {
    $table .= n64($at + length $bytes, length $_->[1]);
    $bytes .= $_->[1];
}
print $magic, n64(104, 112), n64(104 + length $ids, length $attrs),
    n64($begin, length $data), n64(0, 0), n64($bits, 0, 0, 0),
    $ids, $attrs, $data, $table, $bytes;
