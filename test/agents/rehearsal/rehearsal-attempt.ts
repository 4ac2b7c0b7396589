import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { stringify } from 'yaml';
import type { Agent, Assignment } from '../../../src/agents/agent.ts';
import { rehearsalAgent } from '../../../src/agents/rehearsal/rehearsal.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import { makeAssignment, performAttempt } from '../../contracts/attempt.ts';

const ENTRY = fileURLToPath(new URL('../../../src/agents/rehearsal/rehearsal-program.ts', import.meta.url));

/** The rehearsal program as one file, as users have it (it starts three times as fast as its source), and what plays with it. */
export async function makeRehearsalFixture() {
  const folder = await mkdtemp(join(tmpdir(), 'mh-rehearsal-'));
  const program = join(folder, 'rehearsal.mjs');
  await bundle(program);
  let scenarios = 0;

  const agent = (scenario?: string, name = 'rehearsal'): Agent => {
    const config = AgentConfig.parse({ kind: 'rehearsal', ...(scenario === undefined ? {} : { scenario }) });
    return rehearsalAgent({ name, config, dir: '/', program: [process.execPath, program] });
  };
  const scenario = async (content: unknown): Promise<string> => {
    const file = join(folder, `scenario-${++scenarios}.yaml`);
    await writeFile(file, stringify(content));
    return file;
  };
  const perform = async (steps: unknown[], more: Partial<Assignment> & { prepare?: Prepare } = {}) => {
    const { prepare, ...assignment } = more;
    const made = await makeAssignment(assignment);
    await prepare?.(made.assignment.workspace);
    const performed = await performAttempt(agent(await scenario({ plays: [{ steps }] })), made.assignment);
    const read = (path: string) => readFile(join(made.assignment.workspace, path), 'utf8');
    return { ...performed, ...made, read };
  };
  return { agent, scenario, perform, close: () => rm(folder, { recursive: true, force: true }) };
}

type Prepare = (workspace: string) => Promise<void>;

async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
}
