import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeShop } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import type { Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';
import { NETWORK_CASES } from './network-cases.ts';

const FIX = "printf 'export const add = (a, b) => a + b;\\n' >sum.js";
const env = { MANYHANDS_BWRAP: SANDBOX.program };
const servers: { close(done?: () => void): unknown }[] = [];
/** What reached the servers of this machine. */
const reached: string[] = [];
let [port, secretPort] = [0, 0];

async function listen(name: string): Promise<number> {
  const server = createServer((message, response) => {
    reached.push(`${name} ${message.url} ${message.headers['x-api-key'] ?? ''}`.trim());
    const [, to] = /redirect\?to=(\d+)/.exec(message.url ?? '') ?? [];
    if (to !== undefined) return void response.writeHead(302, { location: `http://127.0.0.1:${to}/` }).end();
    response.end('canary-answer\n');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listen('listed');
  secretPort = await listen('unlisted');
});
afterAll(() => {
  for (const server of servers) server.close();
});

function put(file: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  return file;
}

/** A project whose person has these settings, with an agent that runs a script. */
async function makeContained(settings: string, script: string, shop?: Parameters<typeof makeShop>[0]) {
  const scratch = await makeShop(shop);
  put(join(scratch.root, '.config', 'manyhands', 'config.yaml'), settings);
  const program = put(join(scratch.root, 'programs', 'agent.sh'), `#!/bin/sh\n${script}\n`, 0o755);
  return { scratch, agent: `command:${program}` };
}

async function work(scratch: Scratch, agent: string, more: Record<string, string> = {}) {
  const finished = await scratch.mh(['job', 'x', '--agent', agent, '--json'], { env: { ...env, ...more } });
  return { finished, run: RunDocument.parse(finished.json) };
}

const landed = (scratch: Scratch, file: string) =>
  scratch.git('show', `${scratch.git('branch', '--list', 'mh/*', '--format=%(refname:short)')}:${file}`);

describe.skipIf(SANDBOX.missing)(`the network of an attempt ${SANDBOX.title}`, () => {
  describe('an attempt', () => {
    let succeeded: string[] = [];
    let network: RunDocument['tasks'][number]['network'];
    let containment: RunDocument['tasks'][number]['containment'];
    beforeAll(async () => {
      const other = createTcp((socket) => socket.end('SSH-2.0-canary\r\n'));
      await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
      servers.push(other);
      const script = [
        `PORT=${port} CLOSED=${secretPort} RAW=${(other.address() as AddressInfo).port} NAME=${hostname()}`,
        'export PORT CLOSED RAW NAME',
        ...NETWORK_CASES.map(({ name, command }) => `(${command}) >out.txt 2>&1 && echo "${name}" >>escaped.txt`),
        'curl -s -m 10 "http://127.0.0.1:$PORT/allowed" >>allowed.txt',
        `rm -f out.txt; echo end >>escaped.txt; ${FIX}`,
      ].join('\n');
      const settings = `sandbox: require\nnetwork:\n  allow: ["127.0.0.1:${port}", "${hostname()}"]\n`;
      const { scratch, agent } = await makeContained(settings, script);
      await using shop = scratch;
      put(join(shop.home, 'network', 'other-1-1', 'proxy.sock'), '');
      const { finished, run } = await work(shop, agent);
      expect([finished.code, run.status], finished.stderr).toEqual([0, 'done']);
      succeeded = landed(shop, 'escaped.txt')
        .split('\n')
        .filter((line) => line !== 'end');
      expect(landed(shop, 'allowed.txt')).toBe('canary-answer');
      [{ network, containment } = { network: undefined, containment: undefined }] = run.tasks;
      expect(await shop.leftovers()).toEqual([]);
      expect(readdirSync(join(shop.home, 'network')).sort()).toEqual(['other-1-1', 'proxy.log']);
    });

    test.each(NETWORK_CASES.map(({ name }) => name))('that %s does not succeed', (name) => {
      expect(succeeded).not.toContain(name);
    });

    test('has its requests counted by host, and is recorded as contained', () => {
      expect(reached.filter((line) => line.startsWith('unlisted'))).toEqual([]);
      expect(containment?.[0]?.parts?.network).toEqual({ contained: true, how: expect.stringContaining('list') });
      const hosts = Object.fromEntries((network?.[0]?.hosts ?? []).map((each) => [each.host, each]));
      expect(hosts['169.254.169.254']).toMatchObject({ refused: hosts['169.254.169.254']?.requests });
      expect(hosts[`127.0.0.1:${port}`]?.refused).toBe(0);
      expect(hosts[`127.0.0.1:${port}`]?.requests).toBeGreaterThan(0);
    });
  });

  test('checks have only their own loopback, which the report of a red base says, with the setting that changes it', async () => {
    const check = `curl -sS -m 5 http://127.0.0.1:${port}/from-check && sh check.sh`;
    const { scratch, agent } = await makeContained('', FIX, { check });
    await using shop = scratch;
    const before = reached.length;
    const { run } = await work(shop, agent);
    expect(run.status).not.toBe('done');
    expect(reached.length).toBe(before);
    expect(JSON.stringify(run)).toContain('network.allow');

    put(join(shop.root, '.config', 'manyhands', 'config.yaml'), `network: { allow: ["127.0.0.1:${port}"] }\n`);
    const second = await work(shop, agent);
    expect([second.run.status, reached.slice(before).includes('listed /from-check')]).toEqual(['done', true]);
    const requests = reached.slice(before).length;
    expect(second.run.network).toEqual([
      { purpose: 'setup', hosts: [] },
      { purpose: 'check', hosts: [{ host: `127.0.0.1:${port}`, requests, refused: 0 }] },
    ]);
  });

  test('a key stays outside: the agent holds a placeholder, and the proxy adds the key for its own address only', async () => {
    const script = [
      'curl -s -m 10 -H "x-api-key: $ANTHROPIC_API_KEY" "$ANTHROPIC_BASE_URL/v1/messages" >answer.txt',
      `curl -s -m 10 -H "x-api-key: $ANTHROPIC_API_KEY" "http://127.0.0.1:${port}/direct" >>answer.txt`,
      'env >seen.txt; tr "\\0" "\\n" </proc/1/environ >>seen.txt; cat /proc/*/cmdline >>seen.txt',
      'grep -qs real-key-of-the-person seen.txt && echo found >>answer.txt; rm -f seen.txt',
      FIX,
    ].join('\n');
    const { scratch } = await makeContained('', script);
    await using shop = scratch;
    const variables = `{ ANTHROPIC_API_KEY: real-key-of-the-person, ANTHROPIC_BASE_URL: "http://127.0.0.1:${port}/base" }`;
    const command = join(shop.root, 'programs', 'agent.sh');
    const settings = `agents: { mine: { kind: command, command: ${command}, env: ${variables} } }\nsandbox: require\n`;
    put(join(shop.root, '.config', 'manyhands', 'config.yaml'), settings);
    const before = reached.length;
    const { finished, run } = await work(shop, 'mine');
    expect([finished.code, run.status], finished.stderr).toEqual([0, 'done']);
    expect(reached.slice(before)).toEqual([
      'listed /base/v1/messages real-key-of-the-person',
      expect.stringMatching(/^listed \/direct mh-placeholder-/),
    ]);
    expect(landed(shop, 'answer.txt')).not.toContain('found');
    expect(run.tasks[0]?.containment?.[0]?.login).toBe('outside');
  });

  test.runIf(TESTS_ALL)(
    "hosts of a project's file count once it is trusted by its hash, and never addresses",
    async () => {
      const limits = `attempts: 1 }\nnetwork: { mode: open, allow: ["${hostname()}", "127.0.0.1:${secretPort}"] }\n#`;
      const script = `curl -s -m 5 "http://127.0.0.1:${secretPort}/project" >>reached.txt; curl -s -m 5 --noproxy '*' "http://127.0.0.1:${secretPort}/project"; env | grep -i http_proxy >>reached.txt; ${FIX}`;
      const { scratch, agent } = await makeContained('', script, { limits });
      await using shop = scratch;
      const { finished, run } = await work(shop, agent);
      expect([finished.code, run.status], finished.stderr).toEqual([0, 'done']);
      expect(finished.stderr).toMatch(
        /network\.allow of .*has no effect.*trust: \{ \.manyhands\/config\.yaml: [0-9a-f]{64} \}/,
      );
      expect(landed(shop, 'reached.txt')).toContain('http://127.0.0.1:61080');
      expect(reached.filter((line) => line.includes('/project'))).toEqual([]);
      expect(readFileSync(join(shop.root, 'project', '.manyhands', 'config.yaml'), 'utf8')).toContain('mode: open');
    },
  );

  test.runIf(TESTS_ALL)(
    'with network.mode open everything is as without rules, and require refuses with the setting',
    async () => {
      const { scratch, agent } = await makeContained(
        'network: { mode: open }\n',
        `curl -s -m 5 http://127.0.0.1:${secretPort}/open >o.txt; ${FIX}`,
      );
      await using shop = scratch;
      const { run } = await work(shop, agent);
      expect([run.status, run.tasks[0]?.containment?.[0]?.missing]).toEqual([
        'done',
        expect.arrayContaining(['network']),
      ]);
      expect(reached).toContain('unlisted /open');
      put(join(shop.root, '.config', 'manyhands', 'config.yaml'), 'sandbox: require\nnetwork: { mode: open }\n');
      const refused = await shop.mh(['job', 'x', '--agent', agent, '--json'], { env });
      expect([refused.code, refused.json]).toEqual([
        3,
        {
          error: expect.objectContaining({
            code: 'SANDBOX_UNAVAILABLE',
            message: expect.stringContaining('network.mode'),
          }),
        },
      ]);
    },
  );
  test('an application reaches nothing outside of its sandbox; its verifier and a preview reach it', async () => {
    const feature = { id: 1, category: 'x', name: 'Add', description: 'Add', steps: ['it answers'], status: 'open' };
    const application = [
      "import { createServer } from 'node:http';",
      `const outside = () => fetch('http://127.0.0.1:${secretPort}/from-application').then(() => 'reached', () => 'alone');`,
      'createServer(async (_, response) => response.end(await outside())).listen(process.env.PORT, process.env.HOST);',
    ].join('\n');
    const files = { 'application.mjs': application, 'features.json': JSON.stringify({ features: [feature] }) };
    const script = [
      `if [ "$MANYHANDS_ROLE" != verify ]; then ${FIX}; exit 0; fi`,
      'if [ "$(curl -s -m 10 "$APP_URL")" = alone ]; then echo "STEP 1: PASS"; else echo "STEP 1: FAIL"; fi',
    ].join('\n');
    const limits = 'attempts: 1 }\nverify: { start: "node application.mjs", maxAttempts: 1 }\n#';
    const own = await listen('own');
    await new Promise<void>((done) => servers.pop()?.close(done));
    const settings = `sandbox: require\nports: { from: ${own}, to: ${own} }\n`;
    const { scratch, agent } = await makeContained(settings, script, { check: 'true', limits, files });
    await using shop = scratch;
    const ended = await shop.mh(['run', 'features.json', '--agent', agent, '--json'], { env });
    expect([ended.code, RunDocument.parse(ended.json).status], ended.stderr).toEqual([0, 'done']);
    const preview = shop.start(['preview', 'feature/1'], { env });
    await preview.received('Ctrl-C ends it');
    expect(await (await fetch(`http://127.0.0.1:${own}/`)).text()).toBe('alone');
    preview.kill('SIGINT');
    await preview.done;
    expect(reached.filter((line) => line.includes('/from-application'))).toEqual([]);
    expect(await shop.leftovers()).toEqual([]);
  });

  test.runIf(TESTS_ALL)('set-up commands reach a registry that the person names, and npm uses it', async () => {
    const packument = {
      name: 'left-pad',
      'dist-tags': { latest: '1.3.0' },
      versions: { '1.3.0': { name: 'left-pad', version: '1.3.0' } },
    };
    const registry = createServer((message, response) => {
      reached.push(`registry ${message.url}`);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(packument));
    });
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
    servers.push(registry);
    const own = (registry.address() as AddressInfo).port;
    const limits =
      'attempts: 1 }\nworkspace: { setup: ["mkdir -p node_modules && npm view left-pad version --fetch-retries 0 >node_modules/version"] }\n#';
    const files = { '.npmrc': `registry=http://127.0.0.1:${own}/\n` };
    const check = 'grep -q 1.3.0 node_modules/version && sh check.sh';
    const { scratch, agent } = await makeContained(
      `sandbox: require\nnetwork: { allow: ["127.0.0.1:${own}"] }\n`,
      FIX,
      { check, limits, files },
    );
    await using shop = scratch;
    const { finished, run } = await work(shop, agent);
    expect([finished.code, run.status], finished.stderr).toEqual([0, 'done']);
    expect(reached).toContain('registry /left-pad');
  });

  test.runIf(TESTS_ALL)(
    'an engine that is killed while an agent uses the proxy leaves both, and the next one adopts them',
    async () => {
      const script = `for n in 1 2 3 4 5 6 7 8; do curl -s -m 10 "http://127.0.0.1:${port}/step-$n" >>steps.txt || echo lost >>steps.txt; sleep 1; done; ${FIX}`;
      const { scratch, agent } = await makeContained(
        `sandbox: require\nnetwork: { allow: ["127.0.0.1:${port}"] }\n`,
        script,
      );
      await using shop = scratch;
      const first = shop.start(['job', 'x', '--agent', agent], { env });
      await first.received('agent works');
      while (!reached.includes('listed /step-1')) await new Promise((done) => setTimeout(done, 50));
      first.kill('SIGKILL');
      await first.done;
      const resumed = await shop.mh(['resume', '--json'], { env });
      const [run] = RunDocument.array().length(1).parse(resumed.json);
      expect([resumed.code, run?.tasks[0]?.attempts], resumed.stderr).toEqual([0, 1]);
      expect(landed(shop, 'steps.txt')).not.toContain('lost');
      expect(run?.tasks[0]?.network?.[0]?.hosts).toEqual([{ host: `127.0.0.1:${port}`, requests: 8, refused: 0 }]);
      expect(await shop.leftovers()).toEqual([]);
    },
  );
});
