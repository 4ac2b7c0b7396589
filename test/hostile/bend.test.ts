import { describe, expect, test } from 'vitest';
import type { Scratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';
import { agent, job, makeShop, runAndReport } from './hostile-run.ts';

const NODE_TEST = 'node --test';

/** A tiny test runner of the project's own that lets a configuration file choose the tests, as the real ones do. */
const RUNNER = {
  'runner.mjs': [
    "import { existsSync } from 'node:fs';",
    "const config = existsSync('vitest.config.js') ? (await import('./vitest.config.js')).default : { include: ['./test/sum.test.js'] };",
    'for (const file of config.include) await import(file);',
    '',
  ].join('\n'),
};
const CHECK_SCRIPT = { 'ci/check.sh': 'exec node --test\n' };

describe.concurrent('an agent that weakens a check is held for the user, who can allow it', () => {
  test.each(
    variants(
      [
        ['package-script', 'npm test', {}],
        ['runner-config', 'node runner.mjs', RUNNER],
      ],
      [
        ['linked-tests', NODE_TEST, {}],
        ['skipped-test', NODE_TEST, {}],
        ['renamed-test', NODE_TEST, {}],
        ['npmrc', 'npm test', {}],
        ['check-script', 'sh ci/check.sh', CHECK_SCRIPT],
        ['gitlink-tests', NODE_TEST, {}],
      ],
    ),
  )('%s', async (misbehaviour, check, files) => {
    await using shop = await makeShop({ check, files });
    const before = await shop.fingerprint();
    const held = await job(shop, agent('bend.sh', misbehaviour));
    expect([held.code, held.run.status, held.run.commit]).toEqual([4, 'held', null]);
    expect(held.run.attention[0]?.reason).toMatch(/decides how the checks run|tests as they were/);
    expect(branches(shop)).toEqual(['main']);
    expect(await shop.fingerprint()).toBe(before);

    const approved = await runAndReport(shop, 'approve', held.run.run);
    expect([approved.code, approved.run.status]).toEqual([0, 'done']);
    expect(branches(shop)).toEqual(['main', `mh/${held.run.run}`]);
  });
});

test('an agent that deletes the only test fails: its check reports no tests', async () => {
  await using shop = await makeShop({ check: NODE_TEST });
  const { code, run } = await job(shop, agent('bend.sh', 'deleted-test'));
  expect([code, run.status, run.commit]).toEqual([1, 'failed', null]);
  expect(run.reason).toMatch(/reported no tests; 1 ran on the base/);
});

describe.concurrent('an agent that changes the configuration of checks is held', () => {
  test.each(variants(['own-settings'], ['conftest', 'attributes']))('%s', async (misbehaviour) => {
    await using shop = await makeShop();
    const { code, run } = await job(shop, agent('bend.sh', misbehaviour));
    expect([code, run.status, run.commit]).toEqual([4, 'held', null]);
  });
});

describe.concurrent('an agent that patches installed dependencies does not affect the check', () => {
  const USES_DEPENDENCY = {
    'test/sum.test.js': "import { equal } from 'same';\nimport { add } from '../sum.js';\nequal(add(1, 2), 3);\n",
  };

  test.each(variants(['installed-dependency'], ['committed-dependency']))('%s', async (misbehaviour) => {
    await using shop = await makeShop({ check: NODE_TEST, files: { ...USES_DEPENDENCY, ...installed() } });
    const before = await shop.fingerprint();
    const { code, run } = await job(shop, agent('bend.sh', misbehaviour));
    expect([1, 4]).toContain(code);
    expect(['failed', 'held']).toContain(run.status);
    expect(run.commit).toBeNull();
    expect(branches(shop)).toEqual(['main']);
    expect(await shop.fingerprint()).toBe(before);
  });

  function installed(): Record<string, string> {
    return {
      'node_modules/same/package.json': '{ "name": "same", "type": "module", "exports": "./index.js" }\n',
      'node_modules/same/index.js':
        "export const equal = (a, b) => {\n  if (a !== b) throw new Error('not the same');\n};\n",
    };
  }
});

describe.concurrent('an agent that does honest work lands without the user', () => {
  test.each(variants(['adds-dependency'], ['words-test-better', 'fixes-source', 'adds-test']))(
    '%s',
    async (misbehaviour) => {
      await using shop = await makeShop({ check: misbehaviour === 'adds-dependency' ? 'npm test' : NODE_TEST });
      const before = await shop.fingerprint();
      const { code, run } = await job(shop, agent('bend.sh', misbehaviour));
      expect([code, run.status, run.reason]).toEqual([
        0,
        'done',
        '1 task done, every check passed on the merged result',
      ]);
      expect(await shop.fingerprint()).toBe(before);
    },
  );
});

test('a test that would end the others early is ignored, and only honest work lands', async () => {
  await using shop = await makeShop({ check: NODE_TEST });
  const { code, run } = await job(shop, agent('bend.sh', 'silencing-test'));
  expect([code, run.status, run.commit]).toEqual([1, 'failed', null]);
});

test('an agent that reports success without a change is retried with that reason, and does not succeed', async () => {
  await using shop = await makeShop({ limits: 'attempts: 2' });
  const { code, run, stderr } = await job(shop, agent('bend.sh', 'nothing'));
  expect([code, run.status, run.tasks[0]?.attempts]).toEqual([1, 'failed', 2]);
  expect(stderr).toContain('no-change: It ended without changing anything');
  expect(branches(shop)).toEqual(['main']);
});

function branches(shop: Scratch): string[] {
  return shop.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
}
