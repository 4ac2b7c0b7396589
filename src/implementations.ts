import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { discoverProfiles, withProfiles } from './agents/accounts/ccswitch.ts';
import { pinAgents } from './agents/pin-agents.ts';
import { createAgents } from './agents/registry.ts';
import { loadConfig, loadLayers } from './config/load.ts';
import type { Implementations } from './engine/loop/context.ts';
import { followUp } from './failures/registry.ts';
import { reachForge } from './forges/registry.ts';
import { checkGate, definitionHash } from './gates/registry.ts';
import { changedFiles } from './git/read/diff.ts';
import { filesOfCommit } from './git/read/list-files.ts';
import { guard, testPrograms } from './guards/guards.ts';
import { heldWithoutChecks, specialFiles } from './guards/special-files.ts';
import { MODEL_APIS } from './model-apis/registry.ts';
import { recipeOf } from './recipes/registry.ts';
import { checksOf } from './recipes/task-spec.ts';
import { findRisks } from './risks/registry.ts';

/** The implementations of the engine's interfaces, from their registries. */
export function chooseImplementations(env: NodeJS.ProcessEnv): Implementations {
  const path = env.PATH ?? '';
  const rehearsal = rehearsalProgram();
  return {
    config: (root) => loadConfig({ dir: root, env }),
    ignoredSettings: async (root) => (await loadLayers({ dir: root, env })).ignored,
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
    definition: (spec, config) => definitionHash(spec, { tools: toolsOf(JSON.stringify(config.workspace)) }),
  };
}

const guardCandidate: Implementations['guard'] = async ({ mirror, from, to, config, gates, targets, trace }) => {
  const special = await specialFiles(mirror, from, to);
  const changed = (await changedFiles(mirror, { from, to })).flatMap(({ path, status }) =>
    status === 'renamed' ? [] : [{ path, status }],
  );
  const tests = testPrograms({ ...config.guards, changed });
  if (gates.length === 0) return { overlay: [], held: heldWithoutChecks(special, config.guards.allow), tests };
  const guarded = await guard({
    ...config.guards,
    gates,
    targets,
    trace,
    changed,
    special,
    base: await filesOfCommit(mirror, from),
    candidate: await filesOfCommit(mirror, to, from),
  });
  return { ...guarded, tests };
};

/** What a check's outcome depends on besides the tree and its command: the set-up's settings and the machine's Node. */
function toolsOf(workspace: string): string {
  return createHash('sha256')
    .update(`${process.version} ${process.platform} ${process.arch} ${workspace}`)
    .digest('hex');
}

/** The program of the rehearsal agents, beside the built one. */
function rehearsalProgram(): string[] {
  return [process.execPath, fileURLToPath(new URL('./rehearsal.js', import.meta.url))];
}
