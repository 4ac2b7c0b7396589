import { findProjectRoot } from '../../../config/files.ts';
import { loadConfig } from '../../../config/load.ts';
import { containmentText, possibleContainment, REQUIRED_PARTS } from '../../../core/attempt/containment.ts';
import { machineContainment } from '../../../engine/attempt/containment.ts';
import { dependencyMethod } from '../../../engine/start/dependency-method.ts';
import { resolveHome } from '../../../home.ts';
import { removeLeftoverGroups } from '../../../process/cgroup.ts';
import { removeLeftoverLimits } from '../../../process/limit-groups.ts';
import { identificationProblem } from '../../../process/socket-peer.ts';
import { containment } from '../../../process/terminate.ts';
import { Config } from '../../../schema/config.ts';
import type { DoctorLine } from './doctor-line.ts';

const INSTALL = 'On Linux, install bubblewrap (apt-get install bubblewrap), and allow user namespaces.';
const CGROUP = 'On Linux, run where a cgroup folder can be written (for example a systemd user session).';

/** What to do about a part that is not contained although there is a sandbox. */
const FIXES: Readonly<Record<string, string>> = { resources: CGROUP };

/** How far the programs of tasks are restricted to their own task, as a whole and by parts, and callers identified. */
export async function examineContainment(examined: { dir: string; env: NodeJS.ProcessEnv }): Promise<DoctorLine[]> {
  const inRoot = { ...examined, dir: (await findProjectRoot(examined.dir)) ?? examined.dir };
  return [descendants(), ...(await sandbox(inRoot)), await dependencies(inRoot), callers()];
}

/** Whether the system can contain agents that hide their child processes; reported, but not required. Groups that a killed engine left are removed. */
function descendants(): DoctorLine {
  const { kind, detail } = containment();
  const ok = kind === 'cgroup';
  const removed = removeLeftoverGroups() + removeLeftoverLimits();
  const groups =
    removed === 0 ? '' : `; removed ${removed} empty ${removed === 1 ? 'group' : 'groups'} of ended attempts`;
  return { name: 'containment', ok, required: false, detail: `${detail}${groups}`, fix: ok ? null : CGROUP };
}

/** Agents, checks, set-up commands and applications; a part is needed only where the settings require it. */
async function sandbox({ dir, env }: { dir: string; env: NodeJS.ProcessEnv }): Promise<DoctorLine[]> {
  // The line about the settings reports what is wrong with them.
  const config = await loadConfig({ dir, env }).catch(() => Config.parse({}));
  const machine = await machineContainment(env);
  const isOff = config.sandbox === 'off';
  const { record } = possibleContainment(config, machine);
  const required = config.sandbox === 'require' ? REQUIRED_PARTS : [];
  const version = machine.sandbox.kind === 'available' ? `${machine.sandbox.version}: ` : '';
  const hasFiles = record.level !== 'none';
  const detail = hasFiles
    ? `${version}${containmentText(record)}`
    : `${containmentText(record)}; agents run with your permissions`;
  const whole: DoctorLine = {
    name: 'sandbox',
    ok: hasFiles || isOff,
    required: required.includes('files'),
    detail,
    fix: hasFiles || isOff ? null : INSTALL,
  };
  const parts = ['network', 'resources'].flatMap((name): DoctorLine[] => {
    const part = record.parts?.[name];
    if (part === undefined) return [];
    const fix = part.contained ? null : (FIXES[name] ?? (hasFiles ? null : INSTALL));
    return [{ name, ok: part.contained || isOff, required: required.includes(name), detail: part.how, fix }];
  });
  return [whole, ...parts];
}

/** How workspaces get their dependencies; a copy only takes longer. */
async function dependencies({ dir, env }: { dir: string; env: NodeJS.ProcessEnv }): Promise<DoctorLine> {
  // The line about the settings reports what is wrong with them.
  const config = await loadConfig({ dir, env }).catch(() => Config.parse({}));
  const machine = await machineContainment(env);
  const { how } = await dependencyMethod({ home: resolveHome(env), machine }, { project: { root: dir }, config });
  return { name: 'dependencies', ok: true, required: false, detail: how, fix: null };
}

/** Whether the engine can identify a process that requests a change. */
function callers(): DoctorLine {
  const problem = identificationProblem();
  const line = { name: 'callers', ok: problem === undefined, required: false };
  if (problem === undefined) return { ...line, detail: 'the engine identifies the processes that call it', fix: null };
  const detail = `${problem}; an agent is recognized by its environment only, which it can change`;
  return { ...line, detail, fix: 'On Linux, install perl or python3.' };
}
