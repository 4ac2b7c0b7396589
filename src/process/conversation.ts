import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../errors.ts';
import { realWorld, type World } from '../world.ts';

export type ConversationOptions = {
  cwd: string;
  /** The whole environment: nothing is added. */
  env: Record<string, string>;
};

/** How the program ended; after a signal its code is 128 plus the signal's number. */
type ConversationEnd = { code: number };

/** A running program that communicates over its standard input and output. */
export interface Conversation {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  readonly ended: Promise<ConversationEnd>;
  /** Closes its input, then sends SIGTERM, then SIGKILL, with this grace period in between. */
  finish(graceMs: number): Promise<ConversationEnd>;
}

/** Starts a program with piped input and output; one that cannot be started throws the system's error. */
export async function startConversation(
  command: readonly string[],
  options: ConversationOptions,
  world: World = realWorld,
): Promise<Conversation> {
  const [program, ...args] = command;
  if (program === undefined) throw new TypeError('An empty command cannot be started');
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  // It may end without reading its input; its exit code reports that.
  child.stdin.on('error', () => {});
  const ended = new Promise<ConversationEnd>((resolve) =>
    child.once('exit', (code, name) => resolve({ code: code ?? 128 + (name === null ? 0 : constants.signals[name]) })),
  );
  return {
    input: child.stdin,
    output: child.stdout,
    errors: child.stderr,
    ended,
    async finish(graceMs) {
      child.stdin.end();
      let cancel = world.alarm(world.now() + graceMs, () => {
        signal(child, 'SIGTERM');
        cancel = world.alarm(world.now() + graceMs, () => signal(child, 'SIGKILL'));
      });
      try {
        return await ended;
      } finally {
        cancel();
      }
    },
  };
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    child.kill(name);
  } catch (error) {
    // It has already ended.
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
