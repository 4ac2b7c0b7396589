import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { judgeSteps } from '../../../src/core/land/steps.ts';
import { loadRole, roleNames } from '../../../src/roles/load.ts';
import { renderPrompt } from '../../../src/roles/prompt.ts';
import { AnalysisOutput, PlanOutput, ReviewOutput } from '../../../src/schema/output.ts';
import { agentContract, type Behaviour } from '../../contracts/agent.ts';
import { makeAssignment, performAttempt } from '../../contracts/attempt.ts';
import { makeRehearsalFixture } from './rehearsal-attempt.ts';

const fixture = await makeRehearsalFixture();
afterAll(fixture.close);

const BEHAVIOURS: Record<Behaviour, unknown[]> = {
  prompt: [{ run: 'cp "$MANYHANDS_PROMPT_FILE" prompt.txt', expect: 'pass' }],
  environment: [{ run: `node -e 'fs.writeFileSync("environment.json", JSON.stringify(process.env))'`, expect: 'pass' }],
  says: [{ say: 'hello' }],
  output: [{ output: { not: 'last' } }, { output: { answer: 42 } }],
  fails: [{ output: { answer: 42 } }, { exit: 3 }],
  uses: [{ use: { costUsd: 0.2, inputTokens: 4, outputTokens: 5 } }, { use: { costUsd: 0.3, inputTokens: 6 } }],
  hangs: [{ say: 'started' }, { sleep: 80_000_000 }],
};

agentContract('rehearsal', async (behaviour) => {
  return fixture.agent(await fixture.scenario({ plays: [{ steps: BEHAVIOURS[behaviour] }] }));
});

it('finds its scenario in the folder of its attempt, because a sandbox shows no other', async () => {
  const { assignment } = await makeAssignment({});
  const { command } = await fixture
    .agent(await fixture.scenario({ plays: [] }))
    .command(assignment)
    .then(async (started) => ({
      command: JSON.parse(started.env.MANYHANDS_REHEARSAL ?? '{}'),
    }));
  expect(command.scenario).toBe(join(assignment.folder, 'scenario.yaml'));
  expect(await readFile(command.scenario, 'utf8')).toContain('plays');
});

describe('the end of a rehearsal', () => {
  it('without a result is a crash, whatever the exit code is', async () => {
    await using made = await makeAssignment();
    const reader = fixture.agent().reader(made.assignment);
    reader.line('stdout', '{"type":"text","text":"half"}');
    expect(reader.end({ kind: 'exited', code: 0 }).failure?.kind).toBe('crashed');
  });

  it('is its result, even if it was stopped after it', async () => {
    await using made = await makeAssignment();
    const reader = fixture.agent().reader(made.assignment);
    reader.line('stdout', '{"type":"result","isError":false,"text":"done","output":{"a":1}}');
    const result = reader.end({ kind: 'interrupted' });
    expect(result).toMatchObject({ text: 'done', output: { a: 1 } });
    expect(result).not.toHaveProperty('failure');
  });
});

describe('a script', () => {
  it('is the first that matches role, task, title, agent and attempt', async () => {
    await using made = await makeAssignment({}, '# Write the first note\n\nDo it.\n');
    const say = (text: string) => [{ say: text }];
    const scenario = await fixture.scenario({
      plays: [
        { role: ['plan', 'review'], steps: say('role') },
        { task: 'implement/2.*', steps: say('task') },
        { title: '*second*', steps: say('title') },
        { agent: 'ada', steps: say('agent') },
        { attempt: 1, steps: say('attempt') },
        { role: 'impl*', task: 'implement/*', title: 'Write*note', agent: 'grace', attempt: 2, steps: say('fits') },
        { steps: say('too late') },
      ],
    });
    const { result } = await performAttempt(fixture.agent(scenario, 'grace'), made.assignment);
    expect(result.text).toBe('fits');
  });

  it('with a broken scenario is a failure of the environment that names file and line', async () => {
    await using made = await makeAssignment();
    const scenario = join(made.root, 'scenario.yaml');
    await writeFile(scenario, 'plays:\n  - steps:\n      - shout: x\n');
    const agent = fixture.agent(scenario);
    expect(await agent.available()).toMatchObject({ ok: false, detail: expect.stringContaining('scenario.yaml:3') });
    const { result } = await performAttempt(agent, made.assignment);
    expect(result.failure).toMatchObject({ kind: 'environment', message: expect.stringContaining('scenario.yaml:3') });
  });
});

