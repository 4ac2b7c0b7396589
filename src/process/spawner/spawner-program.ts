import { constants } from 'node:os';

/** A program to start, with its whole environment. */
export type ProgramRequest = {
  command: readonly string[];
  cwd?: string | undefined;
  env: Record<string, string>;
  input?: string | Buffer | undefined;
};

/** A shim to start: its output goes to files, and it connects itself to the socket on which this process waits for its key. */
export type ShimRequest = {
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  files: { stdin: string; stdout: string; stderr: string };
  /** FIFOs to make before it starts; those that cannot be made are its own task. */
  fifos: { folder: string; names: readonly string[] };
  channel: { name: string; key: string };
};

export type ProgramEnd = { code: number | null; signal: string | null };

/** Receives the output of a program as it comes. */
export type OutputListeners = { stdout: (chunk: Buffer) => void; stderr: (chunk: Buffer) => void };

/** A program that was started, by this process or by its spawner. */
export interface Program {
  /** Signals its whole process group. */
  signal(name: NodeJS.Signals): void;
  /** Reads no more of its output. */
  drop(): void;
  onExit(listener: () => void): void;
  /** When it and its output have ended; rejects with the system's error where it could not be started. */
  readonly closed: Promise<ProgramEnd>;
}

/** What a socket takes at once, so that the spawner never waits for a program to read its input. */
const MAX_INPUT_BYTES = 32 * 1024;

/** Of the system only: in a user's PATH it can be a slow wrapper. */
export const PERL = '/usr/bin/perl';

/** The numbers of the system calls that make a session and a FIFO, for which perl needs modules. */
const SYSTEM_CALLS: Partial<Record<string, { setsid: number; mknodat: number }>> = {
  x64: { setsid: 112, mknodat: 259 },
  arm64: { setsid: 157, mknodat: 33 },
};

/**
 * The spawner, in perl without modules: it starts in 2 ms with 5 MB, and a fork of it costs a fifth of one of the
 * engine. It reads requests on its standard input, each with its length: `r` runs a program, `d` drops its
 * output, `l` starts a shim in a session of its own, with the engine's socket as descriptor 3. It answers in frames of kind, id, length and bytes: `s` started with this pid, `o` and `e` output,
 * `x` the wait status, `c` the output has ended, `f` it could not fork. A program starts only when its pid is written,
 * so that no program runs of which the engine has no record; what cannot be executed ends by USR2. It ends with its input, and starts
 * nothing for a process that has died. It closes what the engine inherited from its caller, so that no program gets that.
 */
