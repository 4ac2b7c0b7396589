import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { discoverProfiles, withProfiles } from '../agents/accounts/ccswitch.ts';
import { pinAgents } from '../agents/pin-agents.ts';
import { createAgents } from '../agents/registry.ts';
import { loadConfig } from '../config/load.ts';
import type { Implementations } from '../engine/loop/context.ts';
import { followUp } from '../failures/registry.ts';
import { reachForge } from '../forges/reach-forge.ts';
import { checkGate, definitionHash } from '../gates/registry.ts';
import type { Mirror } from '../git/mirror/mirror.ts';
import { changedFiles, showFile } from '../git/read/diff.ts';
import { guard, specialFiles } from '../guards/guards.ts';
import { MODEL_APIS } from '../model-apis/registry.ts';
import { writeStatus } from '../recipes/features/write-statuses.ts';
import { recipeOf } from '../recipes/registry.ts';
import { checksOf } from '../recipes/task-spec.ts';
import { findRisks } from '../risks/registry.ts';

/** The implementations that stand in the registries, as the engine uses them. */
export function chooseImplementations(env: NodeJS.ProcessEnv, rehearsal: string[]): Implementations {
  const path = env.PATH ?? '';
  return {
    config: (root) => loadConfig({ dir: root, env }),
    pin: ({ config, dir, root, choices, rehearse, scenario }) =>
      pinAgents({
        config,
        dir,
        root,
        path,
        adHoc: choices,
        rehearsal: { program: rehearsal, allAgents: rehearse, ...(scenario === undefined ? {} : { scenario }) },
      }),
    withLogins: async (config) =>
      config.routing.ccswitch === 'off' ? config : withProfiles(config, (await discoverProfiles(config, env)).profiles),
    agents: ({ config, project }) =>
      createAgents({ config, dir: project.root, path, adHoc: [], rehearsal: { program: rehearsal } }),
    checks: checksOf,
    recipe: recipeOf,
    followUp,
    checkGate,
    findRisks,
    modelApis: MODEL_APIS,
    forge: (repository, config, signal) => reachForge({ repository, config, env }, signal),
    guard: guardCandidate,
    writeStatuses: (root, { file, statuses }) =>
      writeStatus(join(root, file), new Map(statuses.map(({ id, status }) => [id, status])), { root }),
    definition: (spec, config) => definitionHash(spec, { tools: toolsOf(JSON.stringify(config.workspace)) }),
  };
}

const guardCandidate: Implementations['guard'] = async ({ mirror, from, to, config, gates }) =>
  guard({
    ...config.guards,
    gates,
    changed: (await changedFiles(mirror, { from, to })).flatMap(({ path, status }) =>
      status === 'renamed' ? [] : [{ path, status }],
    ),
    special: await specialFiles(mirror, from, to),
    readBase: (path) => readText(mirror, from, path),
    readCandidate: (path) => readText(mirror, to, path),
  });

function readText(mirror: Mirror, commit: string, path: string): Promise<string | undefined> {
  return showFile(mirror, commit, path);
}

/** What a check's outcome depends on besides the tree and its command: the set-up's settings and the machine's Node. */
function toolsOf(workspace: string): string {
  return createHash('sha256')
    .update(`${process.version} ${process.platform} ${process.arch} ${workspace}`)
    .digest('hex');
}
