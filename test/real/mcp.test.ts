import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { run } from '../../src/process/run.ts';
import { openServer } from '../http/open-test-server.ts';
import { appears } from '../support/appears.ts';
import { Follower, openCaller } from '../support/caller.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const PROGRAM_MS = 60_000;
const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));
const AGENT_TOOLS = fileURLToPath(new URL('../../dist/agent-tools.js', import.meta.url));

/**
 * The scenarios of the protocol itself. The others need tools, prompts, resources, sampling or elicitation of the suite's
 * own fixture server (test_simple_text, test_error_handling ...), or features that we do not declare (logging, completion).
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
];

/** Says where its tools are, and waits until that is removed. */
const AGENT = `#!/bin/sh
cat > /dev/null
echo "$MANYHANDS_TOOLS" > "$HOME/tools.new" && mv "$HOME/tools.new" "$HOME/tools"
while [ -e "$HOME/tools" ]; do sleep 0.05; done
echo done > made.txt
`;

await describeWith(['mcp-conformance'], 'the conformance suite of MCP', (path) => {
  it.each(SCENARIOS)('passes on /mcp: %s', async (scenario) => {
    await using endpoint = await openEndpoint();
    const args = [path('mcp-conformance'), 'server', '--url', endpoint.url, '--scenario', scenario];
    const command = [process.execPath, ...args];
    const { code, stdout } = await run(command, { cwd: endpoint.folder, env: endpoint.env, timeoutMs: PROGRAM_MS });
    expect([code, String(stdout)]).toEqual([0, expect.stringContaining(' 0 failed')]);
  });
});

await describeWith(['mcp-inspector'], 'the inspector of MCP', (path) => {
  const inspect = async (project: Scratch, server: readonly string[], call: readonly string[]) => {
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      HOME: project.root,
      MANYHANDS_HOME: project.home,
      MANYHANDS_BWRAP: '',
    };
    const command = [process.execPath, path('mcp-inspector'), '--cli', process.execPath, ...server, ...call];
    const { stdout } = await run(command, { cwd: project.repo, env, timeoutMs: PROGRAM_MS });
    return JSON.parse(String(stdout));
  };

  it("lists and calls the tools of a person's assistant", async () => {
    await using project = await makeScratch({ parent: HOMES, files: { 'a.txt': 'one\n' } });
    const { tools } = await inspect(project, [LAUNCHER, 'mcp'], ['--method', 'tools/list']);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('start_run');
    const call = ['--method', 'tools/call', '--tool-name', 'list_recipes'];
    const { content } = await inspect(project, [LAUNCHER, 'mcp'], call);
    expect(content[0].text).toContain('"job"');
  });

  it('lists and calls the tools of an agent', async () => {
    const settings = 'agents:\n  hand: { kind: command, command: ./agent.sh }\n';
    await using project = await makeScratch({
      parent: HOMES,
      files: { 'agent.sh': AGENT, '.manyhands/config.yaml': settings },
    });
    await using caller = await openCaller(project);
    await using follower = new Follower(caller);
    const options = { dir: project.repo };
    const { run: id } = await caller.call('start-run', { recipe: 'job', input: { task: 'work' }, options });
    const toolsFile = join(project.root, 'tools');
    await appears(toolsFile);
    const server = [AGENT_TOOLS, readFileSync(toolsFile, 'utf8').trim()];
    const { tools } = await inspect(project, server, ['--method', 'tools/list']);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('write_note');
    const call = ['--method', 'tools/call', '--tool-name', 'write_note', '--tool-arg', 'key=a', '--tool-arg', 'text=b'];
    expect((await inspect(project, server, call)).isError).not.toBe(true);
    rmSync(toolsFile);
    await follower.run((each) => each.run === id && each.endedAt !== null);
  });
});

type Endpoint = AsyncDisposable & { url: string; folder: string; env: Record<string, string> };

/** The server behind a proxy that logs in, because the suite cannot; Host and Origin are passed on. */
async function openEndpoint(): Promise<Endpoint> {
  const proxy = createServer();
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const server = await openServer({ names: [`localhost:${port}`, `127.0.0.1:${port}`] });
  proxy.on('request', (incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${server.tokens.operator}` };
    const target = { host: '127.0.0.1', port: server.port, method: incoming.method, path: incoming.url, headers };
    const passed = request(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  const close = async () => {
    proxy.close();
    proxy.closeAllConnections();
    await server[Symbol.asyncDispose]();
  };
  const env = { PATH: dirname(process.execPath), HOME: server.folder };
  return { url: `http://localhost:${port}/mcp`, folder: server.folder, env, [Symbol.asyncDispose]: close };
}
