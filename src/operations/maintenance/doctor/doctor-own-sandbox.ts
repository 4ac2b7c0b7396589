import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, OwnSandbox } from '../../../agents/agent.ts';
import type { App } from '../../../app.ts';
import { possibleContainment } from '../../../core/attempt/containment.ts';
import { vendorVariables } from '../../../engine/attempt/assignment.ts';
import { machineContainment } from '../../../engine/attempt/containment.ts';
import { ownSandboxProblem } from '../../../engine/attempt/own-sandbox.ts';
import { isProgramOfProject } from '../../../schema/config/sandbox.ts';
import { childEnvironment } from '../../../workspaces/environment.ts';
import type { AgentsView } from '../../models/view-agents.ts';
import type { DoctorLine } from './doctor-line.ts';

type AgentWithSandbox = { agent: Agent; ownSandbox: OwnSandbox };

/** Whether the sandboxes of vendors can start: in that of Manyhands where there is one, which replaces them otherwise. */
export async function examineOwnSandboxes(
  { implementations: load, home, env }: App,
  { config, root, agents }: Pick<AgentsView, 'config' | 'root' | 'agents'>,
): Promise<DoctorLine[]> {
  const usable = new Set(agents.flatMap(({ name, ok }) => (ok ? [name] : [])));
  const created = (await load()).agents({ config, project: { id: '', root } }).values();
  const own = [...created].flatMap((agent): AgentWithSandbox[] =>
    usable.has(agent.name) && agent.ownSandbox !== undefined ? [{ agent, ownSandbox: agent.ownSandbox }] : [],
  );
  if (own.length === 0) return [];
  const machine = await machineContainment(env);
  const { kind } = possibleContainment(config, machine);
  const sandbox = kind === 'sandbox' && machine.sandbox.kind === 'available' ? machine.sandbox : undefined;
  const folder = await mkdtemp(join(home.root, 'doctor-'));
  try {
    const lines: DoctorLine[] = [];
    for (const { agent, ownSandbox } of own) {
      const configured = config.agents[agent.name];
      const permission = configured?.permission ?? config.tools.permissionMode ?? 'acceptEdits';
      if (!ownSandbox.isUsed({ access: 'write', settings: { permission } })) continue;
      // Outside of a sandbox nothing starts a program that the file of a project names.
      if (sandbox === undefined && isProgramOfProject(agent.name, config)) continue;
      const variables = { ...childEnvironment(env), ...vendorVariables(env, agent.vendor), ...configured?.env };
      const problem = await ownSandboxProblem(ownSandbox, variables, { sandbox, folder, dataFolder: home.root });
      lines.push(lineOf(agent.name, problem, sandbox !== undefined));
    }
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lineOf(agent: string, problem: { reason: string; fix: string } | undefined, isContained: boolean): DoctorLine {
  const line = { name: `own sandbox of ${agent}`, ok: true, required: false, fix: null };
  if (problem === undefined)
    return { ...line, detail: isContained ? 'is used in addition to that of Manyhands' : 'is used' };
  const { reason, fix } = problem;
  if (isContained)
    return { ...line, detail: `cannot start in that of Manyhands, which contains ${agent} without it: ${reason}` };
  const other = `Or install bubblewrap, so that Manyhands contains ${agent}; or, in a container that is only for it, set agents.${agent}.permission: bypass.`;
  return {
    ...line,
    ok: false,
    detail: `cannot start, so none of its commands would run: ${reason}`,
    fix: `${fix} ${other}`,
  };
}
