import type { Target } from '../../../src/process/terminate.ts';
import { realWorld } from '../../../src/world.ts';
import { until } from '../../support/until.ts';
import { type Entry, processes } from '../process-list.ts';
import type { Sandbox } from '../sandbox.ts';
import type { CaseResult, CaseRunner } from './case-runner.ts';

/** The processes between the shim and a command of the agent: the shim's child first. */
type Lineage = readonly Entry[];

/** Lets a command of the agent run, signals one of its ancestors, and tells how it ended and who of it is left. */
export async function signalled(
  runner: CaseRunner,
  sandbox: Sandbox,
  { signal, choose }: { signal: NodeJS.Signals; choose: (lineage: Lineage) => Entry | undefined },
): Promise<CaseResult & { leftover: Entry[] }> {
  const marker = `marker-${realWorld.token()}`;
  let acting: Promise<void> = Promise.resolve();
  const act = async (target: Target) => {
    await until(() => lineageOf(marker, target.identity.pid).length > 0);
    const chosen = choose(lineageOf(marker, target.identity.pid));
    if (chosen === undefined) throw new Error('The program to be signalled is not there');
    process.kill(chosen.pid, signal);
  };
  const run = await runner.runCase(sandbox, {
    script: [runner.run(`node -e "setInterval(() => {}, 1e6)" ${marker}`)],
    settings: { allowedCli: ['node'] },
    hooks: {
      onStarted: (target) => {
        acting = act(target);
      },
    },
  });
  await acting;
  return { ...run, leftover: processes().filter(({ command }) => command.includes(marker)) };
}

function lineageOf(marker: string, shim: number): Lineage {
  const all = new Map(processes().map((entry) => [entry.pid, entry]));
  const below = [...all.values()].find(({ command }) => /^\S*node -e /.test(command) && command.includes(marker));
  const lineage: Entry[] = [];
  for (let at = below; at !== undefined && at.pid !== shim; at = all.get(at.parent)) lineage.unshift(at);
  return lineage[0]?.parent === shim ? lineage : [];
}
