import { describe, expect, it } from 'vitest';
import { failedOutput } from '../../../src/dashboard/features/task/gates/gate-results.ts';
import { evidence } from '../../support/given.ts';

const duration = (ms: number) => `${ms} ms`;

describe('the card of a gate', () => {
  it('shows the command, the exit code, the file and the last lines of a check that failed', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index + 1}.`).join('\n');
    const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output };
    const shown = failedOutput({ ...failed, outputLines: 30, outputFile: '/data/output.txt' }, duration);
    expect(shown?.facts).toEqual([
      'command: npm test',
      'exit code 3 after 1 ms',
      'output: the last 20 lines; 10 lines before them are omitted',
      'complete output: /data/output.txt',
    ]);
    expect([shown?.lines[0], shown?.lines.at(-1)]).toEqual(['line 11.', 'line 30.']);
  });

  it('shows no output of a check that passed or has not run', () => {
    expect(failedOutput(evidence('npm test', 'pass'), duration)).toBeNull();
    expect(failedOutput(null, duration)).toBeNull();
  });
});