describe('without a script', () => {
  async function improvised(name: string) {
    const role = await loadRole(name);
    const prompt = renderPrompt(role, {
      title: 'Make it better',
      goal: 'Make everything better\nand more',
      task: 'Do',
    });
    const made = await makeAssignment(
      { role: name, access: role.access, ...(role.output === undefined ? {} : { outputSchema: role.output }) },
      prompt,
    );
    return { ...made, role, ...(await performAttempt(fixture.agent(), made.assignment)) };
  }

  it('plans two tasks side by side and one that needs both, about the goal', async () => {
    await using performed = await improvised('plan');
    const plan = PlanOutput.parse(performed.result.output);
    expect(plan.tasks.map(({ needs }) => needs.length)).toEqual([0, 0, 2]);
    expect(plan.tasks[0]?.title).toContain('Make everything better');
  });

  it('implements by writing a file of its own', async () => {
    await using performed = await improvised('implement');
    const file = join(performed.assignment.workspace, 'rehearsal', 'implement-1.2.md');
    expect(await readFile(file, 'utf8')).toBe('- implement, attempt 2: Make it better\n');
  });

  it('reviews without findings and analyzes in the requested form', async () => {
    await using review = await improvised('review');
    await using analysis = await improvised('analyze');
    expect(ReviewOutput.parse(review.result.output).findings).toEqual([]);
    expect(AnalysisOutput.safeParse(analysis.result.output).success).toBe(true);
  });

  it('verifies every requested step', async () => {
    const prompt = '# Verify it\n\nSTEP 1: it is there\nSTEP 2: it works\n\n`STEP 2: FAIL why` is a form.\n';
    await using made = await makeAssignment({ role: 'verify', access: 'read', outputSchema: {} }, prompt);
    const { result } = await performAttempt(fixture.agent(), made.assignment);
    expect(judgeSteps(result.output, ['it is there', 'it works'])).toMatchObject({ passed: true });
    expect(judgeSteps(result.output, ['it is there', 'it works', 'more'])).toMatchObject({ passed: false });
  });

  it.each([
    [['src/'], 'src/rehearsal-implement-1.2.md'],
    [['lib/**/*.test.ts'], 'lib/rehearsal-implement-1.2.test.ts'],
    [['notes/plan.md'], 'notes/plan.md'],
  ])('writes where its scope %j allows it', async (allow, path) => {
    await using made = await makeAssignment({ scopes: [{ allow, deny: [], also: [] }] });
    await performAttempt(fixture.agent(), made.assignment);
    expect(await readFile(join(made.assignment.workspace, path), 'utf8')).not.toBe('');
  });

  it('performs every built-in role successfully, and changes nothing in read-only tasks', async () => {
    const names = (await roleNames()).filter((name) => name !== 'resolve');
    for (const name of names) {
      await using performed = await improvised(name);
      expect(performed.result, name).not.toHaveProperty('failure');
      expect(performed.result.output !== undefined, name).toBe(performed.role.output !== undefined);
      expect(
        performed.events.some(({ type }) => type === 'file-change'),
        name,
      ).toBe(performed.role.access === 'write');
    }
  });
});

describe('the example scenario', () => {
  it('replaces the rate-limited agent by the other', async () => {
    const scenario = fileURLToPath(new URL('../../../examples/scenarios/minimal.yaml', import.meta.url));
    await using made = await makeAssignment({}, '# Write the first note\n');
    const ada = await performAttempt(fixture.agent(scenario, 'ada'), made.assignment);
    const grace = await performAttempt(fixture.agent(scenario, 'grace'), made.assignment);
    expect(ada.result.failure?.kind).toBe('rate-limit');
    expect(grace.result).toMatchObject({ text: 'The first note is written.', usage: { kind: 'known', costUsd: 0.02 } });
  });
});
