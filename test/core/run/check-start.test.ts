import { expect, it } from 'vitest';
import { startErrorOf } from '../../../src/core/run/check-start.ts';
import type { Evidence } from '../../../src/schema/gate.ts';

function evidence(more: Partial<Evidence>): Evidence {
  return {
    gate: 'check',
    verdict: 'fail',
    tree: 't',
    definition: 'd',
    setup: 's',
    summary: 'The check could not run: The program tox was not found',
    exitCode: 1,
    durationMs: 1,
    output: '',
    reused: false,
    ...more,
  };
}

it.each([
  ['dash', 127, '/bin/sh: 1: tox: not found\n', 'the command was not found: tox'],
  ['bash', 127, '/bin/sh: line 1: tox: command not found\n', 'the command was not found: tox'],
  ['a script of npm', 127, '> test\n> vitest\n\nsh: 1: vitest: not found\n', 'the command was not found: vitest'],
  ['an unknown shell', 127, '', 'the command was not found (exit code 127)'],
  ['a program outside', 126, '/bin/sh: 1: /opt/tox: Permission denied\n', 'the command cannot be executed: /opt/tox'],
])('names the program that does not start, by %s', (_shell, exitCode, output, error) => {
  expect(startErrorOf(evidence({ exitCode, output }))).toBe(error);
});

it.each([
  ['dash', '/bin/sh: 1: Syntax error: Unterminated quoted string\n'],
  ['bash', '/bin/sh: -c: line 1: syntax error: unexpected end of file\n'],
])('reports a command that the shell cannot parse, by %s', (_shell, output) => {
  expect(startErrorOf(evidence({ exitCode: 2, output }))).toContain(output.trim());
});

it('reports a check whose gate could not run it', () => {
  const { output: _, ...found } = evidence({ verdict: 'error', exitCode: null });
  expect(startErrorOf(found)).toContain('tox was not found');
});

it.each([
  ['passes', { verdict: 'pass' as const, exitCode: 0 }],
  ['fails', { output: 'AssertionError: user not found\n' }],
  ['ends from outside', { verdict: 'error' as const, exitCode: null, output: 'started\n' }],
  ['is a missing script of the repository', { exitCode: 127, output: '/bin/sh: 1: ./check.sh: not found\n' }],
  ['runs a missing file', { exitCode: 127, output: 'bash: check.sh: No such file or directory\n' }],
  ['is a script that is not executable', { exitCode: 126, output: '/bin/sh: 1: ./check.sh: Permission denied\n' }],
  ['runs a script with a syntax error', { exitCode: 2, output: 'check.sh: 1: Syntax error: "(" unexpected\n' }],
])('has no objection to a check that %s', (_what, found) => {
  expect(startErrorOf(evidence(found))).toBeUndefined();
});
