import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { bridgePort, holdSession } from './bridge-connections.ts';

/** What the two perl helpers of a sandbox do, for systems without perl: `port` passes a port on, anything else is the bridge. */
const isPort = process.argv[2] === 'port';
const [path = '', second = '', name = '', ...others] = process.argv.slice(isPort ? 3 : 2);
process.title = name;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
if (isPort) {
  await Promise.all(Array.from({ length: Number(others[0]) }, () => park(Number(second))));
} else {
  await Promise.all(
    others.map((port, index) => bridgePort(path, Number(port), index === 0 ? {} : { to: Number(port) })),
  );
  void holdSession(path, second);
}
closeSync(1);
// Otherwise a connection gets the number of standard output, which Node opens when it passes bytes on.
openSync('/dev/null', 'w');

/** Keeps one connection to the engine open; when it is requested, it is connected with the port, and another one takes its place. */
async function park(port: number): Promise<void> {
  const outside = connect({ path, allowHalfOpen: true });
  outside.on('error', () => {});
  await new Promise((resolve) => outside.once('connect', resolve).once('close', resolve));
  outside.once('data', () => {
    outside.pause();
    void park(port);
    const inside = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    inside.on('error', () => outside.end('-'));
    inside.once('connect', () => {
      outside.write('+');
      outside.pipe(inside).pipe(outside);
      outside.on('close', () => inside.destroy());
    });
  });
}
