import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps/checkout.mjs';
import { makeReady } from './steps/ready.mjs';
import { finish, runOnNode } from './steps/run.mjs';

const MODULES = join(ROOT, 'node_modules');

/** Types, style, then the tests. Arguments go to vitest; as the first, `crash` selects the full crash suite, `escape` the attacks from inside an attempt, `hosts` servers and hosts on PostgreSQL that fail, and `slow` every variant of the tests that otherwise run a sample. */
await finish(async () => {
  await makeReady();
  const [first, ...rest] = process.argv.slice(2);
  const args = argumentsFor(first, rest);
  return (
    (await checkTypes('.', 'types')) ||
    (await checkTypes('src/dashboard', 'types-dashboard')) ||
    (await checkTypes('test/browser', 'types-browser')) ||
    (await runTool('@biomejs/biome/bin/biome', ['check', '.'])) ||
    (await runTool('vitest/vitest.mjs', ['run', ...args]))
  );
});

function argumentsFor(first, rest) {
  if (first === 'hosts') {
    process.env.MANYHANDS_TEST_HOSTS = 'all';
    return ['test/hosts', ...rest];
  }
  if (first === 'crash') return ['--config', 'vitest.crash.config.ts', ...rest];
  if (first !== 'slow' && first !== 'escape') return process.argv.slice(2);
  process.env.MANYHANDS_TEST_VARIANTS = 'all';
  if (first === 'escape') return ['test/escape', ...rest];
  return [...filesWithVariants(), ...rest];
}

function filesWithVariants() {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('support/variants.ts'));
}

/** Only what has changed since the last time, which is recorded in a file. */
function checkTypes(project, record) {
  const args = ['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', join('.setup', record)];
  return runTool('typescript/bin/tsc', args);
}

function runTool(script, args) {
  return runOnNode(join(MODULES, script), args, { cwd: ROOT });
}
