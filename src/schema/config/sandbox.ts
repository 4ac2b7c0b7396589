import { z } from 'zod';

/** Whether agents, checks, set-up commands and applications run in a sandbox; from the loosest to the tightest. */
const MODES = ['off', 'auto', 'require'] as const;

export const SandboxMode = z
  .enum(MODES)
  .default('auto')
  .describe(
    'Whether agents, checks, set-up commands and applications run in a sandbox that shows them only their own task. auto: where it works (bubblewrap on Linux, sandbox-exec on macOS); require: refuse to start without it; off: never. The file of a project can only make it tighter.',
  );

/** Paths as a person names them: absolute, or below the home folder. */
const HostPath = z.string().regex(/^(\/|~\/)/, 'must begin with / or ~/');

/** Paths of this machine that a sandbox shows besides those of the task. */
export const SandboxPaths = z
  .strictObject({
    read: z.array(HostPath).default([]).describe('Files and folders that sandboxed programs may read besides.'),
    write: z.array(HostPath).default([]).describe('Files and folders that sandboxed programs may also write.'),
    programs: z.array(z.string()).optional().describe('Set by Manyhands.'),
    projectAgents: z.array(z.string()).optional().describe('Set by Manyhands.'),
  })
  .prefault({})
  .describe('Effective only in your own settings, not in the file of a project.');

/** The paths of the person's settings, the programs of MCP servers that these name, which agents start, and the agents whose program the file of a project names. */
export function ownSandboxPaths(
  own: Readonly<Record<string, unknown>>,
  project: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const servers = Object.values(recordOf(own.mcp)).map(recordOf);
  const words = servers.flatMap(({ command, args }) => [command, ...(Array.isArray(args) ? args : [])]);
  const programs = words.filter((word) => typeof word === 'string' && word.startsWith('/'));
  const agents = Object.entries(recordOf(project.agents)).filter(([, agent]) => {
    const { command, args } = recordOf(agent);
    return command !== undefined || args !== undefined;
  });
  return {
    ...recordOf(own.sandboxPaths),
    ...(programs.length === 0 ? {} : { programs }),
    ...(agents.length === 0 ? {} : { projectAgents: agents.map(([name]) => name) }),
  };
}

/** Whether the file of a project names the program of an agent, also where it is used under another name with another model. */
export function isOfProject(
  name: string,
  agents: Readonly<Record<string, { command?: string | undefined; args: readonly string[] }>>,
  { projectAgents = [] }: { projectAgents?: readonly string[] | undefined },
): boolean {
  const programOf = (each: string) => JSON.stringify([agents[each]?.command, agents[each]?.args]);
  return projectAgents.some(
    (each) => each === name || (name.startsWith(`${each}-`) && programOf(each) === programOf(name)),
  );
}

/** Whether the file of a project says where the program of an agent is: a bare name is searched on PATH, so that it is the person's own. */
export function isProgramOfProject(
  name: string,
  {
    agents,
    sandboxPaths,
  }: { agents: Parameters<typeof isOfProject>[1]; sandboxPaths: Parameters<typeof isOfProject>[2] },
): boolean {
  return agents[name]?.command?.includes('/') === true && isOfProject(name, agents, sandboxPaths);
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * A folder or file of an agent's login in a sandbox. Of a folder only what the vendor refreshes and its sessions can be
 * written; `read` are folders that it reads. Other files are private copies, and other folders begin empty: what the
 * program changes there is gone when it ends, so that it cannot leave settings, hooks or programs for the user's own sessions.
 */
export type LoginFolder = {
  path: string;
  refreshed: readonly string[];
  sessions: readonly string[];
  read: readonly string[];
};

/** A path is writable as a whole. */
export type LoginPath = string | LoginFolder;

/** Whether a project's sandbox is tighter than that of the person's own settings. */
export function isTighterSandbox(sandbox: unknown, own: unknown): boolean {
  return rankOf(sandbox) > rankOf(own ?? 'auto');
}

function rankOf(mode: unknown): number {
  const ranks: readonly unknown[] = MODES;
  return ranks.indexOf(mode);
}
