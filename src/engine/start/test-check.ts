import type { Config } from '../../schema/config.ts';

/** The project's test command as a check, unless one of the checks runs it already. */
export function testCheck({ checks, project }: Pick<Config, 'checks' | 'project'>): Config['checks'] {
  const { testCommand } = project;
  const runs = checks.map((check) => (typeof check === 'string' ? check : check.run));
  if (testCommand === undefined || runs.includes(testCommand)) return [];
  const isNamed = checks.some((check) => typeof check !== 'string' && check.name === 'test');
  return [isNamed ? testCommand : { name: 'test', run: testCommand, timeoutSeconds: 600 }];
}
