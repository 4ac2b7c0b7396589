import { readFileSync } from 'node:fs';
import { answer, readState } from './forge-state.mjs';

/** A stand-in for gh or glab: `auth status` and `api`, as the real ones print them. */
export function play({ file, act, args }) {
  if (args[0] === 'auth') return logIn(readState(file));
  const option = (name) => args[args.indexOf(name) + 1];
  const input = args.includes('--input') ? JSON.parse(readFileSync(0, 'utf8')) : undefined;
  const request = { method: option('--method'), path: args.at(-1), body: input };
  const reply = answer(file, request, act);
  if (reply.hang) return setInterval(() => {}, 60_000);
  const headers = Object.entries({ 'Content-Type': 'application/json', ...reply.headers });
  process.stdout.write(
    `HTTP/2.0 ${reply.status} Whatever\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  process.stdout.write(reply.text ?? JSON.stringify(reply.body));
  if (reply.status >= 400) {
    process.stderr.write(`${reply.body.message} (HTTP ${reply.status})\n`);
    process.exitCode = 1;
  }
}

function logIn({ user }) {
  process.stderr.write(
    user === null ? 'You are not logged in.\n' : `Logged in to the host account ${user} (keyring)\n`,
  );
  process.exitCode = user === null ? 1 : 0;
}
