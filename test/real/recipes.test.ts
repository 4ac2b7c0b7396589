import { afterAll, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { WatchDocument } from '../../src/schema/watch/watch-round.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

const EVIDENCE = 'hello.txt:1';
const AGREES = ['P1', 'P2'].map((point) => ({ point, stance: 'agree', evidence: EVIDENCE }));
const STEP = { step: 1, result: 'pass', note: 'done.txt is there' };
const SPOT = {
  title: 'Nothing is done',
  category: 'other',
  description: 'done.txt is missing.',
  measure: { command: 'ls done.txt 2>/dev/null | wc -l', metric: 'number', better: 'higher' },
  value: 'high',
  effort: 'low',
};
const PROPOSAL = {
  title: 'The greeting names nobody',
  category: 'documentation',
  description: '',
  file: 'hello.txt',
  line: 1,
  evidence: EVIDENCE,
  confidence: 0.9,
};

/** What a model answers in each phase of a recipe, by the text of its prompt; undefined where it writes. */
const ANSWERS: readonly [RegExp, (match: RegExpExecArray) => object][] = [
  [
    /You answer a person who owns[\s\S]*/,
    ([text]) => ({ text: text.includes('Why so?') ? 'Readers like it.' : 'A name.' }),
  ],
  [/second pair of eyes/, () => ({ verdict: 'confirmed', evidence: EVIDENCE, confidence: 0.8 })],
  [/You watch this repository/, () => ({ proposals: [PROPOSAL], summary: 'One.' })],
  [/Find what is worth improving/, () => ({ spots: [SPOT], summary: 'One.' })],
  [/You make one plan of what/, () => ({ summary: 'Do it.', steps: [{ title: 'Write done.txt', points: ['P1'] }] })],
  [/Review the result of|Vote\. The points/, () => ({ position: 'So it is.', points: [], answers: AGREES, gaps: [] })],
  [
    /You take part in a team as (\w+)/,
    ([, role]) => ({
      position: 'It is missing.',
      points: [{ claim: `${role} finds it missing`, evidence: EVIDENCE }],
      answers: [],
      gaps: [],
    }),
  ],
  [
    /You are side (\w) of a debate, in round 1/,
    ([, side]) => ({
      position: 'It is missing.',
      verdict: 'disagree',
      answers: [],
      points: [{ claim: `${side} finds it missing`, evidence: EVIDENCE }],
    }),
  ],
  [/of a debate, in round/, () => ({ position: 'Yes.', verdict: 'agree', answers: AGREES, points: [] })],
  [
    /You plan milestones towards a goal/,
    () => ({
      milestones: [{ title: 'Done', description: 'done.txt exists', check: 'test -e done.txt' }],
      summary: 'One milestone.',
    }),
  ],
  [/You find out which milestones/, () => ({ steps: [STEP], findings: [], summary: 'Reached.' })],
];

function answerTo({ lastUser, prompt }: RecordedRequest): object | undefined {
  for (const text of [lastUser, prompt])
    for (const [pattern, answer] of ANSWERS) {
      const match = pattern.exec(text);
      if (match !== null) return answer(match);
    }
  return undefined;
}

/** It hands over its output once for each prompt of a conversation. */
function claudeModel(): (request: RecordedRequest) => Step {
  const answered = new Set<string>();
  return (request) => {
    const output = answerTo(request);
    const isDone = answered.has(request.lastUser);
    if (isDone || output === undefined || !request.tools.includes('StructuredOutput')) return { say: 'Done.' };
    answered.add(request.lastUser);
    return { call: [{ name: 'StructuredOutput', args: Object.fromEntries(Object.entries(output)) }] };
  };
}

function codexModel(request: RecordedRequest): Step {
  const output = answerTo(request);
  if (output !== undefined) return { say: JSON.stringify(output) };
  if (request.turn > 0) return { say: 'It is done.' };
  return { call: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: done.txt\n+done\n*** End Patch\n' }] };
}

await describeWith(['claude', 'codex'], 'autonomous recipes with real agents', (path) => {
  let runs = 0;

  async function makeProject(prefer = {}): Promise<{ scratch: Scratch; env: Record<string, string> }> {
    runs += 1;
    const claude = server.scenario(`recipe-claude-${runs}`, claudeModel());
    const codex = server.scenario(`recipe-codex-${runs}`, codexModel);
    const config = {
      agents: {
        claude: {
          kind: 'claude',
          command: path('claude'),
          env: { IS_SANDBOX: '1', ...server.proxyEnv },
          model: 'claude-sonnet-4-5',
        },
        codex: {
          kind: 'codex',
          command: path('codex'),
          args: codexProvider(codex),
          env: { SCRIPTED_KEY: 'test-key', ...server.proxyEnv },
          model: 'gpt-5.5',
        },
      },
      routing: {
        order: ['claude', 'codex'],
        prefer: { implement: ['codex'], testing: ['codex'], ...prefer },
        fallback: false,
      },
      checks: ['test -e hello.txt'],
      limits: { attempts: 1, retryDelaySeconds: 0 },
    };
    const scratch = await makeScratch({
      parent: HOMES,
      files: { 'hello.txt': 'hello\n', '.manyhands/config.yaml': JSON.stringify(config) },
    });
    return { scratch, env: { ANTHROPIC_BASE_URL: claude, ANTHROPIC_API_KEY: 'test-key', CODEX_API_KEY: 'test-key' } };
  }

  async function run(args: string[]): Promise<RunDocument> {
    const { scratch, env } = await makeProject();
    await using project = scratch;
    const ended = await project.mh([...args, '--json'], { env });
    const document = RunDocument.parse(ended.json);
    const failed = document.tasks.filter(({ status }) => status !== 'done').map(({ key, reason }) => [key, reason]);
    expect([ended.code, document.status, failed], ended.stderr).toEqual([0, 'done', []]);
    expect(new Set(document.tasks.map(({ agent }) => agent))).toEqual(new Set(['claude', 'codex']));
    expect(await project.leftovers()).toEqual([]);
    return document;
  }

  it('reaches a milestone in a cycle', async () => {
    const { progress } = await run(['cycle', 'Make done.txt']);
    expect(progress?.points).toMatchObject([{ status: 'done' }]);
  });

  it('debates to an agreement', async () => {
    const { progress } = await run(['debate', 'What is missing?']);
    expect(progress?.stop).toBe('agreed after 2 rounds');
  });

  it('examines a task as a team', async () => {
    const { result } = await run(['team', 'Add what is missing', '--roles', 'requirements,testing']);
    expect(result).toContain('## Agreements\n\n- **P1**');
  });

  it('improves what a command shows', async () => {
    const { progress } = await run(['improve', '--yes']);
    expect(progress?.points).toMatchObject([{ status: 'done', evidence: '0 before, 1 after (higher is better)' }]);
  });

  it('watches, and shows what a second agent confirmed', async () => {
    const { scratch, env } = await makeProject();
    await using project = scratch;
    const watcher = project.start(['watch', '--no-pull-requests'], { env });
    for (let shown: WatchDocument | undefined; shown?.proposals.length !== 1; ) {
      shown = WatchDocument.parse((await project.mh(['watch', 'show', '--json'], { env })).json);
      if (shown.proposals.length === 0 && shown.round > 0 && shown.running === null) break;
    }
    const stopped = WatchDocument.parse((await project.mh(['watch', 'stop', '--json'], { env })).json);
    await watcher.done;
    expect(stopped.proposals).toMatchObject([{ id: 'p1', file: 'hello.txt', line: 1, confirmation: EVIDENCE }]);
    expect(stopped.spentToday).toBeGreaterThan(0);
  });

  it.each(['claude', 'codex'])('continues a discussion in the session of %s', async (agent) => {
    const { scratch, env } = await makeProject({ discuss: [agent] });
    await using project = scratch;
    await project.mh(['watch', 'reply', 'What is missing?'], { env });
    const watcher = project.start(['watch', '--no-pull-requests'], { env });
    await watcher.received('round 1 ended');
    const first = WatchDocument.parse((await project.mh(['watch', 'show', '--json'], { env })).json).discussions;
    await project.mh(['watch', 'reply', 'd1', 'Why so?'], { env });
    await watcher.received('round 2 ended');
    const stopped = WatchDocument.parse((await project.mh(['watch', 'stop', '--json'], { env })).json).discussions;
    await watcher.done;
    expect(stopped.map(({ messages }) => messages.map(({ by, text }) => [by, text]))).toEqual([
      [
        ['person', 'What is missing?'],
        ['agent', 'A name.'],
        ['person', 'Why so?'],
        ['agent', 'Readers like it.'],
      ],
    ]);
    expect(stopped[0]?.session).toEqual({ agent, account: null, id: first[0]?.session?.id });
    const request = server.requests(`recipe-${agent}-${runs}`).find(({ lastUser }) => lastUser.includes('Why so?'));
    expect(request?.turn).toBeGreaterThan(0);
  });
});
