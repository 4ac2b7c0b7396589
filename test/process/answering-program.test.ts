import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AnsweringOptions, AnsweringProgram, AnswerLost } from '../../src/process/answering-program.ts';
import { identify, liveness } from '../../src/process/identity.ts';
import { signalGroup } from '../../src/process/spawner/child.ts';
import { processGone } from '../../src/process/wait-for-exit.ts';

/** Answers each line with itself; `die` and `hang` do what they say. */
const ECHO =
  'while read -r line; do case $line in die) echo why >&2; exit 3;; hang) sleep 60;; *) echo "$line";; esac; done';

function echo(options: Partial<AnsweringOptions<string>> = {}): AnsweringProgram<string> {
  return new AnsweringProgram({
    command: ['sh', '-c', ECHO],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    read: (received) => {
      const end = received.indexOf(0x0a);
      return end < 0 ? { atLeast: received.length + 1 } : { answer: received.toString('utf8', 0, end), bytes: end + 1 };
    },
    ...options,
  });
}

test('requests that are made at once get their own answers, from one process', async () => {
  const program = echo();
  const words = Array.from({ length: 200 }, (_, index) => `word ${index} ${'x'.repeat(1 + ((index * 37) % 900))}`);
  expect(await Promise.all(words.map((word) => program.ask(`${word}\n`)))).toEqual(words);
  const { pid } = program;
  expect(await program.ask('again\n')).toBe('again');
  expect(program.pid).toBe(pid);
  await program.close();
});

test('when it dies, what was not answered is lost with its last words, and the next request starts another one', async () => {
  const program = echo();
  const [before, dead, after] = await Promise.allSettled(['one\n', 'die\n', 'two\n'].map((word) => program.ask(word)));
  expect(before).toMatchObject({ value: 'one' });
  for (const lost of [dead, after]) expect(lost).toMatchObject({ reason: { stderr: 'why' } });
  expect(await program.ask('three\n')).toBe('three');
  await program.close();
});

test('one that hangs, cannot be started or answers what nobody asked is replaced', async () => {
  const program = echo({ answerMs: 200 });
  await expect(program.ask('hang\n')).rejects.toThrow(AnswerLost);
  expect(await program.ask('back\n')).toBe('back');
  await program.close();
  await expect(echo({ command: ['/nonexistent/program'] }).ask('x\n')).rejects.toThrow(AnswerLost);
  const talkative = echo({ command: ['sh', '-c', 'read -r a; echo "$a"; echo more; exec sleep 60'] });
  expect(await talkative.ask('x\n')).toBe('x');
  const identity = talkative.pid === undefined ? undefined : identify(talkative.pid);
  if (identity !== undefined) await processGone(identity);
});

test('it is killed at odd moments and no answer is ever that of another request', async () => {
  const program = echo();
  let answered = 0;
  for (let round = 0; round < 30; round += 1) {
    const words = Array.from({ length: 20 }, (_, index) => `${round}-${index}`);
    const all = Promise.allSettled(words.map((word) => program.ask(`${word}\n`)));
    const { pid } = program;
    if (pid !== undefined && round % 3 > 0) setTimeout(() => signalGroup(pid, 'SIGKILL'), round % 5);
    for (const [index, result] of (await all).entries()) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(AnswerLost);
      else expect(result.value).toBe(words[index]);
      answered += result.status === 'fulfilled' ? 1 : 0;
    }
  }
  expect(answered).toBeGreaterThanOrEqual(200);
  await program.close();
});

const SOURCE = join(import.meta.dirname, '../../src/process/answering-program.ts');
const HOLDER = `import { AnsweringProgram } from ${JSON.stringify(SOURCE)};
const program = new AnsweringProgram({ command: ['cat'], cwd: '/', env: { PATH: process.env.PATH },
  read: (received) => ({ answer: received.toString(), bytes: received.length }) });
await program.ask('x\\n');
process.stdout.write(String(program.pid));
if (process.argv[1] === 'stay') setInterval(() => {}, 1000);`;

test.each([['stay'], ['leave']])(
  'it ends with the process that started it, which is killed or has nothing else to do (%s)',
  async (how) => {
    const holder = spawn(process.execPath, ['--input-type=module', '--experimental-strip-types', '-e', HOLDER, how], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [pid] = (await once(holder.stdout, 'data')) as [Buffer];
    const identity = identify(Number(pid));
    if (how === 'stay') {
      expect(identity && liveness(identity)).toBe('alive');
      holder.kill('SIGKILL');
    }
    if (holder.exitCode === null && holder.signalCode === null) await once(holder, 'exit');
    expect(holder.signalCode).toBe(how === 'stay' ? 'SIGKILL' : null);
    if (identity !== undefined) await processGone(identity);
  },
);
