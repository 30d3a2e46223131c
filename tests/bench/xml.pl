#!/usr/bin/perl
# xml.pl FORMAT BYTES - prints a profile in XML of at least BYTES bytes, as
# written by its tool: xctrace, oprofile-xml, valgrind-xml. 5000 functions,
# stacks of about 20 frames.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($format, $bytes) = @ARGV;
my $functions = 5000;

my $size = 0;

sub put {
    my ($text) = @_;
    print $text;
    $size += length $text;
}

my @path = (0);

# The next stack differs in its last few frames.
sub step {
    my $keep = @path - below(8);
    splice @path, $keep < 1 ? 1 : $keep;
    push @path, ($path[-1] * 3 + 1 + below(3)) % $functions
        for 1 .. 1 + below(@path < 15 ? 9 : 3);
}

# Refers to earlier elements, as xctrace does: half of the stacks (to one of the
# last 2000), most frames, and the thread.
sub xctrace {
    my ($id, @backtrace, %frame) = (20);
    my $frame = sub {
        my ($fn) = @_;
        my $address = 4294967296 + 64 * $fn + 4 * below(8);
        return qq(<frame ref="$frame{$address}"/>) if $frame{$address};
        $frame{$address} = ++$id;
        return sprintf '<frame id="%d" name="-[Type%d method%d:with:]" '
            . 'addr="0x%x">%s%s</frame>', $id, $fn % 70, $fn, $address,
            '<binary ref="18"/>', $fn % 3 ? '' : '<source line="'
            . (1 + $fn % 900) . '"><path ref="19"/></source>';
    };
    put('<?xml version="1.0"?>' . "\n<trace-query-result>\n<node xpath='//"
        . "trace-toc[1]/run[1]/data[1]/table[7]'><schema name="
        . '"time-profile"><col><mnemonic>time</mnemonic></col></schema>');
    put('<row><sample-time id="1" fmt="00:00.001">1000000</sample-time>'
        . '<thread id="2" fmt="Main Thread 0x1f (prog, pid: 77)">'
        . '<tid id="3" fmt="0x1f">31</tid><process id="4" fmt="prog (77)">'
        . '<pid id="5" fmt="77">77</pid></process></thread><process ref="4"/>'
        . '<core id="7" fmt="CPU 0">0</core><thread-state id="8" '
        . 'fmt="Running">Running</thread-state><weight id="9" fmt="1.00 ms">'
        . '1000000</weight><backtrace id="10"><frame id="11" name="start">'
        . '<binary id="18" name="prog" UUID="A" arch="arm64" '
        . 'load-addr="0x100000000" path="/src/prog"/><source line="4">'
        . '<path id="19">/src/v.c</path></source></frame></backtrace></row>'
        . "\n");
    while ($size < $bytes) {
        my $time = ++$id;
        my $text = sprintf '<row><sample-time id="%d" fmt="00:%02d.%03d">%d'
            . '</sample-time><thread ref="2"/><process ref="4"/><core '
            . 'ref="7"/><thread-state ref="8"/><weight ref="9"/>', $time,
            $time / 1000 % 60, $time % 1000, $time * 1000000;
        if (@backtrace && below(2)) {
            shift @backtrace if @backtrace > 2000;
            my $old = $backtrace[ below(scalar @backtrace) ];
            $text .= qq(<backtrace ref="$old"/>);
        } else {
            step();
            push @backtrace, ++$id;
            $text .= qq(<backtrace id="$id">)
                . join('', map { $frame->($_) } reverse @path)
                . '</backtrace>';
        }
        put("$text</row>\n");
    }
    put("</node></trace-query-result>\n");
}

# Each symbol with what it calls and what calls it.
sub oprofile {
    my $count = sub {
        return join '',
            map { qq(<count class="c$_">) . (1 + below(1000)) . '</count>' }
            0 .. below(2);
    };
    my $symbols = 0;
    put('<?xml version="1.0" ?>' . "\n" . '<profile schemaversion="3.0" '
        . 'cputype="i386" processor="core_2" mhz="2400" title="opreport">'
        . '<setup><eventsetup id="0" eventname="CPU_CLK_UNHALTED" '
        . 'setupcount="100000"/><eventsetup id="1" eventname="LLC_MISSES" '
        . 'setupcount="6000"/></setup><classes><class name="c0" event="0"/>'
        . '<class name="c1" event="1"/></classes>' . "\n");
    for (my $binary = 0; $size < $bytes * 0.8; $binary++) {
        put(qq(<binary name="/usr/bin/prog$binary">) . $count->() . "\n");
        for (0 .. 499) {
            my $text = '<symbol idref="' . $symbols++ . '"><callees>';
            $text .= '<symbol idref="' . (500 * $binary + below(500)) . '">'
                . $count->() . '</symbol>' for 0 .. below(12);
            put($text . '</callees>' . $count->() . "</symbol>\n");
        }
        put("</binary>\n");
    }
    put('<symboltable>');
    put(sprintf '<symboldata id="%d" name="project::method%d(int, long)" '
        . 'file="/src/project/file%d.cc" line="%d" startingaddr="0x%x"/>'
        . "\n", $_, $_, $_ % 900, 1 + $_ % 777, 0x400000 + 64 * $_)
        for 0 .. $symbols - 1;
    put("</symboltable>\n</profile>\n");
}

sub valgrind {
    my $error = 0;
    put('<?xml version="1.0"?>' . "\n\n<valgrindoutput>\n\n"
        . "<protocolversion>4</protocolversion>\n"
        . "<protocoltool>memcheck</protocoltool>\n\n<pid>26906</pid>\n"
        . "<tool>memcheck</tool>\n\n");
    while ($size < $bytes) {
        my ($leaked, $blocks) = (8 * (1 + below(999)), 1 + below(9));
        step();
        my $text = sprintf "<error>\n  <unique>0x%x</unique>\n  <tid>1</tid>"
            . "\n  <kind>Leak_DefinitelyLost</kind>\n  <xwhat>\n    <text>%d "
            . "bytes in %d blocks are definitely lost</text>\n    "
            . "<leakedbytes>%d</leakedbytes>\n    <leakedblocks>%d"
            . "</leakedblocks>\n  </xwhat>\n  <stack>\n",
            $error++, $leaked, $blocks, $leaked, $blocks;
        $text .= sprintf "    <frame>\n      <ip>0x%X</ip>\n      <obj>"
            . "/usr/bin/prog</obj>\n      <fn>project::method%d(int)</fn>\n"
            . "      <dir>/src/project</dir>\n      <file>file%d.cc</file>\n"
            . "      <line>%d</line>\n    </frame>\n",
            0x400000 + 64 * $_, $_, $_ % 900, 1 + $_ % 777 for reverse @path;
        put("$text  </stack>\n</error>\n\n");
    }
    put("</valgrindoutput>\n");
}

{ 'xctrace' => \&xctrace, 'oprofile-xml' => \&oprofile,
    'valgrind-xml' => \&valgrind }->{$format}->();
