import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { unpackedBrowser } from '../support/unpacked-browser.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

/** A file of the user's that nothing of ours may touch. */
const MCP_JSON = '{ "mcpServers": { "mine": { "command": "true" } } }\n';
const SITE = `import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(readFileSync('page.html'));
}).listen(process.env.PORT, '127.0.0.1');
`;
const STEPS = ['There is a button Buy', 'A click on it says Bought'];
const FEATURES = [{ id: 1, category: 'ui', name: 'Buy', description: 'Let people buy.', steps: STEPS, status: 'open' }];
const HAND = '#!/bin/sh\ncat > /dev/null\ncp "$HOME/page.html" page.html\n';
/** No sandbox within the sandbox of a test, no graphics, nobody to call. */
const HEADLESS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** What the browser's tools have answered so far, as the model was told it. */
function seenBy(name: string): string {
  return JSON.stringify(server.requests(name).findLast(({ isAside }) => !isAside)?.body ?? '');
}

function tool(name: string, args: Record<string, unknown>): Step {
  return { call: [{ name: `mcp__chrome-devtools__${name}`, args }] };
}

/** A model that clicks through the page and believes only what the browser shows. */
function visitor(name: string): (request: RecordedRequest) => Step {
  return ({ prompt, turn }) => {
    switch (turn) {
      case 0:
        return tool('list_pages', {});
      case 1:
        return tool('navigate_page', {
          pageId: 1,
          type: 'url',
          url: /http:\/\/127\.0\.0\.1:\d+/.exec(prompt)?.[0] ?? '',
        });
      case 2:
        return tool('take_snapshot', { pageId: 1 });
      case 3:
        return tool('click', {
          pageId: 1,
          uid: /uid=(\w+) button/.exec(seenBy(name))?.[1] ?? 'none',
          includeSnapshot: true,
        });
      case 4:
        return { call: [{ name: 'StructuredOutput', args: verdictOn(seenBy(name)) }] };
      default:
        return { say: 'Done.' };
    }
  };
}

function verdictOn(seen: string) {
  const results = [/uid=\w+ button \W*Buy/, /uid=\w+ \W*Bought/].map((pattern) => pattern.test(seen));
  const steps = results.map((holds, index) => ({ step: index + 1, result: holds ? 'pass' : 'fail', note: 'Seen.' }));
  return { steps, summary: 'Clicked through it.' };
}

await describeWith(['claude', 'chrome-devtools-mcp', 'chromium'], 'a verifier with a browser', (path) => {
  let runs = 0;

  async function makeProject(page: string): Promise<{ scratch: Scratch; env: Record<string, string>; name: string }> {
    runs += 1;
    const name = `browser-${runs}`;
    const program = await unpackedBrowser(path('chromium'));
    const args = ['--no-performance-crux', '--no-usage-statistics', '--headless', '--isolated'];
    const chrome = ['--executablePath', program, ...HEADLESS.map((flag) => `--chromeArg=${flag}`)];
    const config = {
      agents: {
        hand: { kind: 'command', command: '../hand.sh' },
        claude: {
          kind: 'claude',
          command: path('claude'),
          env: { IS_SANDBOX: '1', ...server.proxyEnv },
          model: 'claude-sonnet-4-5',
        },
      },
      routing: { order: ['hand', 'claude'], fallback: false },
      limits: { attempts: 1, retryDelaySeconds: 0 },
      checks: ['test -e site.mjs'],
      verify: {
        agent: 'claude',
        start: 'node site.mjs',
        maxAttempts: 1,
        browser: { enabled: true, command: path('chrome-devtools-mcp'), args: [...args, ...chrome] },
      },
    };
    const scratch = await makeScratch({
      parent: HOMES,
      files: {
        'site.mjs': SITE,
        'page.html': '<h1>Shop</h1>',
        'features.json': JSON.stringify(FEATURES, null, 2),
        '.mcp.json': MCP_JSON,
        '.manyhands/config.yaml': JSON.stringify(config),
      },
    });
    writeFileSync(join(scratch.root, 'hand.sh'), HAND, { mode: 0o755 });
    writeFileSync(join(scratch.root, 'page.html'), page);
    const env = { ANTHROPIC_BASE_URL: server.scenario(name, visitor(name)), ANTHROPIC_API_KEY: 'test-key' };
    return { scratch, env, name };
  }

  it('tests the running application in a browser, and the result decides', { timeout: 600_000 }, async () => {
    const { scratch, env, name } = await makeProject(
      `<h1>Shop</h1><button onclick="this.nextSibling.textContent = 'Bought'">Buy</button><p>Nothing yet</p>`,
    );
    await using project = scratch;
    const ended = await project.mh(['run', 'features.json', '--json'], { env });
    const run = RunDocument.parse(ended.json);
    expect([ended.code, run.status], `${run.reason} ${seenBy(name).slice(-3_000)}`).toEqual([0, 'done']);
    expect(run.tasks.map(({ role, agent }) => [role, agent])).toEqual([
      ['implement', 'hand'],
      ['verify', 'claude'],
    ]);
    expect(readFileSync(join(project.repo, '.mcp.json'), 'utf8')).toBe(MCP_JSON);
    expect(project.git('show', 'ai-develop:.mcp.json')).toBe(MCP_JSON.trim());
    expect(project.git('status', '--porcelain').trim()).toBe('M features.json');
    expect(await project.leftovers()).toEqual([]);
  });

  it('lands nothing that fails in the browser', { timeout: 600_000 }, async () => {
    const { scratch, env } = await makeProject('<h1>Shop</h1><button>Buy</button><p>Nothing yet</p>');
    await using project = scratch;
    const ended = await project.mh(['run', 'features.json', '--json'], { env });
    const run = RunDocument.parse(ended.json);
    expect([ended.code, run.status]).toEqual([1, 'failed']);
    const report = run.tasks[0]?.evidence.find(({ gate }) => gate === 'verify')?.output;
    expect(report).toMatch(/STEP 1: PASS[\s\S]*STEP 2: FAIL/);
    expect(project.git('branch', '--list', 'ai-develop')).toBe('');
    expect(await project.leftovers()).toEqual([]);
  });
});
