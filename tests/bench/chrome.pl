#!/usr/bin/perl
# chrome.pl FORMAT BYTES - prints a profile of V8 of at least BYTES bytes, with
# the names and order of node and Chrome: cpuprofile, heapprofile, trace-event.
# 5000 functions, about 20 frames deep; a tenth of the CPU profile is nodes and
# the rest samples, half of these of the node before, most others of one near
# it; of the heap profile nodes are half.
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

# Until the size is reached, texts with commas between.
sub put_list {
    my ($end, $next) = @_;
    put($next->());
    put(',' . $next->()) while $size < $end;
}

sub call_frame {
    my ($fn) = @_;
    return sprintf '"callFrame":{"functionName":"method%d","scriptId":"%d",'
        . '"url":"file:///home/user/project/node_modules/package%d/index.js",'
        . '"lineNumber":%d,"columnNumber":%d}',
        $fn, 80 + $fn % 70, $fn % 70, $fn % 900, $fn % 40;
}

# A tree of calls in the order of a walk through it, by number: how deep each
# node is, and its children.
my (@depth, @children);

sub plant {
    my ($nodes) = @_;
    my @path;
    for my $id (1 .. $nodes) {
        my $keep = @path - below(@path < 15 ? 3 : 9);
        splice @path, $keep < 1 ? 1 : $keep if @path;
        push @{ $children[ $path[-1] ] }, $id if @path;
        push @path, $id;
        $depth[$id] = @path;
    }
    push @depth, 1;
}

sub cpuprofile {
    my $nodes = int($bytes / 10 / 230);
    plant($nodes);
    put('{"nodes":[');
    for my $id (1 .. $nodes) {
        my $ticks = below(20);
        put(($id > 1 ? ',' : '') . qq({"id":$id,)
            . call_frame(below($functions))
            . qq(,"hitCount":$ticks,"children":[)
            . join(',', @{ $children[$id] || [] }) . ']'
            . ($ticks ? ',"positionTicks":[{"line":' . (1 + below(900))
                . qq(,"ticks":$ticks}]) : '') . '}');
    }
    put('],"startTime":1000000,"endTime":99000000000,"samples":[');
    my ($half, $count, $id) = (($bytes - $size) / 2 + $size, 0, 1);
    put_list($half, sub {
        $count++;
        $id += below(41) - 20 if below(2);
        $id = 1 + below($nodes) if !below(20) || $id < 1 || $id > $nodes;
        return $id;
    });
    put('],"timeDeltas":[');
    put(join ',', map { 900 + below(400) } 1 .. $count);
    put("]}\n");
}

sub heapprofile {
    my $nodes = int($bytes / 2 / 200);
    plant($nodes);
    put('{"head":');
    for my $id (1 .. $nodes) {
        my $close = $depth[$id] - $depth[ $id + 1 ] + 1;
        put('{' . call_frame(below($functions)) . ',"selfSize":'
            . below(9000) . qq(,"id":$id,"children":[) . ']}' x $close);
        put(',') if $close && $id < $nodes;
    }
    put(',"samples":[');
    my $ordinal = 0;
    put_list($bytes, sub {
        sprintf '{"size":%d,"nodeId":%d,"ordinal":%d}',
            8 * below(5000), 1 + below($nodes), ++$ordinal;
    });
    put("]}\n");
}

# Calls of four threads, those of others and marks in between.
sub trace_event {
    my ($time, @open) = (1000);
    my $event = sub {
        my $tid = 7000 + below(4);
        my $open = $open[$tid] ||= [];
        my $head = qq({"pid":6999,"tid":$tid,"ts":) . ($time += 1 + below(9));
        return $head . ',"ph":"i","cat":"blink","name":"mark","s":"t"}'
            if !below(20);
        return $head . ',"ph":"E","cat":"v8,devtools.timeline","name":"'
            . 'FunctionCall' . pop(@$open) . '","args":{}}'
            if @$open && below(36) < @$open;
        my $fn = (@$open ? $open->[-1] * 3 + 1 + below(3) : 0) % $functions;
        push @$open, $fn;
        return $head . qq(,"ph":"B","cat":"v8,devtools.timeline","name":"FunctionCall$fn",)
            . '"args":{"data":{"scriptId":"' . (80 + below(70))
            . '","lineNumber":' . below(900) . '}}}';
    };
    put('{"traceEvents":[');
    put_list($bytes, $event);
    for my $tid (7000 .. 7003) {
        put(qq(,{"pid":6999,"tid":$tid,"ts":$time,"ph":"E","name":"FunctionCall$_"}))
            for reverse @{ $open[$tid] };
    }
    put("]}\n");
}

{ 'cpuprofile' => \&cpuprofile, 'heapprofile' => \&heapprofile,
    'trace-event' => \&trace_event }->{$format}->();
