import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../shim.ts';
import { PERL } from '../spawner/spawner-program.ts';
import { HOLD } from './proxy-session.ts';
import { BRIDGE_PORT } from './proxy-target.ts';
import { PROXY_FILES } from './session-rules.ts';

/** Where a sandbox sees the folder with its proxy's socket. */
export const SOCKET_FOLDER = '/run/manyhands-network';
/** The name of the bridge's process, by which it is recognized as a part of the sandbox. */
export const BRIDGE_NAME = 'mh-bridge';
const PROXY = `http://127.0.0.1:${BRIDGE_PORT}`;
const NOT_PROXIED = 'localhost,127.0.0.1,::1';

/** The variables by which programs find the proxy. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: NOT_PROXIED,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: NOT_PROXIED,
  npm_config_proxy: PROXY,
  npm_config_https_proxy: PROXY,
  npm_config_noproxy: NOT_PROXIED,
  YARN_HTTP_PROXY: PROXY,
  YARN_HTTPS_PROXY: PROXY,
  PIP_PROXY: PROXY,
  CARGO_HTTP_PROXY: PROXY,
  NODE_USE_ENV_PROXY: '1',
};

/** The base URL of a key route, as a sandbox sees it. */
export function routeAddress(name: string): string {
  return `${PROXY}/${name}`;
}

/** Variables of the person's own proxies, which a sandbox without a proxy cannot reach. */
export const PERSONAL_PROXY_VARIABLES = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
];

/**
 * Connects ports of a sandbox's own loopback with the socket of its proxy, in a process that ends with the sandbox. It is
 * written in perl, which starts in 2 ms where Node needs 50, and without modules. The first port is the proxy's; each
 * other one stands for the same port of the machine. A connection waits while the proxy is being restarted.
 */
const PERL_BRIDGE = String.raw`
my ($path, $hold, $name, @ports) = @ARGV;
$SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE USR1 USR2 TSTP TTIN TTOU);
my (%listener, %peer, %out, %handle, %ended, %skip, @waiting);
for my $port (@ports) {
  socket(my $l, 2, 1, 0) or die "socket: $!\n";
  setsockopt($l, 1, 2, pack('l', 1));
  bind($l, pack('S n N x8', 2, $port, 0x7f000001)) or die "port $port: $!\n";
  listen($l, 128) or die "listen: $!\n";
  $listener{fileno $l} = $port; $handle{fileno $l} = $l;
}
my $pid = fork; defined $pid or die "fork: $!\n"; exit 0 if $pid;
$0 = $name; setpgrp(0, 0); chdir '/';
open(STDIN, '<', '/dev/null'); open(STDOUT, '>', '/dev/null'); open(STDERR, '>', '/dev/null');
sub quit { my $n = shift; my $h = delete $handle{$n} or return; my $p = delete $peer{$n};
  delete $out{$n}; delete $ended{$n}; delete $skip{$n}; close $h; quit($p) if defined $p; }
sub proxy { socket(my $s, 1, 1, 0) or return; return unless connect($s, pack('S a108', 1, $path)); fcntl($s, 4, 2048); return $s; }
sub pair { my ($c, $port) = @_; my $s = proxy() or return 0; my $n = fileno $s;
  $handle{$n} = $s; $out{$n} = '';
  if (!defined $c) { $out{$n} = "CONNECT $hold HTTP/1.1\r\nHost: $hold\r\n\r\n"; return 1; }
  my $m = fileno $c; $handle{$m} = $c; $out{$m} = ''; $peer{$m} = $n; $peer{$n} = $m;
  if ($port != $ports[0]) { $out{$n} = "CONNECT 127.0.0.1:$port HTTP/1.1\r\nHost: 127.0.0.1:$port\r\n\r\n"; $skip{$n} = ''; }
  return 1; }
push @waiting, [undef, 0, time + 86400];
for (;;) {
  @waiting = grep { !pair($_->[0], $_->[1]) && time < $_->[2] } @waiting;
  my ($r, $w) = ('', '');
  for my $n (keys %handle) {
    if (exists $listener{$n}) { vec($r, $n, 1) = 1; next; }
    my $p = $peer{$n};
    vec($w, $n, 1) = 1 if length $out{$n};
    vec($r, $n, 1) = 1 if !$ended{$n} && (!defined $p || length($out{$p}) < 65536);
  }
  select($r, $w, undef, @waiting ? 0.1 : undef) >= 0 or next;
  for my $n (keys %handle) {
    next unless exists $handle{$n};
    my $h = $handle{$n};
    if (exists $listener{$n}) {
      next unless vec($r, $n, 1) && accept(my $c, $h);
      fcntl($c, 4, 2048); setsockopt($c, 6, 1, pack('l', 1));
      push @waiting, [$c, $listener{$n}, time + 20] unless pair($c, $listener{$n});
      next;
    }
    if (vec($w, $n, 1)) {
      my $sent = syswrite($h, $out{$n});
      if (defined $sent) { substr($out{$n}, 0, $sent) = ''; }
      elsif ($! != 11 && $! != 4) { quit($n); next; }
      my $p = $peer{$n};
      shutdown($h, 1) if !length $out{$n} && defined $p && $ended{$p};
    }
    next unless exists $handle{$n} && vec($r, $n, 1);
    my $got = sysread($h, my $bytes, 65536); my $p = $peer{$n};
    if (!defined $got) { quit($n) unless $! == 11 || $! == 4; next; }
    if (!defined $p) { next if $got; quit($n); push @waiting, [undef, 0, time + 86400]; next; }
    if ($got == 0) { $ended{$n} = 1;
      if ($ended{$p}) { quit($n) unless length $out{$n} || length $out{$p}; } elsif (!length $out{$p}) { shutdown($handle{$p}, 1); }
      next; }
    if (exists $skip{$n}) { $skip{$n} .= $bytes; my $end = index($skip{$n}, "\r\n\r\n");
      if ($end < 0) { quit($n) if length $skip{$n} > 16384; next; }
      my $head = delete $skip{$n};
      if ($head !~ m{^HTTP/1\.1 200 }) { quit($n); next; }
      $bytes = substr($head, $end + 4); }
    $out{$p} .= $bytes;
  }
  for my $n (keys %ended) { my $p = $peer{$n}; quit($n) if defined $p && $ended{$p} && !length $out{$n} && !length $out{$p}; }
}
`;

/** The start of the bridge between ports of the sandbox and its proxy, to be run before the program. */
export function bridgeStart(ports: readonly number[]): string[] {
  const words = [`${SOCKET_FOLDER}/${PROXY_FILES.socket}`, HOLD, BRIDGE_NAME, BRIDGE_PORT, ...ports].map(String);
  return existsSync(PERL) ? [PERL, '-e', PERL_BRIDGE, ...words] : [process.execPath, bridgeProgram(), ...words];
}

/** The command after these helpers: it starts when each of them is ready. */
export function commandAfter(helpers: readonly (readonly string[])[], command: readonly string[]): string[] {
  if (helpers.length === 0) return [...command];
  const starts = helpers.map((helper) => {
    const words = helper.map(shellWord).join(' ');
    // One in Node closes its standard output when it is ready, which is what the shell waits for.
    return `${helper[0] === PERL ? words : `: "$(${words} &)"`} || exit 125`;
  });
  return ['/bin/sh', '-c', `${starts.join('; ')}; exec "$@"`, BRIDGE_NAME, ...command];
}

/** The built program if there is one, else its source, which Node runs directly. */
export function bridgeProgram(): string {
  const built = fileURLToPath(new URL('./bridge.js', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('./bridge-program.ts', import.meta.url));
}
