import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { testProgram } from './cli-run.ts';

/** `help`: the command whose help is named, where it is not the first word. */
const INVALID: { argv: string[]; message: RegExp; help?: string }[] = [
  { argv: ['sho'], message: /unknown command 'sho'\n\(Did you mean show\?\)/ },
  { argv: ['fix the tests'], message: /To work on a goal: manyhands do "fix the tests"/ },
  { argv: ['sho', '--help'], message: /unknown command 'sho'\n\(Did you mean show\?\)/ },
  { argv: ['help', 'sho'], message: /unknown command 'sho'\n\(Did you mean show\?\)/ },
  { argv: ['logs', '-n'], message: /^error: unknown option '-n'\nhint/ },
  { argv: ['ls', '--jsn'], message: /unknown option '--jsn'\n\(Did you mean --json\?\)/ },
  { argv: ['do'], message: /missing required argument 'goal'/ },
  { argv: ['do', '  '], message: /error: The text is empty/ },
  { argv: ['do', '-'], message: /error: Standard input is empty/ },
  { argv: ['do', '@no-such-file'], message: /no-such-file does not exist/ },
  { argv: ['do', 'x', '--budget', '-1'], message: /--budget.*'-1' is invalid\. Use an amount in US dollars above 0/ },
  { argv: ['do', 'x', '--land'], message: /option '--land <how>' needs a value: branch, merge, pr \(branch creates/ },
  { argv: ['do', 'x', '--land', 'rebase'], message: /Allowed choices are branch, merge, pr/ },
  { argv: ['land', '--how', 'branch'], message: /Allowed choices are merge, pr/ },
  { argv: ['do', 'x', '--max-parallel', '0'], message: /whole number from 1 to 150/ },
  { argv: ['job', 'x', '--priority', '11'], message: /whole number from -10 to 10/ },
  { argv: ['job', 'x', '--stop', 'hours=2'], message: /"hours" is not a stop rule; use turns=20/ },
  { argv: ['job', 'x', '--stop', 'time=soon'], message: /Use a duration such as 90s, 10m or 1h/ },
  { argv: ['job', 'x', '--stop', 'turns'], message: /Use turns=20, budget=1\.50, time=10m, silence=5m or completion/ },
  { argv: ['show', '-C', '/no/such/folder'], message: /The folder \/no\/such\/folder does not exist/ },
  { argv: ['show', 'a', 'b'], message: /too many arguments/ },
  { argv: ['usage', '--by', 'colour'], message: /Allowed choices are agent, model, run, project, role, day/ },
  { argv: ['prioritize', 'k3v', '--to', '99'], message: /'99' is invalid\. Use a whole number from -10 to 10/ },
  { argv: ['locks', 'take', 'a.ts', '--minutes', 'x'], message: /'x' is invalid\. Use a whole number from 1 to 10080/ },
  { argv: ['report', '--team', '--days', '5000'], message: /Use a whole number from 1 to 3650/ },
  { argv: ['kb', 'import', 'none.json'], message: /none\.json does not exist/, help: 'kb import' },
  { argv: ['do', 'x', '--context', '@none.json'], message: /unknown option '--context'/ },
  { argv: ['job', 'x', '--context', '@none.json'], message: /The context file .*none\.json does not exist/ },
  { argv: ['policy', 'check'], message: /Give at least one of --tool/, help: 'policy check' },
  { argv: ['config', 'set', 'land'], message: /missing required argument 'value'/, help: 'config set' },
  { argv: ['completion', 'tcsh'], message: /Allowed choices are bash, zsh, fish/ },
];

describe('an invalid command line', () => {
  for (const { argv, message, help } of INVALID) {
    it(`exits with 2, a reason and a hint: ${argv.join(' ')}`, async () => {
      const { code, stdout, stderr, calls } = await testProgram().run(...argv);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
      const first = /unknown command/.test(stderr) ? '<command>' : argv.find((word) => !word.startsWith('-'));
      const command = help ?? first;
      expect(stderr).toContain(`\nhint: List the arguments and options with manyhands ${command} --help, all`);
      expect({ stdout, calls: calls.filter(({ name }) => name === 'start-run') }).toEqual({ stdout: '', calls: [] });
    });
  }

  it('is printed as a document with --json', async () => {
    const { code, stdout, stderr } = await testProgram().run('do', 'x', '--land', 'no', '--json');
    expect(code).toBe(2);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'USAGE', message: expect.stringContaining('--land'), hint: expect.any(String), details: {} },
    });
  });
});

describe('a failure', () => {
  it('exits with the code of its row, its message and its hint', async () => {
    const answers = {
      'show-run': () => {
        throw new AppError('RUN_UNKNOWN', 'There is no run \u001b[31mzzz');
      },
    };
    const { code, stderr } = await testProgram({ answers, cwd: tmpdir() }).run('show', 'zzz');
    expect(code).toBe(3);
    expect(stderr).toBe('error: There is no run zzz\nhint: List the runs of all projects: manyhands ls --all\n');
  });

  it('has a hint with the run that its details name, and a placeholder where they name none', () => {
    const hint = (details: Record<string, unknown>) => new AppError('TASK_UNKNOWN', 'no task', details).hint;
    expect(hint({ run: 'k3v9x2ab' })).toBe('List the tasks: manyhands show k3v9x2ab');
    for (const details of [
      {},
      { run: 7 },
      { run: '' },
      { run: 'a b' },
      { run: '$(x)' },
      { run: '-x' },
      { run: 'a\nb' },
    ])
      expect(hint(details)).toBe('List the tasks: manyhands show <run>');
  });

  it('that is not in the table is reported as a bug, with its stack', async () => {
    const { code, stderr } = await testProgram().run('show');
    expect(code).toBe(70);
    expect(stderr).toMatch(/no answer to show-run\nhint: This is a bug in Manyhands/);
    expect(stderr).toContain('at ');
  });

  it('in the background is reported to the process that started it', async () => {
    const answers = {
      'start-run': () => {
        throw new AppError('NOT_A_REPOSITORY', 'no repository');
      },
    };
    const { announcements } = await testProgram({ answers, cwd: tmpdir() }).run('do', 'x', '--background');
    expect(announcements.map((text) => JSON.parse(text))).toEqual([
      { error: { code: 'NOT_A_REPOSITORY', message: 'no repository', details: {} } },
    ]);
  });
});
