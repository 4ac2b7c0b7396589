import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runStream } from '../../src/schema/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { McpClient } from '../support/mcp-client.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));

const SCENARIO = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 0 } }
      - say: I wait for the colour
  - role: implement
    steps:
      - edit: { path: a.test.txt, write: "x" }
      - run: grep -x blue "$MANYHANDS_PROMPT_FILE" > colour.txt
        expect: pass
      - say: done
`;

function assistantIn(project: Scratch): McpClient {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: project.root,
    MANYHANDS_HOME: project.home,
    MANYHANDS_BWRAP: '',
  };
  return new McpClient([process.execPath, LAUNCHER, 'mcp'], { cwd: project.repo, env });
}

type Compact = { cursor: string; status: string; recommended: { action: string } };

/** Polls as the skill teaches it, until something is to be done. */
async function poll(assistant: McpClient, run: string): Promise<Compact> {
  let after: { after?: string } = {};
  for (;;) {
    const { value } = await assistant.call('compact_run', { run, waitSeconds: 20, ...after });
    const compact = value as Compact;
    if (compact.recommended.action !== 'wait') return compact;
    after = { after: compact.cursor };
  }
}

async function actors(project: Scratch, run: string): Promise<unknown[]> {
  await using store = await openSqliteStore({ file: join(project.home, 'manyhands.db'), world: realWorld });
  return store.read(runStream(run)).flatMap(({ type, origin }) => (origin === undefined ? [] : [[type, origin.actor]]));
}

describe('an assistant with operator tools', () => {
  it('does a whole job: starts, polls, answers, verifies, may land only when allowed, and never is the engine', async () => {
    await using project = await makeScratch({ files: { 'a.txt': 'one\n' }, check: 'test -e a.txt' });
    const scenario = join(project.root, 'scenario.yaml');
    writeFileSync(scenario, SCENARIO);
    await using assistant = assistantIn(project);
    expect(await assistant.initialize()).toMatchObject({ serverInfo: { name: 'manyhands', version: VERSION } });
    const started = await assistant.call('start_run', {
      recipe: 'job',
      input: { task: 'work', write: true },
      options: { rehearse: true, scenario },
    });
    const { run } = started.value as { run: string };
    const engine = JSON.parse((await project.mh(['where', '--json'])).stdout);
    expect(JSON.stringify(engine)).not.toContain(`"pid":${assistant.pid}`);

    expect((await poll(assistant, run)).recommended.action).toBe('answer');
    const [question] = (await assistant.call('list_questions', { run })).value as { question: string }[];
    await assistant.call('answer_question', { run, question: question?.question, answer: 'blue' });
    expect((await poll(assistant, run)).recommended.action).toBe('land');
    expect((await assistant.call('verify_run', { run })).isError).toBe(false);
    expect((await assistant.call('diff_run', { run })).text).toContain('colour.txt');

    const refused = await assistant.call('land_run', { run });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('ASSISTANT_REFUSED')]);
    const granted = await assistant.call('set_setting', { scope: 'user', key: 'assistant.decide', value: 'true' });
    expect(granted.text).toContain('ASSISTANT_REFUSED');
    const hasty = { recipe: 'job', input: { task: 'x' }, options: { land: 'merge' } };
    expect((await assistant.call('start_run', hasty)).text).toContain('ASSISTANT_REFUSED');
    await project.mh(['config', 'set', '--global', 'assistant.decide', 'true']);
    expect((await assistant.call('land_run', { run })).isError).toBe(false);
    expect(project.git('show', 'main:colour.txt')).toBe('blue');

    const actor = { kind: 'assistant', name: 'test-assistant', person: expect.any(String) };
    expect(await actors(project, run)).toEqual(
      expect.arrayContaining([
        ['run.started', actor],
        ['task.answered', actor],
        ['run.call-refused', actor],
        ['run.landed', actor],
      ]),
    );
    await project.mh(['stop']);
  });

  it('is refused inside an attempt', async () => {
    await using project = await makeScratch({ files: { 'a.txt': 'one\n' } });
    const { code, stderr } = await project.mh(['mcp'], { env: { MANYHANDS_TOKEN: 'x', MANYHANDS_ATTEMPT: 'a-1-1' } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('inside an attempt')]);
  });
});
