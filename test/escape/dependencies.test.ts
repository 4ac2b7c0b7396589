import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeShop, runAndReport } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { type Scratch, writeFiles } from '../support/scratch.ts';

const INSTALLED = {
  'node_modules/dep/index.js': 'original\n',
  'node_modules/dep/package.json': '{"version":"1.0.0"}\n',
};
const env = { MANYHANDS_BWRAP: SANDBOX.program };
const FIX = "printf 'export const add = (a, b) => a + b;\\n' >sum.js";
/** It passes only with the dependencies that a person has installed. */
const CHECK = 'grep -q original node_modules/dep/index.js && test ! -e node_modules/added && sh check.sh';

async function makeInstalled(limits = 'attempts: 1'): Promise<Scratch> {
  const shop = await makeShop({ check: CHECK, limits: `${limits} }\nsandbox: require\n#` });
  writeFiles(join(shop.root, 'project'), INSTALLED);
  await mkdir(join(shop.root, 'programs'));
  return shop;
}

function program(shop: Scratch, text: string): string {
  const file = join(shop.root, 'programs', 'agent.sh');
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return `command:${file}`;
}

const installed = (shop: Scratch) => readFileSync(join(shop.root, 'project/node_modules/dep/index.js'), 'utf8');

describe.skipIf(SANDBOX.missing)(`dependencies of an attempt ${SANDBOX.title}`, () => {
  test('are changed only for itself, also when its engine is killed while it runs', async () => {
    await using shop = await makeInstalled();
    const changes = 'rm -rf node_modules/dep && mkdir node_modules/dep && echo 2 >node_modules/dep/index.js';
    const slow = program(
      shop,
      `${changes}; touch node_modules/added; sleep 6; cat node_modules/dep/index.js >seen.txt; ${FIX}`,
    );
    const first = shop.start(['job', 'x', '--agent', slow], { env });
    await first.received('agent works');
    first.kill('SIGKILL');
    await first.done;
    const resumed = await shop.mh(['resume'], { env });
    expect(resumed.code, resumed.stderr).toBe(0);
    const { run } = await runAndReport(shop, 'show');
    expect([run.status, run.tasks[0]?.attempts]).toEqual(['done', 1]);
    const files = shop.git('ls-tree', '-r', '--name-only', `mh/${run.run}`);
    expect(files.split('\n')).toContain('seen.txt');
    expect(files).not.toContain('node_modules');
    expect(shop.git('show', `mh/${run.run}:seen.txt`)).toBe('2');
    expect(installed(shop)).toBe('original\n');
    expect(JSON.stringify(run)).toContain('"dependencies":"overlay"');
    expect(await shop.leftovers()).toEqual([]);
  });

  test('keep what a failed attempt changed for the next one in its workspace, and no check sees it', async () => {
    await using shop = await makeInstalled('attempts: 2');
    const twice = program(
      shop,
      `if grep -q patched node_modules/dep/index.js; then ${FIX}; else echo patched >node_modules/dep/index.js; exit 1; fi`,
    );
    const ended = await shop.mh(['job', 'x', '--agent', twice, '--json'], { env });
    const { run } = await runAndReport(shop, 'show');
    expect([ended.code, run.status, run.tasks[0]?.attempts], ended.stderr).toEqual([0, 'done', 2]);
    expect(installed(shop)).toBe('original\n');
  });

  test('are in the workspace that a person opens after a failure, with what its attempt changed', async () => {
    await using shop = await makeInstalled();
    const failing = program(shop, 'echo patched >node_modules/dep/index.js; rm node_modules/dep/package.json; exit 1');
    await shop.mh(['job', 'x', '--agent', failing, '--json'], { env });
    const opened = await shop.mh(['open', '--json'], { env });
    const [workspace = ''] = JSON.parse(opened.stdout);
    expect(readdirSync(join(workspace, 'node_modules/dep'))).toEqual(['index.js']);
    expect(readFileSync(join(workspace, 'node_modules/dep/index.js'), 'utf8')).toBe('patched\n');
    expect(installed(shop)).toBe('original\n');
    // The next attempt sees the same, although its programs still see the layer below.
    program(shop, `ls node_modules/dep >seen.txt; ${FIX}`);
    await shop.mh(['retry', '--json'], { env });
    const resumed = await shop.mh(['resume', '--json'], { env });
    const { run } = await runAndReport(shop, 'show');
    expect(run.status, resumed.stderr).toBe('done');
    expect(shop.git('show', `mh/${run.run}:seen.txt`)).toBe('index.js');
  });

  test('are provided as doctor reports', async () => {
    await using shop = await makeInstalled();
    expect((await shop.mh(['doctor'], { env })).stdout).toMatch(/dependencies +overlay: /);
    expect((await shop.mh(['doctor'])).stdout).toMatch(
      /dependencies +(copy|reflink).*no overlay: MANYHANDS_BWRAP is empty/,
    );
  });
});
