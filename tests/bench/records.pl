#!/usr/bin/perl
# records.pl FORMAT BYTES - prints about BYTES bytes of a format that cgconv reads
# and does not write. All parts grow with the size: functions, stacks, records.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($format, $bytes) = @ARGV;

my $size = 0;
my $more = 1; # false: the size is reached

sub put {
    my ($text) = @_;
    print $text;
    $size += length $text;
    $more = $size < $bytes;
}

# Functions are numbers; each calls eight others. A stack has its root first.
my $functions = int($bytes / 1000) + 20;

sub callee {
    my ($function) = @_;
    return ($function * 8 + 1 + below(8)) % $functions;
}

sub stack {
    my @stack = (0);
    push @stack, callee($stack[-1]) for 1 .. 5 + below(15);
    return @stack;
}

sub name { return "module" . $_[0] % 70 . "::function$_[0]" }
sub file { return "/src/module" . $_[0] % 70 . ".c" }
sub line { return 1 + $_[0] % 997 }

# ---- Stacks -----------------------------------------------------------------

sub bpftrace {
    while ($more) {
        put("@[\n" . join('', map { "    " . name($_) . "+4\n" } reverse stack())
            . "]: " . (1 + below(100)) . "\n");
    }
}

sub dtrace {
    put("CPU     ID                    FUNCTION:NAME\n"
        . "  0  64091                        :tick-60s \n\n\n");
    while ($more) {
        put(join('', map { "              libc.so.1`" . name($_) . "+0x5d\n" }
                reverse stack()) . "                " . (1 + below(100)) . "\n\n");
    }
}

sub goroutines {
    for (my $id = 1; $more; $id++) {
        put("goroutine $id [chan receive]:\n"
            . join('', map { "main.function$_(0x1, 0x2)\n\t./file$_.go:"
                    . line($_) . " +0x1e\n" } reverse stack()) . "\n");
    }
}

sub thread_dump {
    for (my $id = 1; $more; $id++) {
        my $n = 0;
        put("Thread $id (Thread 0x7fe82333d6c0 (LWP $id) \"worker\"):\n"
            . join('', map { sprintf "#%-2d 0x%016x in %s (self=0x7f, n=%d) at %s:%d\n",
                    $n++, 4198400 + 16 * $_, name($_), $_, file($_), line($_) }
                reverse stack()) . "\n");
    }
}

sub rprof {
    put("sample.interval=20000\n");
    put(join('', map { '"' . name($_) . '" ' } reverse stack()) . "\n") while $more;
}

