import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Benchmark } from './benchmark.ts';
import { makeRepository, makeScratch, runTool } from './scratch.ts';
import { taskEnvironment, writeSandboxMode } from './tasks.ts';
import { listed, median } from './timing.ts';

const AGENTS = 150;
const FILES = 100;
const ROUNDS = 5;
const ALLOWED_MS = 50;
/** Without any check a result is unverified, and the user must review it. */
const UNVERIFIED_EXIT = 4;
const Gaps = z.array(z.object({ at: z.number(), ms: z.number() }));

/** Loaded into the engine's process: notes every gap between two turns of its event loop that is longer than a few milliseconds. */
const OBSERVER = `import { writeFileSync } from 'node:fs';
const gaps = [];
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - last > 5) gaps.push({ at: Date.now(), ms: now - last });
  last = now;
}, 1).unref();
process.on('exit', () => writeFileSync(process.env.GAPS, JSON.stringify(gaps)));
`;

/** Whether the engine answers while very many agents start. */
export const loop: Benchmark = {
  name: 'loop',
  summary: `the longest gap of the engine's event loop while ${AGENTS} agents start at once, against ${ALLOWED_MS} ms`,
  target: { is: 'at most', ratio: 1 },
  async measure(isQuick, rounds = isQuick ? 1 : ROUNDS) {
    await using scratch = await makeScratch();
    const longest: number[] = [];
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const found = await measureRound(join(scratch.path, `round-${round}`));
      longest.push(found.longestMs);
      seconds.push(found.seconds);
    }
    const value = median(longest);
    const note = `longest gaps in ms: ${listed(longest)}; the starts took ${listed(seconds, 1)} s`;
    return { value, unit: 'ms', ceiling: ALLOWED_MS, ratio: value / ALLOWED_MS, note };
  },
};

async function measureRound(folder: string): Promise<{ longestMs: number; seconds: number }> {
  const repository = join(folder, 'repository');
  const [started, planMade] = [join(folder, 'started'), join(folder, 'planned')];
  await mkdir(join(repository, '.manyhands'), { recursive: true });
  await mkdir(started);
  await writeFile(join(repository, '.manyhands', 'config.yaml'), 'review: { rounds: 0 }\n');
  // In a sandbox the agents could not write their marks.
  await writeSandboxMode(folder, 'off');
  await makeRepository(repository, FILES);
  const planned = Array.from({ length: AGENTS }, (_, index) => ({
    id: `t${index + 1}`,
    title: `Task ${index + 1}`,
    description: 'Wait.',
  }));
  await writeFile(join(folder, 'plan.json'), JSON.stringify({ tasks: planned }));
  const agent = join(folder, 'agent.sh');
  const text = `#!/bin/sh
if [ "$MANYHANDS_ROLE" = plan ]; then cat '${folder}/plan.json'; : >'${planMade}'; exit; fi
: >'${started}'/"\${MANYHANDS_TASK##*/}"
while [ "$(ls '${started}' | wc -l)" -lt ${AGENTS} ]; do sleep 0.5; done
echo "a line" >"task-\${MANYHANDS_TASK##*/}.txt"
`;
  await writeFile(agent, text, { mode: 0o755 });
  await writeFile(join(folder, 'observer.mjs'), OBSERVER);
  const program = [process.execPath, '--import', pathToFileURL(join(folder, 'observer.mjs')).href];
  const how = ['--agent', `command:${agent}`, '--max-parallel', String(AGENTS), '--json'];
  await runTool([...program, join(process.cwd(), 'bin', 'manyhands.mjs'), 'do', 'Wait for all', ...how], repository, {
    env: { ...taskEnvironment(folder), GAPS: join(folder, 'gaps.json') },
    allow: [UNVERIFIED_EXIT],
  });
  const times = await Promise.all(
    (await readdir(started)).map(async (name) => (await stat(join(started, name))).mtimeMs),
  );
  // From the end of the plan: its tasks, all claims and the first workspaces belong to the starts.
  const [first, last] = [(await stat(planMade)).mtimeMs, Math.max(...times)];
  const gaps = Gaps.parse(JSON.parse(await readFile(join(folder, 'gaps.json'), 'utf8')));
  await rm(folder, { recursive: true, force: true });
  const during = gaps.filter(({ at, ms }) => at >= first && at - ms <= last).map(({ ms }) => ms);
  return { longestMs: Math.max(0, ...during), seconds: (last - first) / 1000 };
}
