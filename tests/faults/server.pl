# server.pl - for perl scripts that run one command many times: see
# tests/faults/server.c, which $ENV{PRELOAD} contains.
use strict;
use warnings;
use Fcntl qw(F_SETFD);

# Starts a command whose standard output and error go to files.
sub start_server {
    my ($stdout, $stderr, $env, @command) = @_;
    pipe my $requests, my $to or die "pipe: $!\n";
    pipe my $from, my $answers or die "pipe: $!\n";
    my $pid = fork() // die "fork: $!\n";
    if ($pid == 0) {
        open STDOUT, '>>', $stdout or die "$stdout: $!\n";
        open STDERR, '>>', $stderr or die "$stderr: $!\n";
        fcntl $_, F_SETFD, 0 for $requests, $answers;
        $ENV{CG_SERVER} = fileno($requests) . ' ' . fileno $answers;
        @ENV{ 'LD_PRELOAD', keys %$env } = ($ENV{PRELOAD}, values %$env);
        exec @command or die "$command[0]: $!\n";
    }
    return { pid => $pid, to => $to, from => $from };
}

# Runs the command once; returns its status as in $?.
sub ask_server {
    my ($server, $request) = @_;
    syswrite $server->{to}, "$request\n";
    my $status = readline $server->{from};
    die "the server has died\n" unless defined $status && $status >= 0;
    return 0 + $status;
}

sub stop_server {
    my ($server) = @_;
    close $server->{to};
    waitpid $server->{pid}, 0;
}

1;
