import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import { exists } from '../git/path-kind.ts';
import type { Config } from '../schema/config.ts';

type Docker = NonNullable<Config['workspace']['docker']>;
type CommandText = string | readonly string[];

/** The script in a workspace through which an agent runs a command in the service. */
export const SERVICE_SCRIPT = 'mh-run';

/** A configured command as an argument array: in the service if there is one, text through a shell. */
export function commandFor(command: CommandText, docker?: Docker): string[] {
  const plain = typeof command === 'string' ? ['sh', '-c', command] : [...command];
  return docker === undefined ? plain : [...serviceCommand(docker), ...plain];
}

/** Puts the script into a workspace; a file of the repository with that name is never replaced. */
export async function writeServiceScript(workspace: string, docker: Docker): Promise<void> {
  const path = join(workspace, SERVICE_SCRIPT);
  if (await exists(path)) {
    throw new AppError(
      'CONFIG_INVALID',
      `The repository has its own file ${SERVICE_SCRIPT}, so workspace.docker cannot be used`,
    );
  }
  const quoted = serviceCommand(docker).map(quote).join(' ');
  await writeFile(
    path,
    `#!/bin/sh\n# Runs a command in the service ${docker.service}: ./${SERVICE_SCRIPT} npm test\nexec ${quoted} "$@"\n`,
    {
      mode: 0o755,
      flag: 'wx',
    },
  );
}

function serviceCommand(docker: Docker): string[] {
  return ['docker', 'compose', 'exec', '-T', '-w', docker.workDir, docker.service];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
