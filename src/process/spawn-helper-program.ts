/** Of the system only: in a user's PATH it can be a slow wrapper. */
export const PERL = '/usr/bin/perl';

/**
 * The spawn helper, in perl without modules: it starts in 2 ms with 5 MB, and a fork of it costs a fifth of one of the
 * engine. It reads requests on its standard input, each with its length: `r` runs a program, `k` signals its group, `d`
 * drops its output. It answers in frames of kind, id, length and bytes: `s` started with this pid, `o` and `e` output,
 * `x` the wait status, `c` the output has ended, `f` it could not fork. A program starts only when its pid is written,
 * so that no program runs of which the engine has not heard; what cannot be executed ends by USR2. It ends with its input.
 */
export const SPAWN_HELPER_PROGRAM = String.raw`
$0 = 'mh-spawn'; binmode STDIN; binmode STDOUT;
$SIG{$_} = 'IGNORE' for qw(PIPE HUP INT QUIT TERM);
my ($requests, %id, %out) = ('');
pipe(my $awake, my $wake) or die "pipe: $!\n";
$SIG{CHLD} = sub { syswrite($wake, '.') };
sub put { my ($kind, $id, $bytes) = @_; my $frame = pack('aNN', $kind, $id, length $bytes) . $bytes; my $at = 0;
  while ($at < length $frame) { my $sent = syswrite(STDOUT, $frame, length($frame) - $at, $at);
    if (defined $sent) { $at += $sent } elsif ($! != 4) { exit 0 } } }
sub quit { my $n = shift; my $o = delete $out{$n} or return; close $o->[0];
  put('c', $o->[1], '') unless grep { $_->[1] == $o->[1] } values %out; }
sub run { my ($id, $has, $size, $rest) = unpack('N C N a*', shift);
  my $input = substr($rest, 0, $size, ''); my ($args, @words) = split /\0/, $rest, -1;
  my $cwd = shift @words; my @command = splice(@words, 0, $args);
  pipe(my $or, my $ow) && pipe(my $er, my $ew) && pipe(my $gr, my $gw) or return put('f', $id, '');
  my ($in, $feed);
  if ($has) { socketpair($in, $feed, 1, 1, 0) or return put('f', $id, '') }
  else { open($in, '<', '/dev/null') or return put('f', $id, '') }
  my $pid = fork; defined $pid or return put('f', $id, '');
  if (!$pid) { close $gw; close $feed if $feed; setpgrp(0, 0);
    open(STDIN, '<&', $in); open(STDOUT, '>&', $ow); open(STDERR, '>&', $ew);
    $SIG{$_} = 'DEFAULT' for qw(PIPE HUP INT QUIT TERM CHLD);
    kill 'KILL', $$ unless sysread($gr, my $go, 1);
    if ($cwd eq '' || chdir $cwd) { %ENV = (); for (@words) { my ($k, $v) = split /=/, $_, 2; $ENV{$k} = $v } exec { $command[0] } @command }
    kill 'USR2', $$; exit 127 }
  setpgrp($pid, $pid); close $gr; close $ow; close $ew; close $in; $id{$pid} = $id;
  $out{fileno $or} = [$or, $id, 'o']; $out{fileno $er} = [$er, $id, 'e'];
  put('s', $id, $pid); syswrite($gw, '.'); syswrite($feed, $input) if $feed && $size }
for (;;) {
  my $r = ''; vec($r, $_, 1) = 1 for 0, fileno $awake, keys %out;
  select($r, undef, undef, undef) > 0 or next;
  for my $n (keys %out) { next unless vec($r, $n, 1); my $o = $out{$n};
    my $got = sysread($o->[0], my $bytes, 65536);
    if ($got) { put($o->[2], $o->[1], $bytes) } elsif (defined $got || $! != 4) { quit($n) } }
  if (vec($r, fileno $awake, 1)) { sysread($awake, my $dots, 4096);
    while ((my $gone = waitpid(-1, 1)) > 0) { put('x', delete $id{$gone}, $?) } }
  next unless vec($r, 0, 1);
  my $got = sysread(STDIN, $requests, 65536, length $requests);
  exit 0 if defined $got && $got == 0 || !defined $got && $! != 4;
  while (length $requests >= 4 && length $requests >= 4 + unpack('N', $requests)) {
    my ($kind, $body) = unpack('a a*', substr($requests, 4, unpack('N', $requests)));
    substr($requests, 0, 4 + unpack('N', $requests)) = '';
    if ($kind eq 'r') { run($body); next }
    my $id = unpack('N', $body);
    quit($_) for grep { $out{$_} && $out{$_}[1] == $id } keys %out } }
`;
