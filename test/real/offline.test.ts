import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';
import { startModelServer } from './model-server.ts';
import { makeSandbox } from './sandbox.ts';

/** An address that is kept for documents: nobody has it. */
const OUTSIDE = '192.0.2.1';

it.skipIf(process.env.MANYHANDS_OFFLINE !== '1')('nothing of these tests can reach another machine', async () => {
  expect(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .every(({ internal }) => internal),
  ).toBe(true);
  const socket = connect({ host: OUTSIDE, port: 443 });
  const error = await new Promise((resolve) =>
    socket.once('error', resolve).once('connect', () => resolve('connected')),
  );
  expect(error).toMatchObject({ code: 'ENETUNREACH' });
});

it('a request of a program to another machine is detected, and gets no answer', async () => {
  const server = await startModelServer();
  await using sandbox = await makeSandbox(server);
  const ask = "fetch('https://api.example.org/').then(() => console.log('answered'), () => console.log('refused'))";
  const env = { ...sandbox.env, NODE_USE_ENV_PROXY: '1' };
  const end = await run([process.execPath, '-e', ask], { env, timeoutMs: 60_000 });
  expect(end.stdout.toString().trim()).toBe('refused');
  expect(server.strays()).toEqual(['CONNECT api.example.org:443 (connect)']);
  await expect(server[Symbol.asyncDispose]()).rejects.toThrow('api.example.org');
});
