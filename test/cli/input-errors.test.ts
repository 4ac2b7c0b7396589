import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { stage } from './cli-run.ts';

const MISTAKES: { argv: string[]; says: RegExp }[] = [
  { argv: ['sho'], says: /unknown command 'sho'\n\(Did you mean show\?\)/ },
  { argv: ['fix the tests'], says: /To start on a goal: manyhands do "fix the tests"/ },
  { argv: ['ls', '--jsn'], says: /unknown option '--jsn'\n\(Did you mean --json\?\)/ },
  { argv: ['do'], says: /missing required argument 'goal'/ },
  { argv: ['do', '  '], says: /nothing to do: the text is empty/ },
  { argv: ['do', '-'], says: /nothing to do: standard input is empty/ },
  { argv: ['do', '@no-such-file'], says: /no-such-file cannot be read/ },
  { argv: ['do', 'x', '--budget', '-1'], says: /--budget.*'-1' is invalid\. Give US dollars above 0/ },
  { argv: ['do', 'x', '--land', 'rebase'], says: /Allowed choices are branch, merge, pr/ },
  { argv: ['do', 'x', '--max-parallel', '0'], says: /whole number from 1 to 150/ },
  { argv: ['job', 'x', '--priority', '11'], says: /whole number from -10 to 10/ },
  { argv: ['job', 'x', '--stop', 'hours=2'], says: /"hours" is no reason to stop; give turns=20/ },
  { argv: ['job', 'x', '--stop', 'time=soon'], says: /Give a time such as 90s, 10m or 1h/ },
  { argv: ['job', 'x', '--stop', 'turns'], says: /Give turns=20, budget=1\.50, time=10m or completion/ },
  { argv: ['show', '-C', '/no/such/folder'], says: /There is no folder \/no\/such\/folder/ },
  { argv: ['show', 'a', 'b'], says: /too many arguments/ },
  { argv: ['usage', '--by', 'colour'], says: /Allowed choices are agent, model, run, project, role, day/ },
  { argv: ['completion', 'tcsh'], says: /Allowed choices are bash, zsh, fish/ },
];

describe('a command that is not understood', () => {
  for (const { argv, says } of MISTAKES) {
    it(`ends with 2, says what is wrong and what to do: ${argv.join(' ')}`, async () => {
      const { code, stdout, stderr, calls } = await stage().run(...argv);
      expect(code).toBe(2);
      expect(stderr).toMatch(says);
      expect(stderr).toMatch(/\nhint: Run the command with --help/);
      expect({ stdout, calls: calls.filter(({ name }) => name === 'start-run') }).toEqual({ stdout: '', calls: [] });
    });
  }

  it('is told as a document with --json', async () => {
    const { code, stdout, stderr } = await stage().run('do', 'x', '--land', 'no', '--json');
    expect(code).toBe(2);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining('--land'), hint: expect.any(String), details: {} },
    });
  });
});

describe('a failure', () => {
  it('ends with the code of its row, its message and its hint', async () => {
    const answers = {
      'show-run': () => {
        throw new AppError('RUN_UNKNOWN', 'There is no run \u001b[31mzzz');
      },
    };
    const { code, stderr } = await stage({ answers, cwd: tmpdir() }).run('show', 'zzz');
    expect(code).toBe(3);
    expect(stderr).toBe('error: There is no run zzz\nhint: List the runs with manyhands ls --all.\n');
  });

  it('that nobody expected is called a defect, with its trace', async () => {
    const { code, stderr } = await stage().run('show');
    expect(code).toBe(70);
    expect(stderr).toMatch(/no answer to show-run\nhint: This is a defect/);
    expect(stderr).toContain('at ');
  });

  it('in the background is told to the one who started it', async () => {
    const answers = {
      'start-run': () => {
        throw new AppError('NOT_A_REPOSITORY', 'no repository');
      },
    };
    const { announcements } = await stage({ answers, cwd: tmpdir() }).run('do', 'x', '--background');
    expect(announcements.map((text) => JSON.parse(text))).toEqual([
      { error: { code: 'NOT_A_REPOSITORY', message: 'no repository', details: {} } },
    ]);
  });
});