sub hprof {
    my @count;
    put("JAVA PROFILE 1.0.1, created Mon Aug  4 22:22:24 2014\n\n--------\n\n"
        . "THREAD START (obj=1, id = 200001, name=\"main\", group=\"main\")\n");
    while ($more) {
        push @count, 1 + below(100);
        put("TRACE " . (300000 + $#count) . ": (thread=200001)\n"
            . join('', map { "\tproject.Class.method$_(Class$_.java:" . line($_)
                    . ")\n" } reverse stack()));
    }
    my $sum = 0;
    $sum += $_ for @count;
    put("CPU SAMPLES BEGIN (total = $sum) Mon Aug  4 22:22:25 2014\n"
        . "rank   self  accum   count trace method\n");
    put("   1  1.00%  1.00% $count[$_] " . (300000 + $_) . " project.Class.m\n")
        for 0 .. $#count;
    put("CPU SAMPLES END\n");
}

# The header's count is a sum over all sites.
sub gperftools {
    put("heap profile: 1000000000: 1 [1000000000: 1] \@ heapprofile\n");
    while ($more) {
        put('  1: ' . (1 + below(1000)) . ' [ 1: 1000] @'
            . join('', map { sprintf ' 0x%x', 0x401000 + 16 * $_ } reverse stack())
            . "\n");
    }
    put("\nMAPPED_LIBRARIES:\n00400000-40000000 r-xp 00000000 08:01 1 /usr/bin/prog\n");
}

sub dhat {
    my (%frame, @frame, @point);
    while ($more) {
        my @ids = map { $frame{$_} //= do { push @frame, $_; scalar @frame } }
            reverse stack();
        put(($size ? " ," : qq({"dhatFileVersion":2,"mode":"heap",)
            . qq("verb":"Allocated","bklt":true,"bkacc":true,"tu":"instrs",)
            . qq("Mtu":"Minstr","tuth":500,"cmd":"./heap","pid":1,"te":9999999,)
            . qq("tg":5,"pps":\n [))
            . qq({"tb":72704,"tbk":1,"tl":1237309,"mb":72704,"mbk":1,"gb":1,)
            . qq("gbk":1,"eb":0,"ebk":0,"rb":0,"wb":16,"fs":[)
            . join(',', @ids) . "]}\n");
        $more &&= $size + 60 * @frame < $bytes;
    }
    print qq( ],"ftbl":\n ["[root]"\n);
    print qq( ,"0x401000: ), name($_), ' (', file($_), ':', line($_), qq{)"\n}
        for @frame;
    print " ]\n}\n";
}

sub gprof2dot_json {
    put(qq({"version":0,"costs":[{"description":"Samples"}],"events":[));
    for (my $comma = ''; $more; $comma = ",\n") {
        put($comma . '{"callchain":[' . join(',', reverse stack())
            . '],"cost":[' . (1 + below(9)) . ']}');
        $more &&= $size + 60 * $functions < $bytes;
    }
    print '],"functions":[', join(",\n",
        map { '{"name":"' . name($_) . '","module":"prog"}' } 0 .. $functions - 1),
        "]}\n";
}

sub stackprof {
    my @raw;
    put(qq({"version":1.2,"mode":"wall","interval":1000,"frames":{));
    put(($_ ? ",\n" : '') . qq("1$_":{"name":") . name($_) . '","file":"'
        . file($_) . '","line":' . line($_) . '}') for 0 .. $functions - 1;
    put(qq(},"raw":[));
    for (my $comma = ''; $more; $comma = ",\n") {
        my @stack = stack();
        put($comma . join(',', scalar @stack, (map { "1$_" } @stack), 1));
    }
    print "]}\n";
}

# ---- Trees ------------------------------------------------------------------

# Calls visit(function, depth) for the nodes of a tree, parents first.
sub tree {
    my ($visit) = @_;
    my @path = (0);
    $visit->(0, 0);
    while ($more) {
        pop @path while @path > 1 && (below(3) || @path > 20);
        push @path, callee($path[-1]);
        $visit->($path[-1], $#path);
    }
}

sub vtune {
    put("Function Stack,CPU Time:Total,CPU Time:Self,Module,Source File\n"
        . "Total,100000.0,0.0,[Unknown],[Unknown]\n");
    tree(sub { put(' ' x ($_[1] + 1) . name($_[0]) . ",1.0,0.5,prog,"
        . file($_[0]) . "\n") });
}

sub ghc {
    put("\tTue Nov 24 10:23 2026 Time and Allocation Profiling Report  (Final)\n\n"
        . "\t   work +RTS -P -RTS\n\n"
        . "\ttotal time  =        0.14 secs   (135 ticks \@ 1000 us, 1 processor)\n"
        . "\ttotal alloc = 128,930,928 bytes  (excludes profiling overheads)\n\n"
        . "COST CENTRE MODULE SRC %time %alloc  ticks     bytes\n\n\n"
        . sprintf("%-40s %-8s %-18s ", 'COST CENTRE', 'MODULE', 'SRC')
        . "no. entries %time %alloc %time %alloc ticks bytes\n\n");
    my $number = 100;
    tree(sub { put(sprintf("%-40s %-8s %-18s ", ' ' x $_[1] . "f$_[0]", 'Main',
        'work.hs:' . line($_[0]) . ':1-76') . $number++
        . " 1 0.0 0.0 0.0 0.0 3 100\n") });
}

sub xdebug {
    my ($time, $call, @open) = (0, 0);
    my $close = sub {
        my ($depth) = @_;
        while (@open > $depth) {
            put(sprintf "%d\t%d\t1\t%.6f\t397120\n", scalar @open, pop @open,
                $time += 1e-6);
        }
    };
    put("Version: 3.2.0\nFile format: 4\n"
        . "TRACE START [2026-11-24 10:47:36.857338]\n");
    tree(sub {
        $close->($_[1]);
        push @open, $call++;
        put(sprintf "%d\t%d\t0\t%.6f\t397120\t%s\t1\t\t%s\t%d\t0\n", scalar @open,
            $open[-1], $time += 1e-6, $_[1] ? name($_[0]) : '{main}',
            file($_[0]), line($_[0]));
    });
    $close->(0);
    put(sprintf("\t\t\t%.6f\t397120\n", $time) . "TRACE END   [2026-11-24 10:47:37.857338]\n");
}

sub macos_sample {
    my (@node, @count, @path);
    tree(sub {
        push @node, [@_];
        push @count, 1;
        $more = 60 * @node < $bytes;
    });
    for my $i (reverse 0 .. $#node) {
        $path[$_] //= 0 for 0 .. $node[$i][1] + 1;
        $count[$i] += $path[$node[$i][1] + 1];
        $path[$node[$i][1] + 1] = 0;
        $path[$node[$i][1]] += $count[$i];
    }
    put("Analysis of sampling app (pid 4711) every 1 millisecond\n\nCall graph:\n"
        . "    $count[0] Thread_7001\n");
    put('    ' . '  ' x ($node[$_][1] + 1) . "$count[$_] " . name($node[$_][0])
        . "  (in app) + 4  [0x10384b549]\n") for 0 .. $#node;
    put("\nTotal number in stack:\n");
}

# ---- Tables -----------------------------------------------------------------

sub xhprof {
    my $last = 0;
    put(qq({"main()":{"ct":1,"wt":1000000000}));
    while ($more) {
        my $caller = below($functions);
        my $callee = $last++ % $functions;
        put(",\n" . qq("function$caller==>function$callee":)
            . '{"ct":' . (1 + below(9)) . ',"wt":' . below(1000) . '}');
    }
    print "}\n";
}

sub gprof_text {
    put("Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
        . "  %   cumulative   self              self     total\n"
        . " time   seconds   seconds    calls  ms/call  ms/call  name\n");
    my $count = int($bytes / 400) + 1;
    put(sprintf "  0.10 %10.2f     0.01       10     0.00     0.01  f%d\n",
        ($_ + 1) / 100, $_) for 0 .. $count - 1;
    put("\f\t\t     Call graph\n\ngranularity: each sample hit covers 4 byte(s) for "
        . "0.10% of 10.00 seconds\n\n"
        . "index % time    self  children    called     name\n");
    for my $f (0 .. $count - 1) {
        my $index = $f + 1;
        my $caller = ($f + $count - 1) % $count;
        my $callee = ($f + 1) % $count;
        put("                0.00    0.01       5/10          f$caller ["
            . ($caller + 1) . "]\n"
            . sprintf("%-8s %5.1f    0.01    0.01      10         f%d [%d]\n",
                "[$index]", 1, $f, $index)
            . "                0.00    0.01       5/10          f$callee ["
            . ($callee + 1) . "]\n"
            . '-' x 47 . "\n");
    }
    put("\f\n");
}

sub axe {
    put("Index  % CPU Time:Total  CPU Time:Self  CPU Time:Children  Name  Index\n"
        . "-----  ----------------  -------------  -----------------  ----  -----\n");
    my $count = int($bytes / 160) + 2;
    for my $f (0 .. $count - 1) {
        my $callee = ($f + 1) % $count;
        put("[$f]    1.0    0.01    0.02    f$f    [$f]\n"
            . "              0.0     0.02      f$callee    [$callee]\n"
            . ' ' x 40 . "\n");
    }
}

sub coveragepy {
    put(qq({"meta":{"format":2,"version":"7.0","branch_coverage":false},)
        . qq("files":{));
    for (my $file = 0; $more; $file++) {
        put(($file ? ",\n" : '') . qq("src/file$file.py":{"executed_lines":[)
            . join(',', map { 3 * $_ + 1 } 0 .. 299) . '],"missing_lines":['
            . join(',', map { 3 * $_ + 2 } 0 .. 99) . '],"excluded_lines":[]}');
    }
    print "}}\n";
}

sub llvm_cov {
    my (@functions);
    put(qq({"version":"2.0.1","type":"llvm.coverage.json.export",)
        . qq("data":[{"files":[));
    for (my $file = 0; $more; $file++) {
        put(($file ? ",\n" : '') . qq({"filename":"/src/file$file.cc","segments":[)
            . join(',', map { '[' . join(',', 10 * $_ + 1, 1, below(100), 'true,true,false'
                    ) . '],[' . (10 * $_ + 9) . ',2,0,false,false,false]' } 0 .. 19)
            . '],"branches":[],"expansions":[]}');
        push @functions, map { qq({"name":"f${file}_$_","count":1,"filenames":)
            . qq(["/src/file$file.cc"],"branches":[],"regions":[[)
            . (10 * $_ + 1) . ',1,' . (10 * $_ + 9) . ',2,' . below(100)
            . ',0,0,0]]}' } 0 .. 19;
        $more &&= 2 * $size + 1000 < $bytes;
    }
    print '],"functions":[', join(",\n", @functions), "]}]}\n";
}

# One snapshot with many trees of calls, in which costs are halved.
sub massif {
    my $trees = int($bytes / 300000) + 1;
    my $each = 1 << 24;
    my $sum = $each * $trees;
    my $walk;
    $walk = sub {
        my ($function, $depth, $cost) = @_;
        my $n = $depth < 12 ? 2 : 0;
        put(' ' x $depth . "n$n: $cost 0x" . sprintf('%X', 4198400 + $function)
            . ': ' . name($function) . ' (module.c:' . line($function) . ")\n");
        $walk->(callee($function), $depth + 1, $cost / 2) for 1 .. $n;
    };
    put("desc: (none)\ncmd: ./heap\ntime_unit: i\n"
        . "#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=$sum\n"
        . "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\n"
        . "n$trees: $sum (heap allocation functions) malloc\n");
    $walk->(below($functions), 1, $each) for 1 .. $trees;
}

# ---- Functions and calls ----------------------------------------------------

sub eprof {
    my $time = 0;
    put("FUNCTION                    CALLS        %  TIME  [uS / CALLS]\n"
        . "--------                    -----  -------  ----  [----------]\n");
    for (my $i = 0; $more; $i++) {
        put(sprintf "m%d:f%d/1 %d 0.01 %d [ 2.00]\n", $i % 70, $i, $i + 1, 2 * $i + 2);
        $time += 2 * $i + 2;
    }
    print "--------                    -----  -------  ----  [----------]\n"
        . "Total: 1 100.00% $time [ 2.00]\n";
}

sub fprof {
    my $row = sub { return sprintf '{{m%d,f%d,1}, %d, %d.000, 1.000}',
            $_[0] % 70, $_[0], @_[1, 2] };
    put("%% Analysis results:\n{  analysis_options,\n [{callers, true},\n"
        . "  {sort, acc},\n  {totals, false},\n  {details, true}]}.\n\n"
        . "[{ totals, 1, 9.000, 9.000}].  %%%\n\n"
        . qq([{ "<0.9.0>", 1,undefined, 9.000}].   %%\n\n));
    for (my $i = 1; $more; $i++) {
        put('{[' . $row->(callee($i), 2, 5) . "],\n { " . substr($row->($i, 4, 9), 1)
            . ", %\n [" . $row->(callee($i), 1, 3) . ",\n"
            . $row->(callee($i + 1), 1, 3) . "]}.\n\n");
    }
}

sub d_trace {
    for (my $i = 0; $more; $i++) {
        put("-" x 18 . "\n\t    4\tm.f" . ($i ? $i - 1 : 0) . "\nm.f$i\t5\t90\t9\n"
            . "\t    3\tm.f" . ($i + 1) . "\n");
    }
    print "\n======== Timer frequency unknown, Times are in Megaticks ========\n";
}

# Chains of 40 calls; each function calls 16 leaves, too.
sub flame_json {
    my $call = sub { return '{"name":"' . name(below($functions)) . '","value":1' };
    put('{"name":"root","value":1,"children":[');
    while ($more) {
        put($call->() . ',"children":[' . join(',', map { $call->() . '}' } 1 .. 16)
            . ",\n") for 1 .. 40;
        put($call->() . '}' . ']}' x 40 . ",\n");
    }
    print $call->() . '}]}';
}

# ---- Coverage ---------------------------------------------------------------

sub dotnet {
    put('<CoverageSession><Modules><Module hash="1"><ModulePath>a.dll</ModulePath>'
        . '<ModuleName>a</ModuleName><Files>');
    my $files = int($bytes / 50000) + 1;
    put(qq(<File uid="$_" fullPath="/src/f$_.cs"/>\n)) for 1 .. $files;
    put('</Files><Classes>');
    for (my $i = 1; $more; $i++) {
        my $file = 1 + $i % $files;
        put("<Class><FullName>N.C$i</FullName><Methods><Method><Name>void N.C$i\::M()"
            . qq(</Name><FileRef uid="$file"/><SequencePoints>)
            . join('', map { qq(<SequencePoint vc="$_" uspid="$_" ordinal="$_" offset="$_" )
                . 'sl="' . ($i * 20 + $_) . '" sc="1" el="' . ($i * 20 + $_)
                . qq(" ec="30" fileid="$file"/>\n) } 1 .. 15)
            . '</SequencePoints><BranchPoints/></Method></Methods></Class>');
    }
    print '</Classes></Module></Modules></CoverageSession>';
}

sub scoverage {
    put('<scoverage statement-count="1" statements-invoked="1" version="1.0"><packages>'
        . '<package name="p"><classes>');
    for (my $i = 1; $more; $i++) {
        put(qq(<class name="p.C$i" filename="p/C$i.scala"><methods><method name="p/C$i/m">)
            . '<statements>' . join('', map { qq(<statement package="p" class="C$i" )
                . qq(class-type="Class" full-class-name="p.C$i" source="/src/p/C$i.scala" )
                . qq(method="m" start="$_" end="$_" line="$_" branch="false" )
                . qq(invocation-count="3" ignored="false"></statement>\n) } 1 .. 15)
            . '</statements></method></methods></class>');
    }
    print '</classes></package></packages></scoverage>';
}

sub simplecov {
    put('{"meta":{"simplecov_version":"0.22.0"},"coverage":{');
    for (my $i = 0; $more; $i++) {
        put(($i ? ',' : '') . qq("/src/f$i.rb":{"lines":[)
            . join(',', map { $_ % 3 ? $_ : 'null' } 0 .. 299) . "]}\n");
    }
    print '},"groups":{}}';
}

sub coverlet {
    put('{"a.dll":{');
    for (my $i = 0; $more; $i++) {
        put(($i ? ',' : '') . qq("/src/f$i.cs":{"N.C$i":{"System.Void N.C$i\::M()":{"Lines":{)
            . join(',', map { qq("$_":$_) } 1 .. 100) . "},\"Branches\":[]}}}\n");
    }
    print '}}';
}

sub xccov {
    put('{');
    for (my $i = 0; $more; $i++) {
        put(($i ? ',' : '') . qq("/src/f$i.swift":[)
            . join(',', map { qq({"executionCount":$_,"isExecutable":true,"line":$_}) }
                1 .. 100) . "]\n");
    }
    print '}';
}

sub ctest {
    put('<Site Generator="ctest-3.25.1"><CoverageLog>');
    for (my $i = 0; $more; $i++) {
        put(qq(<File Name="f$i.c" FullPath="./f$i.c"><Report>)
            . join('', map { qq(<Line Number="$_" Count="$_">  f();</Line>\n) } 0 .. 99)
            . '</Report></File>');
    }
    print '</CoverageLog></Site>';
}

sub luacov {
    for (my $i = 0; $more; $i++) {
        put("300:f$i.lua\n" . join(' ', map { $_ % 7 } 1 .. 300) . " \n");
    }
}

sub verilator {
    put("# SystemC::Coverage-3\n");
    for (my $i = 0; $more; $i++) {
        put("C '\1f\2f" . $i % 70 . ".v\1l\2$i\1n\2" . "3\1page\2v_line/m\1o\2block\1h"
            . "\2TOP.m$i' " . below(100) . "\n");
    }
}

sub ctc {
    put('<coverage projectName="p" ctcreportVersion="10.2.2">');
    for (my $i = 0; $more; $i++) {
        put(qq(<file name="f$i.c" location="/src/f$i.c"><function name="f$i">)
            . join('', map { qq(<line number="$_" codeType="Executable" )
                . qq(isExecuted="Executed" isJustified=""></line>\n) } 1 .. 30)
            . '</function></file>');
    }
    print '</coverage>';
}

sub bullseye {
    put('<BullseyeCoverage name="d.cov" dir="/src/" version="6">');
    for (my $i = 0; $more; $i++) {
        put(qq(<src name="f$i.cpp">) . join('', map { qq(<fn name="f${i}_$_()"><probe line=")
                . 9 * $_ . qq(" kind="function" event="full"/></fn>\n) } 1 .. 30)
            . '</src>');
    }
    print '</BullseyeCoverage>';
}

my %make = (
    axe => \&axe, bpftrace => \&bpftrace, bullseye => \&bullseye,
    coveragepy => \&coveragepy, coverlet => \&coverlet, ctc => \&ctc,
    ctest => \&ctest, 'd-trace' => \&d_trace, dhat => \&dhat, dotnet => \&dotnet,
    dtrace => \&dtrace, eprof => \&eprof, 'flame-json' => \&flame_json,
    fprof => \&fprof, ghc => \&ghc,
    goroutines => \&goroutines, gperftools => \&gperftools, 'gprof-text' => \&gprof_text,
    'gprof2dot-json' => \&gprof2dot_json, hprof => \&hprof,
    'llvm-cov' => \&llvm_cov, luacov => \&luacov,
    'macos-sample' => \&macos_sample, massif => \&massif, rprof => \&rprof,
    scoverage => \&scoverage, simplecov => \&simplecov, stackprof => \&stackprof,
    'thread-dump' => \&thread_dump, verilator => \&verilator, vtune => \&vtune,
    xccov => \&xccov, xdebug => \&xdebug, xhprof => \&xhprof,
);
die "records.pl: no such format: $format\n" unless $make{$format};
$make{$format}->();
