import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanOutputGate } from '../../src/gates/clean-output.ts';
import { patternsGate } from '../../src/gates/patterns.ts';
import { gateContract } from '../contracts/gate.ts';
import { InspectedWork } from './inspected-work.ts';

const clean = { gate: 'clean-output', name: 'clean-output' } as const;
let work: InspectedWork;

beforeAll(async () => {
  work = await InspectedWork.make({ 'a.py': 'def old():\n  pass\n', 'b.py': 'x = 1\n' });
});
afterAll(() => work[Symbol.asyncDispose]());

gateContract('patterns', {
  gate: patternsGate,
  spec: { gate: 'patterns', name: 'patterns', require: ['^def new\\(', '(?i)X = 1$'], files: ['*.py'] },
  passing: () => work.input('echo "def new(): pass" >> a.py'),
  failing: () => work.input('echo "  def new(): pass" >> a.py'),
});

gateContract('clean-output', {
  gate: cleanOutputGate,
  spec: clean,
  passing: () => work.input('echo x > x', { stdout: 'error: only prose\n', stderr: 'warning: x\n' }),
  failing: () => work.input('echo x > x', { stderr: 'begin\nfatal: it broke\n' }),
});

describe('the gate patterns', () => {
  const ask = (require: string[], files = ['a.py']) => work.inspect({ gate: 'patterns', require, files }, 'echo y > y');

  it('looks at the files that are meant, also if the work did not touch them', async () => {
    expect(await ask(['def old'])).toMatchObject({ verdict: 'pass' });
    expect(await ask(['x = 1'])).toMatchObject({ verdict: 'fail', summary: 'x = 1 is not found in a.py' });
    expect(await ask(['x'], ['gone.py'])).toMatchObject({ verdict: 'fail' });
  });

  it('blames no work for an expression that cannot be used', async () => {
    expect(await ask(['('])).toMatchObject({ verdict: 'error', output: '( is no regular expression' });
  });

  it('gives up an expression that would take for ever', async () => {
    const text = `echo "${'a'.repeat(40)}b" > c.py`;
    const found = await work.inspect({ gate: 'patterns', require: ['^(a+)+$'], files: ['c.py'] }, text);
    expect(found).toMatchObject({ verdict: 'error', output: '^(a+)+$ took too long to look for' });
  });
});

describe('the gate clean-output', () => {
  const FRAME = '  File "a.py", line 1, in <module>\n';
  const TRACEBACK = `Traceback (most recent call last):\n${FRAME}    boom()\nValueError: boom\n`;

  it.each([
    ['an error event', { stdout: '{"type":"turn.failed","error":{}}\n' }, 'fail'],
    ['a result that is an error', { stdout: '{"type":"result","is_error":true}\n' }, 'fail'],
    ['a line with a time before the error', { stderr: '2026-01-02T03:04:05Z ERROR no such file\n' }, 'fail'],
    ['a program that names itself', { stderr: 'npm ERR! code 1\n' }, 'fail'],
    ['an error long before the end', { stderr: `error: early\n${'fine\n'.repeat(20)}` }, 'pass'],
    ['a word that only begins alike', { stderr: 'errorless run\n0 errors\n' }, 'pass'],
    ['a traceback at the end of stdout', { stdout: `begin\n${TRACEBACK}` }, 'fail'],
    [
      'a traceback with a deep stack',
      { stdout: `Traceback (most recent call last):\n${FRAME.repeat(60)}OSError\n` },
      'fail',
    ],
    ['npm at the end of stdout', { stdout: 'npm ERR! code 1\nnpm ERR! A complete log is in x\n' }, 'fail'],
    ['a fatal line at the end of stdout', { stdout: 'connect\nFATAL: role "x" does not exist\n\n' }, 'fail'],
    ['a failure on stdout that was fixed', { stdout: `${TRACEBACK}npm ERR! code 1\n${'fixed\n'.repeat(5)}` }, 'pass'],
    ['prose about errors on stdout', { stdout: 'error: x\nThe FATAL: line and npm ERR! are gone\n' }, 'pass'],
    ['no output at all', {}, 'pass'],
  ])('judges %s', async (_, output, verdict) => {
    expect(await work.inspect(clean, 'echo x > x', output)).toMatchObject({ verdict });
  });
});
