import { join } from 'node:path';
import { ROOT, textOf } from './steps/checkout.mjs';
import { makeReady, say } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';
import { lookAround, makeSample } from './steps/sample.mjs';

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
  const args = ['do', goal, '--check', 'npm test', '--dir', sample.repository, ...how, ...extra];
  const code = await runOnNode(LAUNCHER, args, { env: sample.env });
  for (const line of lookAround(sample, LAUNCHER)) say(line);
  return code;
});
