import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PERL } from '../spawner/spawner-program.ts';
import { BRIDGE_NAME, bridgeProgram } from './bridge.ts';

/** A port of the machine's loopback that is passed on into a sandbox with a network of its own. */
export interface PortForward extends AsyncDisposable {
  /** The folder with the socket, which the sandbox needs. */
  readonly folder: string;
  readonly port: number;
  /** Whether a program in the sandbox accepts connections on the port. */
  isServed(): Promise<boolean>;
  /** Accepts connections from outside. */
  listen(): Promise<void>;
}

/** Where a sandbox sees the folder with the socket. */
export const FORWARD_FOLDER = '/run/manyhands-port';
const SOCKET = 'port.sock';
/** Connections that wait in advance, so that a client is served at once. */
const SPARE = 4;
/** More are closed: a program can open any number. */
const MOST_PARKED = 64;
const REQUEST = '!';
const CONNECTED = '+'.charCodeAt(0);

/**
 * The other end, inside: keeps connections to the engine open and, when one is requested, connects it with the port. The
 * engine listens and the sandbox connects, because a socket that a sandbox makes could be a link to another one. It ends
 * when the engine does not listen any more.
 */
const PERL_FORWARD = String.raw`
my ($path, $port, $name, $spare) = @ARGV;
$SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE USR1 USR2 TSTP TTIN TTOU CHLD);
sub park { socket(my $s, 1, 1, 0) or return; connect($s, pack('S a108', 1, $path)) or return; return $s; }
park() or die "port $port: $!\n";
pipe(my $used, my $use) or die "pipe: $!\n";
my $pid = fork; defined $pid or die "fork: $!\n"; exit 0 if $pid;
$0 = $name; setpgrp(0, 0); chdir '/';
open(STDIN, '<', '/dev/null'); open(STDOUT, '>', '/dev/null'); open(STDERR, '>', '/dev/null');
sub pass { my ($from, $to) = @_;
  PASS: while (my $n = sysread($from, my $bytes, 65536)) {
    for (my $at = 0; $at < $n;) { my $sent = syswrite($to, $bytes, $n - $at, $at); last PASS unless defined $sent; $at += $sent; } }
  shutdown($to, 1); exit 0; }
sub serve { my $s = shift;
  sysread($s, my $request, 1) or do { select(undef, undef, undef, 0.2); syswrite($use, '.'); exit 0; };
  syswrite($use, '.');
  socket(my $c, 2, 1, 0) or exit 0;
  connect($c, pack('S n N x8', 2, $port, 0x7f000001)) or do { syswrite($s, '-'); exit 0; };
  setsockopt($c, 6, 1, pack('l', 1)); syswrite($s, '+');
  my $other = fork; defined $other or exit 0;
  $other ? pass($s, $c) : pass($c, $s); }
sub start { my $s = park() or exit 0; my $p = fork; defined $p or return; serve($s) unless $p; close $s; }
start() for 1 .. $spare;
start() while sysread($used, my $one, 1);
`;

/** The start of the inner end, to be run before the program that serves the port. */
export function forwardStart(port: number, { folder = FORWARD_FOLDER, isPerl = existsSync(PERL) } = {}): string[] {
  const words = [join(folder, SOCKET), String(port), BRIDGE_NAME, String(SPARE)];
  return isPerl ? [PERL, '-e', PERL_FORWARD, ...words] : [process.execPath, bridgeProgram(), 'port', ...words];
}

/** Opens the outer end; connections from outside are accepted only after `listen`. */
export async function forwardPort(folder: string, port: number): Promise<PortForward> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const parked: Socket[] = [];
  const waiting = new Set<(socket: Socket) => void>();
  const sockets = new Set<Socket>();
  const inner = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    track(sockets, socket);
    socket.once('close', () => parked.splice(0, parked.length, ...parked.filter((each) => each !== socket)));
    const [next] = waiting;
    if (next !== undefined) next(socket);
    else if (parked.length < MOST_PARKED) parked.push(socket);
    else socket.destroy();
  });
  /** A connection whose other end has tried the port, with whether that worked. */
  const request = async (client?: Socket): Promise<Socket | undefined> => {
    const socket = parked.shift() ?? (await nextParked(waiting, client));
    if (socket === undefined) return undefined;
    socket.write(REQUEST);
    const first = await firstByte(socket);
    if (first === CONNECTED) return socket;
    socket.destroy();
    return undefined;
  };
  const outer = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (client) => {
    track(sockets, client);
    const socket = await request(client);
    if (socket === undefined) client.destroy();
    else connectBoth(client, socket);
  });
  await listenIn(inner, folder);
  return {
    folder,
    port,
    isServed: async () => {
      // Nothing is parked before the sandbox has started.
      if (parked.length === 0) return false;
      const socket = await request();
      socket?.destroy();
      return socket !== undefined;
    },
    listen: () => listening(outer, { port, host: '127.0.0.1' }),
    [Symbol.asyncDispose]: async () => {
      for (const server of [inner, outer]) server.close();
      for (const socket of sockets) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The next connection from inside; undefined where the client has gone before. */
function nextParked(waiting: Set<(socket: Socket) => void>, client: Socket | undefined): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>();
  waiting.add(resolve);
  client?.once('close', () => resolve(undefined));
  return promise.finally(() => waiting.delete(resolve));
}

async function firstByte(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  socket.once('close', () => resolve(undefined)).once('end', () => resolve(undefined));
  socket.once('data', (bytes: Buffer) => {
    socket.pause();
    if (bytes.length > 1) socket.unshift(bytes.subarray(1));
    resolve(bytes[0]);
  });
  socket.resume();
  return promise;
}

function connectBoth(client: Socket, inside: Socket): void {
  client.pipe(inside).pipe(client);
  client.on('close', () => inside.destroy());
  inside.on('close', () => client.destroy());
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  // A connection that fails is closed, which its other end notices.
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
}

async function listenIn(server: Server, folder: string): Promise<void> {
  // The path of the folder may be too long for a socket.
  const directory = openSync(folder, 'r');
  try {
    const path = process.platform === 'linux' ? `/proc/self/fd/${directory}` : folder;
    await listening(server, { path: join(path, SOCKET) });
  } finally {
    closeSync(directory);
  }
}

function listening(server: Server, on: { path: string } | { port: number; host: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(on, resolve);
  return promise;
}
