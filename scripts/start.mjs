import { join } from 'node:path';
import { ROOT, textOf } from './steps/checkout.mjs';
import { makeReady, say } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';
import { lookAround, makeSample } from './steps/sample.mjs';

/** Exit codes of a command that started nothing. */
const REFUSED = [2, 3];
const INTERRUPTED = 130;
const LAUNCHER = join(ROOT, 'bin/manyhands.mjs');

/** The main job on a sample repository: rehearsed, or by the agent named with --agent. Other arguments go to `manyhands do`. */
await finish(async () => {
  await makeReady();
  const sample = makeSample();
  const extra = process.argv.slice(2);
  const isReal = extra.some((argument) => /^--agent(=|$)/.test(argument));
  const how = isReal ? [] : ['--rehearse', '--scenario', join(ROOT, 'examples/demo/scenario.yaml')];
  const goal = textOf('examples/demo/goal.txt').trim();
  say(`\nThe goal, for a small shop in ${sample.repository}:\n\n  ${goal}\n`);
  const args = ['do', goal, '--title', 'A better corner shop', '--check', 'npm test', '--dir', sample.repository];
  const code = await runOnNode(LAUNCHER, [...args, ...how, ...extra], { env: sample.env });
  const run = { launcher: LAUNCHER, isInterrupted: code === INTERRUPTED };
  if (!REFUSED.includes(code)) for (const line of lookAround(sample, run)) say(line);
  return code;
});
