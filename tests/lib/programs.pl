#!/usr/bin/perl
# programs.pl PACKAGE... -- FILE... - prints the programs that the shell scripts
# FILE... run, but for those of the Debian packages, of packages that these depend
# on, and of the smallest Debian: FILE:LINE: PROGRAM. A test, or a function,
# that looks for a program ("needs PROGRAM", "command -v PROGRAM") may run it.
#
# A program that is not installed here is not seen: the test that runs it fails.
# Nor is one whose name is in a variable. The grammar is that of the shell as far
# as the tests use it: words, quotes, here-documents, substitutions, case.
use strict;
use warnings;
use Cwd qw(realpath);

my ($file, $block, $line, @documents);
my (%functions, @found);

# Commands that run the command after their options and assignments.
my %runs = map { $_ => 1 } qw(! time if then elif else while until do { run not
    env exec timeout xargs setpriv nice command show expect_status);

sub found {
    my ($kind, $word) = @_;
    push @found, { file => $file, line => $line, block => $block,
        kind => $kind, word => $word };
}

sub lines_in {
    my ($text) = @_;
    $line += $text =~ tr/\n//;
}

# The rest of a string in double quotes, with its substitutions.
sub take_string {
    while (1) {
        if    (/\G"/gc) { return }
        elsif (/\G\$\((?!\()/gc) { take_list(qr/\)/) }
        elsif (/\G(\\.|[^"\\\$]+|\$)/gcs) { lines_in($1) }
        else { return }
    }
}

# A word; returns its text if it has no variables.
sub take_word {
    my $word = '';
    while (1) {
        if    (/\G\$?'([^']*)'/gc) { lines_in($1); $word .= 'Q' }
        elsif (/\G"/gc)            { take_string(); $word .= 'Q' }
        elsif (/\G\$\(\(.*?\)\)/gcs) { $word .= 'Q' }
        elsif (/\G\$\(|\G[<>]\(/gc)  { take_list(qr/\)/); $word .= 'Q' }
        elsif (/\G\$\{[^}]*\}/gc)  { $word .= 'Q' }
        elsif (/\G\\\n/gc)         { $line++; last if $word eq '' }
        elsif (/\G\\./gc)          { $word .= 'Q' }
        elsif (/\G=\(/gc)          { take_list(qr/\)/, 1); $word .= '=' }
        elsif (/\G([^\s;&|()<>'"\\]+?)(?=\$\(|\$\{|\$'|=\(|[\s;&|()<>'"\\]|\z)/gc) {
            $word .= $1;
        }
        else { last }
    }
    return $word;
}

sub take_documents {
    for my $document (@documents) {
        my ($tabs, $end) = @$document;
        lines_in($1) if /\G(.*?^$tabs\Q$end\E\n)/gcms;
    }
    @documents = ();
}

# The patterns of a case up to ")".
sub take_patterns {
    while (/\G\s*(?:\\\n\s*|\#.*\n\s*)*/gc) {
        lines_in($&);
        return 0 if /\Gesac\b/gc;
        /\G\(/gc;
        take_word() while /\G[ \t]*(?=[^\s)|])/gc;
        return 1 if /\G[ \t]*\)/gc;
        /\G[ \t]*\|/gc or return 0;
    }
}

# Commands until $end; those of an array are arguments.
sub take_list {
    my ($end, $arguments) = @_;
    my ($first, $looks, $cases) = (!$arguments, 0, 0);
    while (!/\G\z/gc) {
        if    (/\G(?:[ \t]+|\\\n)/gc) { lines_in($&) }
        elsif (/\G#.*/gc)             { }
        elsif (/\G<<(-?)\s*['"\\]?(\w+)['"]?/gc) {
            push @documents, [$1 ? '\t*' : '', $2];
        }
        elsif (/\G<<</gc) { }
        elsif (/\G[<>]\((?=)/gc) { take_list(qr/\)/) }
        elsif (/\G\d*(?:[<>]&?|>>|>\||<>)[ \t]*(?:\d+|-)?(?=[^(]|\z)/gc) {
            take_word() if $& !~ /&\s*[\d-]/;
        }
        elsif (/\G\n/gc) {
            $line++;
            take_documents();
            $first = !$arguments;
        }
        elsif (/\G;;/gc) { take_patterns() or $cases--; $first = 1 }
        elsif ($end && /\G$end/gc) { return }
        elsif (/\G\(\(.*?\)\)/gcs) { lines_in($&) }
        elsif (/\G[;&|(]+/gc) { $first = !$arguments; $looks = 0 }
        elsif (/\G\)/gc)      { $first = 0 }
        elsif ($first && /\G\[\[\s/gc) {
            until (/\G\s*\]\]/gc || /\G\z/gc) {
                /\G[\s()<>&|;]+/gc ? lines_in($&) : take_word();
            }
            $first = 0;
        }
        elsif ($first && /\G\@test\s+("[^"]*"|'[^']*')/gc) { $block = $1 }
        elsif ($first && /\G([\w-]+)[ \t]*\(\)/gc) { $block = $1; found('function', $1) }
        elsif ($first && /\Gcase[ \t]+/gc) {
            take_word();
            /\G\s*in\b/gc;
            lines_in($&);
            take_patterns();
        }
        elsif ($first && /\G(?:for|select)[ \t]/gc) { $first = 0 }
        elsif (/\G\}/gc) { $first = 0 }
        else {
            my $at = pos;
            my $word = take_word();
            if (pos == $at) { /\G./gcs; next }
            if ($looks) { found('needs', $word) if $word =~ /^[\w.+-]+$/; next }
            next if !$first || $word =~ /^\w+=/;
            next if $runs{$word} && !($word eq 'command' && /\G[ \t]+-v/gc && ($looks = 1));
            next if $looks;
            next if $word =~ /^[-\d{]/; # options of env, timeout
            $first = 0;
            $looks = $word eq 'needs';
            found('runs', $word) if $word =~ /^[\w.+-]+$/;
        }
    }
}

sub read_scripts {
    while (defined($file = shift)) {
        open my $in, '<', $file or die "$file: $!\n";
        local $/;
        $line = 1;
        # Perl copies the text at each match: pieces are short.
        for (split /^(?=\@test |[\w-]+\(\)$)/m, <$in>) {
            my $next = $line + tr/\n//;
            $block = '-';
            pos() = 0;
            take_list();
            $line = $next;
        }
    }
}

# ---- Which tests look for what they run --------------------------------------

# The functions that are called in a file are its own or helper.bash's.
sub function_of {
    my ($file, $name) = @_;
    return (grep { $functions{$_} } "$file $name", "tests/helper.bash $name")[0];
}

# Returns the commands of the programs that no caller looks for. What setup() looks
# for, all tests do.
sub unguarded {
    my ($programs) = @_;
    my (%needs, %callers, @open);
    for (@found) {
        my $at = "$_->{file} $_->{block}";
        $functions{"$_->{file} $_->{word}"} = 1 if $_->{kind} eq 'function';
        $needs{$at}{ $_->{word} } = 1 if $_->{kind} eq 'needs';
    }
    for (grep { $_->{kind} eq 'runs' } @found) {
        my $called = function_of($_->{file}, $_->{word});
        my $at     = "$_->{file} $_->{block}";
        if (!$called) { push @open, $_ if $programs->{ $_->{word} } }
        else {
            $callers{$called}{$at} = 1;
            $needs{$at}{$_} = 1 for keys %{ $needs{$called} };
        }
    }
    my $is_guarded;
    $is_guarded = sub {
        my ($at, $word, %seen) = @_;
        my ($file) = split / /, $at;
        return 1 if grep { $needs{$_}{$word} } $at, "$file setup", "$file -";
        my @callers = grep { !$seen{$_} } keys %{ $callers{$at} };
        return @callers > 0 &&
            !grep { !$is_guarded->($_, $word, %seen, $at => 1) } @callers;
    };
    return grep { !$is_guarded->("$_->{file} $_->{block}", $_->{word}) } @open;
}

# ---- Packages ----------------------------------------------------------------

# The packages, those of the smallest Debian, and all that they depend on.
sub closure {
    my (%depends, %provides, %in);
    my @packages = @_;
    for (qx(dpkg-query -W -f '\${Package}\\t\${Essential}\\t\${Priority}\\t\${Provides}\\t\${Pre-Depends}, \${Depends}\\n')) {
        my ($name, $essential, $priority, $provides, $depends) = split /\t/;
        $depends{$name} = [$depends =~ /(?:^|[,|])\s*([a-z0-9.+-]+)/g];
        push @{ $provides{$_} }, $name for $name, $provides =~ /(?:^|,)\s*([a-z0-9.+-]+)/g;
        push @packages, $name if $essential eq 'yes' || $priority eq 'required';
    }
    while (defined(my $name = shift @packages)) {
        for my $package (@{ $provides{$name} // [] }) {
            push @packages, @{ $depends{$package} } if !$in{$package}++;
        }
    }
    return \%in;
}

# The file that the shell would run, and the one that it is a link to.
sub paths_of {
    my ($word) = @_;
    for my $dir (split /:/, $ENV{PATH}) {
        return ("$dir/$word", realpath("$dir/$word")) if -f -x "$dir/$word";
    }
    return ();
}

# All files of the packages. Directories of / are links to those of /usr, and
# packages have either path: here it is the short one.
sub files_of {
    my %files;
    for my $list (map { glob "/var/lib/dpkg/info/{$_,$_:*}.list" } @_) {
        open my $in, '<', $list or next;
        chomp(my @paths = <$in>);
        $files{s{^/usr/}{/}r} = 1 for @paths;
    }
    return \%files;
}

my $builtin = qr/^(?:[.:\[]|alias|bg|break|builtin|cd|continue|declare|done|echo
    |esac|eval|exit|export|false|fg|fi|hash|kill|let|local|printf|pwd|read
    |readonly|return|set|shift|shopt|test|times|trap|true|type|ulimit|umask
    |unset|wait)$/x;
my @packages;
while (@ARGV && (my $word = shift) ne '--') { push @packages, $word }
read_scripts(@ARGV);
my $files = files_of(keys %{ closure(@packages) });
my %programs;
for my $word (map { $_->{word} } @found) {
    next if $word =~ $builtin;
    $programs{$word} //= do {
        my @paths = paths_of($word);
        @paths && !grep { $files->{s{^/usr/}{/}r} } @paths;
    };
}
my @bad = unguarded(\%programs);
print map { "$_->{file}:$_->{line}: $_->{word}\n" } @bad;
exit(@bad > 0);
