import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { appears } from '../support/appears.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

/** Records its prompt and its workspace; works until it is released or receives a message. */
const AGENT = `#!/bin/sh
prompt=$(cat)
n=$(ls "$HOME" | grep -c '^prompt-')
printf '%s\\n' "$prompt" >"$HOME/.prompt"; mv "$HOME/.prompt" "$HOME/prompt-$((n + 1))"
ls >"$HOME/found-$((n + 1))"
trap 'echo asked >"$HOME/asked"; exit 143' TERM
echo half >half.txt
case "$prompt" in *"Use tabs"*) ;; *) while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo "$((n + 1))" >"whole-$((n + 1)).txt"
echo "this is what I did"
`;

/** Speaks Claude's lines, with a session that is gone on with by \`--resume\`. */
const CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo '2.1.325 (Claude Code)'; exit 0 ;; esac
echo "$*" >>"$HOME/arguments"
cat >"$HOME/.prompt"; n=$(ls "$HOME" | grep -c '^prompt-')
echo '{"type":"system","subtype":"init","session_id":"session-one"}'
mv "$HOME/.prompt" "$HOME/prompt-$((n + 1))"
case "$*" in *--resume*) ;; *) while [ ! -e "$HOME/go" ]; do sleep 0.05; done ;; esac
echo done >done.txt
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","session_id":"session-one","total_cost_usd":0.01,"modelUsage":{"big":{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.01}}}'
`;

const JOB = ['job', 'Write it', '--json'];

async function scratch(agent = 'kind: command, command: ../agent.sh'): Promise<Scratch> {
  const settings = `agents: { hand: { ${agent} } }\nlimits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }\nchecks: ["test -e base.txt"]\n`;
  const project = await makeScratch({ files: { 'base.txt': 'base\n', '.manyhands/config.yaml': settings } });
  writeFiles(project.root, { 'agent.sh': AGENT, claude: CLAUDE });
  return project;
}

function promptOf(project: Scratch, number: number): string {
  return readFileSync(join(project.root, `prompt-${number}`), 'utf8');
}

/** Waits until so many agents have been given a prompt. */
async function prompted(project: Scratch, count: number): Promise<void> {
  await appears(join(project.root, `prompt-${count}`));
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.concurrent('sending a message to an agent', () => {
  it('interrupts it, and it continues in its workspace with the message, which the history shows', async () => {
    await using project = await scratch();
    const working = project.start(JOB);
    await prompted(project, 1);
    const { run } = RunDocument.parse((await project.mh(['show', '--json'])).json);
    const missing = await project.mh(['send', run]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('The message is missing')]);
    const sent = await project.mh(['send', 'Use tabs, please']);
    expect([sent.code, sent.stderr]).toEqual([0, expect.stringContaining('Sent to job/1')]);
    const ended = RunDocument.parse((await working.done).json);
    expect(ended).toMatchObject({ status: 'done', tasks: [{ attempts: 2, messages: [{ text: 'Use tabs, please' }] }] });
    expect(times(promptOf(project, 1), 'Use tabs')).toBe(0);
    expect(times(promptOf(project, 2), 'Use tabs, please')).toBe(1);
    expect(readFileSync(join(project.root, 'found-2'), 'utf8')).toContain('half.txt');
    expect((await project.mh(['logs', run])).stdout).toContain('[MESSAGE] Use tabs, please');
    expect((await project.mh(['show', run])).stdout).toContain('Use tabs, please');
  });

  it('continues done work from where it landed', async () => {
    await using project = await scratch();
    writeFileSync(join(project.root, 'go'), '');
    const { run } = RunDocument.parse((await project.mh(JOB)).json);
    writeFileSync(join(project.root, 'review.md'), 'Use tabs\nand no spaces\n');
    const again = await project.mh(['send', run, 'job/1', '@../review.md', '--json']);
    expect([again.code, RunDocument.parse(again.json).status], again.stderr).toEqual([0, 'done']);
    expect(promptOf(project, 2)).toContain('Use tabs\nand no spaces\n');
    expect(promptOf(project, 2)).toContain('| this is what I did');
    expect(project.git('ls-tree', '--name-only', `mh/${run}`).split('\n')).toEqual(
      expect.arrayContaining(['whole-1.txt', 'whole-2.txt']),
    );
  });

  it('continues in the same session if the agent has one', async () => {
    await using project = await scratch('kind: claude, command: ../claude, env: { ANTHROPIC_API_KEY: test-key }');
    const working = project.start(JOB);
    await prompted(project, 1);
    const sent = await project.mh(['send', 'job/1', 'Use tabs']);
    expect(sent.code, sent.stderr).toBe(0);
    expect(RunDocument.parse((await working.done).json)).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
    const [first, second] = readFileSync(join(project.root, 'arguments'), 'utf8').split('\n');
    expect([first?.includes('--resume'), second?.includes('--resume session-one')]).toEqual([false, true]);
    expect(times(promptOf(project, 2), 'Use tabs')).toBe(1);
  });

  it.each(
    variants(['attempt.interrupting'], ['message.sending', 'message.sent', 'attempt.interrupted', 'attempt.forked']),
  )('is told once what is on record, whatever is killed (%s)', async (point) => {
    await using project = await scratch();
    const pass = point === 'attempt.forked' ? 2 : 1;
    const working = project.start(JOB, { env: { MANYHANDS_CRASH: `${point}:${pass}` } });
    await prompted(project, 1);
    await project.mh(['send', 'job/1', 'Use tabs']);
    await working.done;
    const isOnRecord = point !== 'message.sending';
    if (!isOnRecord) writeFileSync(join(project.root, 'go'), '');
    const { code, json, stderr } = await project.mh(['resume', '--json']);
    const [document] = RunDocument.array().parse(json);
    expect([code, document?.status], stderr).toEqual([0, 'done']);
    const delivered = readdirSync(project.root)
      .filter((name) => name.startsWith('prompt-'))
      .map((name) => times(readFileSync(join(project.root, name), 'utf8'), 'Use tabs'));
    expect(delivered).toEqual(isOnRecord ? [0, 1] : [0]);
  });

  it('refuses a message that no agent would receive, with the reason', async () => {
    await using project = await scratch();
    writeFileSync(join(project.root, 'go'), '');
    const { run } = RunDocument.parse((await project.mh(JOB)).json);
    const unknown = await project.mh(['send', `${run}/nothing/1`, 'Use tabs']);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('has no task nothing/1')]);
    const empty = await project.mh(['send', run, ' ']);
    expect(empty.code).toBe(2);
  });
});

it('shows a warning until it is dismissed', async () => {
  await using project = await scratch();
  const settings = join(project.repo, '.manyhands/config.yaml');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}health: { silentSeconds: 0.2 }\n`);
  const working = project.start(JOB);
  const shown = async () => RunDocument.parse((await project.mh(['show', '--json'])).json);
  await prompted(project, 1);
  let warned = await shown();
  for (let tries = 0; tries < 50 && warned.tasks[0]?.warnings.length === 0; tries += 1) warned = await shown();
  expect(warned.tasks[0]?.warnings).toEqual([expect.stringContaining('written nothing')]);
  const listed = await project.mh(['warnings', '--json']);
  expect(listed.json).toMatchObject([{ run: warned.run, task: 'job/1', attempt: 1, sign: 'silent' }]);
  expect((await project.mh(['warnings', warned.run, 'job/1'])).stdout).toContain('written nothing');
  const dismissed = await project.mh(['warnings', warned.run, '--dismiss']);
  expect([dismissed.code, dismissed.stderr]).toEqual([0, expect.stringContaining('1 warning dismissed')]);
  expect((await project.mh(['warnings', '--json'])).json).toEqual([]);
  expect((await shown()).tasks[0]?.warnings).toEqual([]);
  writeFileSync(join(project.root, 'go'), '');
  expect((await working.done).code).toBe(0);
});

describe.concurrent('interrupting an agent', () => {
  it('requeues a running task with a clean workspace', async () => {
    await using project = await scratch();
    const working = project.start(JOB);
    await prompted(project, 1);
    const requeued = project.start(['retry', 'job/1', '--requeue', '--json']);
    await prompted(project, 2);
    writeFileSync(join(project.root, 'go'), '');
    await requeued.done;
    expect(RunDocument.parse((await working.done).json)).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
    expect(readFileSync(join(project.root, 'found-2'), 'utf8')).not.toContain('half.txt');
  });

  it('kills it immediately when a run is cancelled with --force, and saves its work', async () => {
    await using project = await scratch();
    const working = project.start(JOB);
    await prompted(project, 1);
    await project.mh(['cancel', '--force']);
    const ended = await working.done;
    expect([ended.code, RunDocument.parse(ended.json).status]).toEqual([1, 'cancelled']);
    expect(existsSync(join(project.root, 'asked'))).toBe(false);
    expect((await project.mh(['salvage', '--json'])).json).toMatchObject([{ task: 'job/1', files: 1 }]);
    expect(await project.leftovers()).toEqual([]);
  });
});
