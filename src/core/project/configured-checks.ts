import type { Config } from '../../schema/config.ts';

type Check = Config['checks'][number];

/** The checks of a run: those of the settings, the project's test command and those of the request; the same command is one check. */
export function checksOfRun({ checks, project }: Pick<Config, 'checks' | 'project'>, requested: string[]): Check[] {
  const { testCommand } = project;
  const isNamed = checks.some((check) => typeof check !== 'string' && check.name === 'test');
  const test: Check | undefined =
    testCommand === undefined || isNamed ? testCommand : { name: 'test', run: testCommand, timeoutSeconds: 600 };
  const byCommand = new Map<string, Check>();
  for (const check of [...checks, ...(test === undefined ? [] : [test]), ...requested]) {
    const command = commandOf(check);
    if (!byCommand.has(command)) byCommand.set(command, check);
  }
  return [...byCommand.values()];
}

function commandOf(check: Check): string {
  const run = typeof check === 'string' ? check : check.run;
  return JSON.stringify(typeof run === 'string' ? run.trim() : run);
}
