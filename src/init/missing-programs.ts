import type { Found } from './ecosystem.ts';

/** How a program is installed that only some machines have; a program without a row is only named. */
const INSTALL: Readonly<Record<string, string>> = {
  uv: 'see https://docs.astral.sh/uv/getting-started/installation',
  poetry: 'pipx install poetry',
  pdm: 'pipx install pdm',
  pipenv: 'pipx install pipenv',
  tox: 'pipx install tox',
  nox: 'pipx install nox',
  pnpm: 'npm install -g pnpm',
  yarn: 'npm install -g yarn',
  bun: 'see https://bun.com/docs/installation',
};

/** Programs that are missing here, each with the commands that cannot run without it. */
export function missingPrograms(
  commands: readonly string[],
  hasProgram: (name: string) => boolean,
): Map<string, string[]> {
  const missing = new Map<string, string[]>();
  for (const command of commands) {
    const program = programOf(command);
    if (program === undefined || hasProgram(program)) continue;
    missing.set(program, [...(missing.get(program) ?? []), command]);
  }
  return missing;
}

/** One note for each missing program. */
export function missingProgramNotes(missing: ReadonlyMap<string, readonly string[]>): string[] {
  return [...missing].map(([program, commands]) => {
    const install = INSTALL[program] === undefined ? '' : ` (${INSTALL[program]})`;
    return `${program} is not installed here, so this cannot run: ${commands.join(', ')}; install it${install}`;
  });
}

/** The bare name that a command of ours starts; undefined for a path, which the set-up may create. */
function programOf(command: Found['setup'][number]): string | undefined {
  return /^(?:cd [\w./-]+ && )?([\w.+-]+)(?= |$)/.exec(command)?.[1];
}