export const SPAWNER_PROGRAM = String.raw`
$0 = 'mh-spawn'; binmode STDIN; binmode STDOUT;
$SIG{$_} = 'IGNORE' for qw(PIPE HUP INT QUIT TERM);
if (opendir D, '/proc/self/fd') { for (readdir D) { next if /\D/ || $_ < 3 || $_ == fileno D; open F, "<&=$_" and close F } closedir D }
$^F = 3; open(CHANNEL, '+<', '/dev/null') && fileno(CHANNEL) == 3 or die "channel: $!\n";
my ($parent, $requests, %id, %out) = (getppid, '');
pipe(my $awake, my $wake) or die "pipe: $!\n";
$SIG{CHLD} = sub { syswrite($wake, '.') };
sub put { my ($kind, $id, $bytes) = @_; my $frame = pack('aNN', $kind, $id, length $bytes) . $bytes; my $at = 0;
  while ($at < length $frame) { my $sent = syswrite(STDOUT, $frame, length($frame) - $at, $at);
    if (defined $sent) { $at += $sent } elsif ($! != 4) { exit 0 } } }
sub quit { my $n = shift; my $o = delete $out{$n} or return; close $o->[0];
  put('c', $o->[1], '') unless grep { $_->[1] == $o->[1] } values %out; }
sub become { my ($cwd, $command, $variables) = @_;
  if ($cwd eq '' || chdir $cwd) { %ENV = (); for (@$variables) { my ($k, $v) = split /=/, $_, 2; $ENV{$k} = $v } exec { $command->[0] } @$command }
  kill 'USR2', $$; exit 127 }
sub launch { my ($id, $setsid, $mknodat, $rest) = unpack('N N N a*', shift);
  my ($args, $cwd, $stdin, $stdout, $stderr, $folder, $fifos, $name, $key, @words) = split /\0/, $rest, -1;
  my ($engine, @command) = (undef, splice(@words, 0, $args));
  pipe(my $gr, my $gw) or return put('f', $id, '');
  my $pid = fork; defined $pid or return put('f', $id, '');
  if (!$pid) { close $gw; $SIG{$_} = 'DEFAULT' for qw(PIPE HUP INT QUIT TERM CHLD);
    kill 'KILL', $$ unless sysread($gr, my $go, 1);
    for (split / /, $fifos) { my $fifo = "$folder/$_"; syscall($mknodat, -100, $fifo, 010600, 0) }
    syscall($setsid) == $$ && open(STDIN, '<', $stdin) && open(STDOUT, '>>', $stdout) && open(STDERR, '>>', $stderr)
      && ($cwd eq '' || chdir $cwd) && -x $command[0] && socket($engine, 1, 1, 0) && connect($engine, pack('S a*', 1, "\0$name")) && syswrite($engine, "$key\n")
      && open(CHANNEL, '+<&', $engine) && become('', \@command, \@words);
    kill 'USR2', $$; exit 127 }
  close $gr; $id{$pid} = $id;
  put('s', $id, $pid); exit 0 if getppid != $parent; syswrite($gw, '.') }
sub run { my ($id, $has, $size, $rest) = unpack('N C N a*', shift);
  my $input = substr($rest, 0, $size, ''); my ($args, @words) = split /\0/, $rest, -1;
  my $cwd = shift @words; my @command = splice(@words, 0, $args);
  pipe(my $or, my $ow) && pipe(my $er, my $ew) && pipe(my $gr, my $gw) or return put('f', $id, '');
  my ($in, $feed);
  if ($has) { socketpair($in, $feed, 1, 1, 0) or return put('f', $id, '') }
  else { open($in, '<', '/dev/null') or return put('f', $id, '') }
  my $pid = fork; defined $pid or return put('f', $id, '');
  if (!$pid) { close $gw; close CHANNEL; close $feed if $feed; setpgrp(0, 0);
    open(STDIN, '<&', $in); open(STDOUT, '>&', $ow); open(STDERR, '>&', $ew);
    $SIG{$_} = 'DEFAULT' for qw(PIPE HUP INT QUIT TERM CHLD);
    kill 'KILL', $$ unless sysread($gr, my $go, 1);
    become($cwd, \@command, \@words) }
  setpgrp($pid, $pid); close $gr; close $ow; close $ew; close $in; $id{$pid} = $id;
  $out{fileno $or} = [$or, $id, 'o']; $out{fileno $er} = [$er, $id, 'e'];
  put('s', $id, $pid); exit 0 if getppid != $parent; syswrite($gw, '.'); syswrite($feed, $input) if $feed && $size }
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
    if ($kind eq 'l') { launch($body); next }
    my $id = unpack('N', $body);
    quit($_) for grep { $out{$_} && $out{$_}[1] == $id } keys %out } }
`;

/** The request for a program; undefined for one that the spawner cannot start. */
export function runRequest(id: number, { command, cwd, env, input }: ProgramRequest): Buffer | undefined {
  const given = input === undefined ? Buffer.alloc(0) : Buffer.from(input);
  const words = [String(command.length), cwd ?? process.cwd(), ...command, ...variablesOf(env)];
  if (command.length === 0 || given.length > MAX_INPUT_BYTES || words.some((word) => word.includes('\0')))
    return undefined;
  const head = Buffer.concat([
    Buffer.from('r'),
    uint32(id),
    Buffer.from([input === undefined ? 0 : 1]),
    uint32(given.length),
  ]);
  return framed(Buffer.concat([head, given, Buffer.from(words.join('\0'))]));
}

/** The request for a shim; undefined for one that the spawner cannot start. */
export function shimRequest(id: number, { command, cwd, env, files, fifos, channel }: ShimRequest): Buffer | undefined {
  const calls = process.platform === 'linux' ? SYSTEM_CALLS[process.arch] : undefined;
  const { stdin, stdout, stderr } = files;
  const given = [String(command.length), cwd, stdin, stdout, stderr, fifos.folder, fifos.names.join(' ')];
  const words = [...given, channel.name, channel.key, ...command, ...variablesOf(env)];
  if (calls === undefined || words.some((word) => word.includes('\0'))) return undefined;
  const numbers = [id, calls.setsid, calls.mknodat].map(uint32);
  return framed(Buffer.concat([Buffer.from('l'), ...numbers, Buffer.from(words.join('\0'))]));
}

function variablesOf(env: Record<string, string>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

/** The request to read no more of a program's output. */
export function dropRequest(id: number): Buffer {
  return framed(Buffer.concat([Buffer.from('d'), uint32(id)]));
}

function framed(body: Buffer): Buffer {
  return Buffer.concat([uint32(body.length), body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The low bits of a wait status are the signal that ended the program, the next ones its exit code. */
export function endOf(status: number): ProgramEnd {
  const number = status & 127;
  if (number === 0) return { code: status >> 8, signal: null };
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: null, signal: name ?? `SIG${number}` };
}
