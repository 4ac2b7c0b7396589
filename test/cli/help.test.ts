import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/all.ts';
import { testProgram } from './cli-run.ts';

describe('the program', () => {
  it('prints three commands to try when called without a command', async () => {
    const { code, stdout } = await testProgram().run();
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}manyhands /gm)).toHaveLength(3);
  });

  it('prints its version', async () => {
    expect(await testProgram().run('--version')).toMatchObject({ code: 0, stdout: '1.2.3\n' });
  });

  it('groups its commands in the help', async () => {
    const { code, stdout } = await testProgram().run('--help');
    expect(code).toBe(0);
    expect(stdout.match(/^(Work|Watch|Control|Maintenance):$/gm)).toEqual([
      'Work:',
      'Watch:',
      'Control:',
      'Maintenance:',
    ]);
    for (const { name, hidden } of COMMANDS) expect(new RegExp(`^ {2}${name}\\b`, 'm').test(stdout)).toBe(!hidden);
  });

  it('shows the same help for help <command> and <command> --help', async () => {
    expect((await testProgram().run('help', 'do')).stdout).toBe((await testProgram().run('do', '--help')).stdout);
  });
});

describe('the help of each command', () => {
  for (const { name } of COMMANDS.filter(({ hidden }) => !hidden)) {
    it(`has examples and lists the exit codes: ${name}`, async () => {
      const { code, stdout } = await testProgram().run(name, '--help');
      expect(code).toBe(0);
      expect(stdout.match(/^ {2}\$ /gm)?.length).toBeGreaterThanOrEqual(2);
      expect(stdout).toMatch(/Exit codes:\n {2}0 /);
    });
  }
});
