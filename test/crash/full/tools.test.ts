import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RunDocument } from '../../../src/schema/document.ts';
import { runStream } from '../../../src/schema/ids.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';
import { expectContainment, SHARED_FOLDER } from '../../support/contained.ts';
import { makeScratch, type Scratch, writeFiles } from '../../support/scratch.ts';

/** The points of tools; the engine's own lock has others of that name. */
const OF_TOOLS = /^(tools|lock\.re|note|question|subtask|subrun|knowledge)/;

const LEDGER = `echo "$MANYHANDS_ATTEMPT" >>"$HOME/${SHARED_FOLDER}/ledger"`;
/** Every tool that records something: two children that lock the same file in turn, a sub-run, and a question that its default answers. */
const SCENARIO = `plays:
  - title: Work beside it
    steps:
      - run: ${LEDGER}
      - edit: { path: side.txt, write: x }
  - task: job/1
    steps:
      - run: ${LEDGER}
      - tool: { name: lock_files, with: { paths: [parent.txt] } }
      - tool: { name: write_note, with: { key: start, text: begin } }
      - tool: { name: report_learnings, with: { learnings: [{ title: Order, text: Lock before you write. }] } }
      - tool: { name: create_task, with: { title: One, prompt: Do one } }
      - tool: { name: create_task, with: { title: Two, prompt: Do two } }
      - tool: { name: create_run, with: { title: Beside, prompt: Work beside it } }
      - tool: { name: wait_for_tasks }
      - tool: { name: ask_user, with: { question: Which?, default: the first, minutes: 0.01 } }
      - edit: { path: parent.txt, write: x }
      - tool: { name: release_files }
      - say: done
  - task: sub/*
    steps:
      - run: ${LEDGER}
      - tool: { name: watch_notes, with: { after: 0 } }
      - tool: { name: lock_files, with: { paths: [shared.txt] } }
      - run: touch "$(echo "$MANYHANDS_TASK" | tr / -).txt"
      - tool: { name: release_files }
`;

/** It asks at once, and the answer continues it. */
const ASKING = `plays:
  - task: job/1
    attempt: 1
    steps:
      - run: ${LEDGER}
      - tool: { name: ask_user, with: { question: Which?, seconds: 0 } }
      - say: I wait.
  - task: job/1
    steps:
      - run: ${LEDGER}
      - edit: { path: answer.txt, write: x }
`;

const JOB = ['job', 'Do all', '--rehearse', '--scenario', '../scenario.yaml', '--json'];
const CONFIG = `checks: ['test -e list.txt']\nlimits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }\n`;

async function makeScene(scenario: string): Promise<Scratch> {
  const scratch = await makeScratch({ files: { 'list.txt': 'x\n', '.manyhands/config.yaml': CONFIG } });
  writeFiles(scratch.root, { 'scenario.yaml': scenario });
  return scratch;
}

/** The first and the last pass of each point of tools that the job passes. */
async function discover(): Promise<string[]> {
  await using scratch = await makeScene(SCENARIO);
  const trace = join(scratch.root, 'trace');
  const { code, stderr } = await scratch.mh(JOB, { env: { MANYHANDS_CRASH_TRACE: trace } });
  expect(code, stderr).toBe(0);
  const passes = readFileSync(trace, 'utf8').trim().split('\n');
  const names = [...new Set(passes)].filter((name) => OF_TOOLS.test(name));
  return names.flatMap((name) => {
    const count = passes.filter((pass) => pass === name).length;
    return [...new Set([`${name}:1`, `${name}:${count}`])];
  });
}

const points = await discover();

