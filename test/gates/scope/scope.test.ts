import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeGate } from '../../../src/gates/scope/scope.ts';
import type { GateSpec } from '../../../src/schema/gate.ts';
import { gateContract } from '../../contracts/gate.ts';
import { InspectedWork } from '../inspected-work.ts';

type ScopeSpec = Extract<GateSpec, { gate: 'scope' }>;

let work: InspectedWork;

beforeAll(async () => {
  work = await InspectedWork.make({
    'src/a.js': 'one\n',
    'docs/a.md': 'doc\n',
    'run.sh': '#!/bin/sh\n',
    'app/[id].js': '1\n',
  });
});
afterAll(() => work[Symbol.asyncDispose]());

function scope(given: Partial<ScopeSpec>): ScopeSpec {
  return { gate: 'scope', name: 'scope', allow: [], deny: [], also: [], ...given };
}

gateContract('scope', {
  gate: scopeGate,
  spec: scope({ allow: ['src/**'], deny: ['src/secret'], maxChangedLines: 3 }),
  passing: () => work.input('echo two >> src/a.js; echo new > src/b.js'),
  failing: () => work.input('echo two >> docs/a.md'),
});

describe('the gate scope catches', () => {
  it.each([
    ['a file outside of what is allowed', 'echo x >> docs/a.md', { allow: ['src'] }, 'docs/a.md'],
    ['a file that git does not track yet', 'mkdir -p x/y; echo x > x/y/z', { allow: ['src/'] }, 'x/y/z'],
    [
      'a denied file within an allowed folder',
      'mkdir src/gen; echo x > src/gen/a',
      { allow: ['src'], deny: ['src/gen/**'] },
      'src/gen/a is denied',
    ],
    ['a denied file in another spelling', 'mkdir SRC; echo x > SRC/B.js', { deny: ['src/*.js'] }, 'SRC/B.js is denied'],
    [
      'the old name of a file that was moved into the scope',
      'git mv docs/a.md src/a.md',
      { allow: ['src'] },
      'docs/a.md',
    ],
    ['a file that was deleted', 'rm docs/a.md', { allow: ['src'] }, 'docs/a.md'],
    ['a change of nothing but the mode', 'chmod -x run.sh', { allow: ['src'] }, 'run.sh'],
    ['a link in place of a folder', 'rm -r docs; ln -s src docs', { allow: ['src'] }, 'docs is outside'],
    [
      'what a commit touched and a later one put back',
      'echo x >> docs/a.md; commit -m 1; git checkout -q HEAD~1 -- docs/a.md; echo y >> src/a.js; commit -m 2',
      { allow: ['src'] },
      'put back later',
    ],
    ['a hostile name', 'echo x > "$(printf "d\\n\\033[2J")"', { allow: ['src'] }, 'd??[2J is outside'],
    [
      'more lines than are allowed',
      'seq 50 > src/b.js',
      { maxChangedLines: 49 },
      '50 lines are changed, and at most 49 may be',
    ],
    [
      'lines that hide in a binary file',
      'seq 500 > src/b.js; printf "\\0" >> src/b.js',
      { maxChangedLines: 10 },
      'lines are changed',
    ],
  ])('%s', async (_, edit, given, text) => {
    const { verdict, summary, output } = await work.inspect(scope(given), edit);
    expect(verdict).toBe('fail');
    expect(`${summary}\n${output}`).toContain(text);
  });
});

describe('the gate scope lets pass', () => {
  it.each([
    [
      'files that are named by themselves, whatever their names mean as globs',
      'echo 2 > "app/[id].js"',
      { allow: ['app/[id].js'] },
    ],
    [
      'files beside the allowed ones that may be touched too',
      'echo x >> docs/a.md; echo y >> src/a.js',
      { allow: ['src/a.js'], also: ['docs/*.md'] },
    ],
    ['everything that is not denied', 'echo x > new; echo y >> run.sh', { deny: ['docs'] }],
    ['as many lines as are allowed', 'seq 49 > src/b.js; echo two > src/a.js', { maxChangedLines: 51 }],
  ])('%s', async (_, edit, given) => {
    expect(await work.inspect(scope(given), edit)).toMatchObject({ verdict: 'pass' });
  });
});
