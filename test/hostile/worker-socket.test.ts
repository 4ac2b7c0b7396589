import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { runStream } from '../../src/schema/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { requestLines, ToolAttempt } from '../support/tool-attempt.ts';

const attempt = await ToolAttempt.start();
afterAll(() => attempt[Symbol.asyncDispose]());

const { tools } = attempt;
const input = (args: unknown, call: string) => ({ token: tools.token, call, arguments: args });

/** A connection that sends a text, and its answers so far. */
function open(text: string): { socket: Socket; closed: Promise<void>; answers: { id?: number; type?: string }[] } {
  const socket = connect(tools.socket);
  const answers: { id?: number; type?: string }[] = [];
  createInterface({ input: socket })
    .on('line', (line) => answers.push(JSON.parse(line)))
    .on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on('error', () => {}).on('close', () => resolve());
  socket.write(text);
  return { socket, closed: promise, answers };
}

/** The engine still answers its own client and the agent. */
async function expectAlive(): Promise<void> {
  expect(await attempt.call('list_notes')).toMatchObject({ type: 'result' });
  expect((await attempt.caller.call('show-run', { run: attempt.run })).status).toBe('running');
}

describe('an agent that attacks the socket of its tools', () => {
  it.each([
    ['half a message', '{"manyhands":1}\n{"type":"ask","id":1,"opera'],
    ['no greeting', '{"type":"ask","id":1,"operation":"list_notes"}\n'],
    ['what is no JSON', '{"manyhands":1}\n\0\u{1f4a3}\xff\n'],
    ['another version', '{"manyhands":99}\n'],
    ['a negative id', `{"manyhands":1}\n{"type":"ask","id":-1,"operation":"list_notes","input":{}}\n`],
  ])('sends %s, and harms nobody', async (_, text) => {
    const { socket, answers } = open(text);
    socket.end();
    await expectAlive();
    expect(answers.filter(({ id }) => id !== undefined)).toEqual([]);
  });

  it('sends 100 MB in one line, and is disconnected after the first of them', async () => {
    const { socket, closed } = open('{"manyhands":1}\n{"type":"ask","id":1,"operation":"');
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const feed = () => {
      for (let hasSpace = true; hasSpace && !socket.destroyed; ) hasSpace = socket.write(chunk);
    };
    socket.on('drain', feed);
    feed();
    await closed;
    expect(socket.bytesWritten).toBeLessThan(10_000_000);
    await expectAlive();
  });

  it('nests its arguments 100,000 deep', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const request = requestLines([{ id: 1, operation: 'finish_task', input: input({ summary: 'x' }, 'deep') }]);
    const { socket, answers } = open(request.replace('"summary":"x"', `"summary":"x","result":${deep}`));
    await expect.poll(() => answers.find(({ id }) => id === 1)).toMatchObject({ type: 'error' });
    socket.destroy();
    await expectAlive();
  });

  it('makes 10,000 calls at once: those above 64 are refused, and the others end with their connection', async () => {
    const requests = Array.from({ length: 10_000 }, (_, index) => ({
      id: index + 1,
      operation: 'watch_notes',
      input: input({ after: 0 }, `w${index}`),
    }));
    const { socket, answers } = open(requestLines(requests));
    await expect.poll(() => answers.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(10_000 - 64 + 1);
    expect(answers.filter(({ type }) => type === 'result')).toEqual([]);
    socket.destroy();
    await expect.poll(() => attempt.call('list_notes')).toMatchObject({ type: 'result' });
    await expectAlive();
  }, 60_000);

  it('opens 200 connections: those above 32 are closed, and the place of one that ends is free', async () => {
    const all = Array.from({ length: 200 }, () => open('{"manyhands":1}\n'));
    const closed = new Set<Socket>();
    for (const { socket, closed: end } of all) void end.then(() => closed.add(socket));
    await expect.poll(() => closed.size).toBeGreaterThanOrEqual(168);
    for (const { socket } of all) socket.destroy();
    await expect.poll(() => attempt.call('list_notes')).toMatchObject({ type: 'result' });
    await expectAlive();
  });

  it('uses an id of a call that is in flight again, and is disconnected', async () => {
    const { closed } = open(
      requestLines([
        { id: 1, operation: 'watch_notes', input: input({ after: 0 }, 'a') },
        { id: 1, operation: 'write_note', input: input({ key: 'x', text: 'y' }, 'b') },
      ]),
    );
    await closed;
    await expectAlive();
  });

  it('repeats a call with other arguments, and nothing new happens', async () => {
    await attempt.call('write_note', { key: 'first', text: 'one' }, 'same');
    await attempt.call('write_note', { key: 'second', text: 'two' }, 'same');
    const notes = await attempt.call('list_notes');
    expect(notes).toMatchObject({ value: { notes: [{ key: 'first', text: 'one' }] } });
  });

  it.each([
    ['a key with dots', 'read_note', { key: '../../etc/passwd' }],
    ['a key with NUL', 'write_note', { key: 'a\0b', text: 'x' }],
    ['the prototype as a key', 'write_note', { key: '__proto__', text: 'x' }],
    ['a key in another script', 'write_note', { key: 'ключ', text: 'x' }],
    ['a long note', 'write_note', { key: 'a', text: 'x'.repeat(40_000) }],
    ['a lock on the file system', 'lock_files', { paths: ['/'] }],
    ['a lock with NUL', 'lock_files', { paths: ['a\0b'] }],
    ['a lock in 2,000 folders', 'lock_files', { paths: [`${'a/'.repeat(2_000)}b`] }],
    ['2,000 locks', 'lock_files', { paths: Array.from({ length: 2_000 }, (_, index) => `f${index}`) }],
    ['a long query', 'search_knowledge', { query: `(a+)+$${'a'.repeat(5_000)}` }],
    ['the prototype as a sub-task', 'wait_for_tasks', { tasks: ['__proto__'] }],
    ['a sub-task that needs its parent', 'create_task', { title: 'x', prompt: 'x', needs: ['job/1'] }],
    ['one option', 'ask_user', { question: 'x', options: ['only one'] }],
  ])('is refused %s', async (_, tool, args) => {
    expect(await attempt.call(tool, args)).toMatchObject({ type: 'error', error: { code: 'INPUT_INVALID' } });
  });

  it('locks the whole repository, which a person can end', async () => {
    expect(await attempt.call('lock_files', { paths: ['.'] })).toMatchObject({ value: { granted: true, paths: [''] } });
    const { caller, project } = attempt;
    await caller.call('release-locks', { dir: project.repo, paths: ['.'] });
    expect((await caller.call('list-locks', { dir: project.repo })).held).toEqual([]);
  });

  it('asks 1,000 questions: 20 of them are asked', async () => {
    const { caller, run } = attempt;
    for (let batch = 0; batch < 1_000; batch += 50)
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          attempt.call('ask_user', { question: `${batch + index}?`, seconds: 0 }),
        ),
      );
    const questions = await caller.call('list-questions', { run });
    expect(questions).toHaveLength(20);
    const [first] = questions;
    const answers = await Promise.allSettled(
      ['red', 'blue'].map((answer) => caller.call('answer-question', { run, question: first?.question ?? '', answer })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('sends more and more: after 32 MB each call is refused, and recorded', async () => {
    const write = (length: number) => attempt.call('write_note', { key: 'flood', text: 'x'.repeat(length) });
    for (let index = 0; index < 150; index += 10) await Promise.all(Array.from({ length: 10 }, () => write(250_000)));
    expect(await write(1)).toMatchObject({ type: 'error', error: { code: 'TOOL_REFUSED' } });
    await using store = await openSqliteStore({ file: join(attempt.project.home, 'manyhands.db'), world: realWorld });
    const refused = store.readTypes(runStream(attempt.run), ['run.call-refused']).map(({ data }) => data);
    expect(refused).toContainEqual({ operation: 'watch_notes: more than 64 calls at once' });
    expect(refused.length).toBeLessThanOrEqual(100);
  });

  it('is refused an answer after its run was cancelled', async () => {
    const { caller, run } = attempt;
    const [question] = await caller.call('list-questions', { run });
    await caller.call('cancel-run', { run, force: true });
    await attempt.end();
    const answer = caller.call('answer-question', { run, question: question?.question ?? '', answer: 'late' });
    await expect(answer).rejects.toMatchObject({ code: 'REFUSED' });
    await expect.poll(() => caller.call('list-questions', { run })).toEqual([]);
  });
});
