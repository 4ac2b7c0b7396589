import { findOnPath } from '../../../agents/program.ts';
import { loadConfig } from '../../../config/load.ts';
import type { Forge } from '../../../forges/forge.ts';
import { reachForge } from '../../../forges/registry.ts';
import { inspectRepository } from '../../../git/read/repository.ts';
import type { DoctorLine } from './doctor-line.ts';

export type ForgeExamination = { dir: string; env: NodeJS.ProcessEnv; online: boolean };

const LINE = { required: false, fix: null };
const PROGRAMS = { github: 'gh', gitlab: 'glab', bitbucket: undefined } as const;
const VARIABLES = ['BITBUCKET_TOKEN', 'BITBUCKET_API_TOKEN', 'BITBUCKET_APP_PASSWORD'] as const;

/** Checks the forge for pull requests: its provider, its program, and with `online` the login. */
export async function examineForge({ dir, env, online }: ForgeExamination): Promise<DoctorLine[]> {
  const { signal } = new AbortController();
  const root = await inspectRepository(dir, signal).then(
    (repository) => repository.root,
    () => undefined,
  );
  // A folder that is not a repository, and invalid settings, are reported on separate lines.
  const config = root === undefined ? undefined : await loadConfig({ dir: root, env }).catch(() => undefined);
  if (root === undefined || config === undefined) return [];
  try {
    const found = await reachForge({ repository: { root }, config: config.git, env }, signal);
    if (found.kind === 'none') {
      const isRequired = config.land === 'pr';
      const detail = `${found.reason}; pull requests cannot be opened`;
      return [{ ...LINE, name: 'forge', ok: !isRequired, detail, fix: isRequired ? found.nextStep : null }];
    }
    const { forge, because } = found;
    const line = { ...LINE, name: 'forge', ok: true, detail: `${forge.name}, repository ${forge.repo}, ${because}` };
    return [line, online ? await loginLine(forge, signal) : programLine(forge, env)];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [
      { ...LINE, name: 'forge', ok: false, detail, fix: 'Correct git.provider, git.remote and the environment.' },
    ];
  }
}

async function loginLine(forge: Forge, signal: AbortSignal): Promise<DoctorLine> {
  const { ok, detail, nextStep } = await forge.login(signal);
  return { ...LINE, name: 'forge login', ok, detail, fix: ok ? null : (nextStep ?? null) };
}

/** Without `online` only the presence of credentials is checked. */
function programLine({ name }: Forge, env: NodeJS.ProcessEnv): DoctorLine {
  const line = { ...LINE, name: 'forge login' };
  const program = PROGRAMS[name];
  if (program === undefined) {
    const variable = VARIABLES.find((each) => (env[each] ?? '') !== '');
    if (variable !== undefined)
      return { ...line, ok: true, detail: `${variable} is set; --online checks whether it is valid` };
    return { ...line, ok: false, detail: 'no login for Bitbucket is set', fix: `Set ${VARIABLES[0]}.` };
  }
  const found = findOnPath(program, { dir: '/', path: env.PATH ?? '' });
  if ('found' in found) return { ...line, ok: true, detail: `${found.found}; --online checks whether it is logged in` };
  return { ...line, ok: false, detail: found.missing, fix: `Install ${program}, then ${program} auth login.` };
}