describe('after a kill at a crash point of tools, a restart', () => {
  it('has them all to begin with', () => {
    const named = new Set(points.map((point) => point.split(':')[0]));
    expect([...named]).toEqual(
      expect.arrayContaining([
        ...['tools.opening', 'tools.opened', 'lock.requesting', 'lock.requested', 'lock.releasing', 'lock.released'],
        ...['note.writing', 'note.written', 'question.asking', 'question.asked', 'question.delivering'],
        ...['question.delivered', 'subtask.requesting'],
        ...['subtask.requested', 'subrun.starting', 'subrun.started', 'subrun.opening', 'subrun.opened'],
        ...['subrun.ending', 'subrun.ended', 'knowledge.proposing', 'knowledge.proposed'],
      ]),
    );
  });

  it.each(points)('continues every call and does nothing twice: %s', async (point) => {
    await using scratch = await makeScene(SCENARIO);
    await scratch.mh(JOB, { env: { MANYHANDS_CRASH: point } });
    const resumed = await scratch.mh(['resume', '--json']);
    expect(resumed.code, `${resumed.stderr}${resumed.stdout}`).toBe(0);
    await expectOnce(scratch);
  });
});

describe('after a kill while a question is answered, a restart', () => {
  it.each(['question.answering:1', 'question.answered:1'])('loses neither it nor its answer: %s', async (point) => {
    await using scratch = await makeScene(ASKING);
    expect((await scratch.mh(JOB)).code).toBe(4);
    const died = await scratch.mh(['answer', 'blue'], { env: { MANYHANDS_CRASH: point } });
    expect(died.signal, died.stderr).toBe('SIGKILL');
    await scratch.mh(['resume', '--json']);
    const questions = z.array(z.unknown()).parse((await scratch.mh(['questions', '--json'])).json);
    expect(questions).toHaveLength(point.startsWith('question.answering') ? 1 : 0);
    if (questions.length > 0) expect((await scratch.mh(['answer', 'blue'])).code).toBe(0);
    const { status, tasks } = RunDocument.parse((await scratch.mh(['show', '--json'])).json);
    expect({ status, tasks }).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
    expect(ledgerOf(scratch)).toHaveLength(2);
  });
});

/** One of each: attempts, sub-tasks, sub-runs, notes and questions; and no lock is left. */
async function expectOnce(scratch: Scratch): Promise<void> {
  expect(await scratch.leftovers(), 'processes are left').toEqual([]);
  const runs = z
    .array(z.object({ run: z.string(), status: z.string() }))
    .parse((await scratch.mh(['ls', '--json'])).json);
  expect(runs.map(({ status }) => status)).toEqual(['done', 'done']);
  const documents = await Promise.all(
    runs.map(async ({ run }) => RunDocument.parse((await scratch.mh(['show', run, '--json'])).json)),
  );
  for (const document of documents) expectContainment(scratch.isContained, document);
  const parent = documents.find((each) => each.parent === undefined);
  const child = documents.find((each) => each.parent !== undefined);
  expect(parent?.tasks.map(({ key, status }) => `${key} ${status}`)).toEqual([
    'job/1 done',
    'sub/1.1 done',
    'sub/1.2 done',
  ]);
  expect(parent?.subRuns).toMatchObject([{ run: child?.run, status: 'done', task: 'job/1' }]);
  expect(child).toMatchObject({ status: 'done', parent: { run: parent?.run, task: 'job/1' } });
  // An attempt that was killed before its agent started did no work.
  const ledger = ledgerOf(scratch);
  expect([ledger.length, new Set(ledger).size], ledger.join(' ')).toEqual([4, 4]);
  expect((await scratch.mh(['locks', '--json'])).json).toEqual({ held: [], queue: [] });
  expect((await scratch.mh(['questions', '--json'])).json).toEqual([]);
  await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
  const events = store.read(runStream(parent?.run ?? ''));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect([count('task.asked'), count('task.answered'), count('subrun.started'), count('subrun.ended')]).toEqual([
    1, 1, 1, 1,
  ]);
  expect(store.read(`notes/run/${parent?.run}`)).toHaveLength(1);
}

function ledgerOf({ root }: Scratch): string[] {
  const file = join(root, SHARED_FOLDER, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
