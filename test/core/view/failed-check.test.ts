import { describe, expect, it } from 'vitest';
import { runDocument } from '../../../src/core/view/document.ts';
import { checkOutput, checkOutputLines, failedChecks } from '../../../src/core/view/failed-check.ts';
import type { Evidence } from '../../../src/schema/gate.ts';
import { added, attemptEnded, attempted, evidence, given, spec, started } from '../../support/given.ts';

const FORMAT = { duration: (ms: number) => `${ms} ms` };
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);
const failed = (over: Partial<Evidence> = {}): Evidence => ({ ...evidence('npm test', 'fail'), exitCode: 2, ...over });
const ended = (tasks: string[], found: Evidence) => ({
  type: 'gate.ended' as const,
  data: { tasks, commit: 'c', evidence: found },
});

describe('the output of a failed check', () => {
  it('is its last 20 lines, with the command, the exit code, the duration, the omitted lines and the file', () => {
    const output = `${numbered(30).join('\n')}\n`;
    const found = failed({ output, outputLines: 1_000, command: 'npm test', outputFile: '/data/output.txt' });
    expect(checkOutputLines(found, FORMAT)).toEqual([
      'command: npm test',
      'exit code 2 after 1 ms',
      'output: the last 20 lines; 980 lines before them are omitted',
      'complete output: /data/output.txt',
      ...numbered(30)
        .slice(-20)
        .map((line) => `  ${line}`),
    ]);
  });

  it('of evidence that an earlier version recorded has what is known', () => {
    expect(checkOutputLines(failed({ output: 'one\ntwo\n' }), FORMAT)).toEqual([
      'exit code 2 after 1 ms',
      '  one',
      '  two',
    ]);
    expect(checkOutputLines(failed({ exitCode: null }), FORMAT)).toEqual([]);
  });

  it('states that a command ended without an exit code or printed nothing', () => {
    expect(checkOutput(failed({ exitCode: null, command: 'sleep 9' }), FORMAT)).toEqual({
      facts: ['command: sleep 9', 'no exit code; ended after 1 ms', 'output: none'],
      lines: [],
    });
  });

  it('has no line that fills the screen', () => {
    expect(checkOutput(failed({ output: 'x'.repeat(10_000) }), FORMAT).lines[0]).toHaveLength(400);
  });

  it('has no spaces at the ends of lines that a tool padded', () => {
    const output = `short${' '.repeat(300)}\nlong${' '.repeat(10_000)}end\n`;
    expect(checkOutput(failed({ output }), FORMAT).lines).toEqual(['short', 'long…']);
  });
});

describe('the failed checks of a run', () => {
  const begun = given(started(), added(spec('a'), spec('b')));

  it('are those on the base, on the work of tasks and on the landing, each once', () => {
    const { state } = begun.and(
      { type: 'run.base-checked', data: { tree: 'base', evidence: [failed({ tree: 'base' })] } },
      ended(['a', 'b'], failed({ tree: 'work' })),
      ended(['a'], evidence('lint', 'pass')),
      ended([], failed({ tree: 'merge' })),
    );
    expect(failedChecks(runDocument(state)).map(({ about }) => about)).toEqual([
      ['the base'],
      ['a', 'b'],
      ['the landing'],
    ]);
  });

  it('stay visible while the next attempt works, and are replaced by its own', () => {
    const retried = begun.and(attempted('a'), attemptEnded('a'), ended(['a'], failed()), attempted('a', 2));
    expect(failedChecks(runDocument(retried.state)).map(({ about }) => about)).toEqual([['a']]);
    const passed = retried.and(ended(['a'], evidence('npm test', 'pass')));
    expect(failedChecks(runDocument(passed.state))).toEqual([]);
  });

  it('on the landing are replaced by the next result of the same check', () => {
    const { state } = begun.and(ended([], failed()), ended([], evidence('npm test', 'pass')));
    expect(failedChecks(runDocument(state))).toEqual([]);
  });
});
