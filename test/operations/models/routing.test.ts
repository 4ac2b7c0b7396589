import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentPick, AgentStatus, RunDocument } from '../../../src/schema/document.ts';
import { ModelScore } from '../../../src/schema/model.ts';
import { TESTS_ALL } from '../../support/variants.ts';
import { makeModelProject } from './model-project.ts';

const SECRET = 'correct-horse-battery-staple';
const GOOD = '#!/bin/sh\ncat > /dev/null\necho done > done.txt\n';
const CRASHES = '#!/bin/sh\nkill -SEGV $$\n';
/** Refuses its own login; with the profile's it does its work, and tells everybody the secret. */
const CLAUDE = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }
cat > /dev/null
[ -n "$ANTHROPIC_AUTH_TOKEN" ] || { echo "Invalid API key" >&2; exit 1; }
echo "$ANTHROPIC_BASE_URL" > done.txt
echo '{"type":"result","subtype":"success","is_error":false,"result":"used ${SECRET}","modelUsage":{}}'
`;

function writeProfile(home: string): void {
  mkdirSync(join(home, '.cc-switch'));
  const db = new DatabaseSync(join(home, '.cc-switch', 'cc-switch.db'));
  db.exec('CREATE TABLE providers (id TEXT, app_type TEXT, name TEXT, settings_config TEXT, is_current BOOLEAN)');
  const settings = { env: { ANTHROPIC_AUTH_TOKEN: SECRET, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } };
  db.prepare("INSERT INTO providers VALUES ('1', 'claude', 'Kimi', ?, 1)").run(JSON.stringify(settings));
  db.close();
}

/** Its heavy model is closed for a week; the other one works. */
const LIMITED = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }
cat > /dev/null
case "$*" in
*opus*)
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":4000000000,"rateLimitType":"seven_day_opus"}}'
  echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You have hit your Opus limit","modelUsage":{}}'
  exit 1 ;;
*sonnet*) echo sonnet > done.txt ;;
esac
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","modelUsage":{}}'
`;

/** Reports a cost, then works until it is stopped. */
const EXPENSIVE = `#!/bin/sh\ncat >/dev/null; echo '{"usage":{"costUsd":25}}'; sleep 60\n`;

/** Is denied a tool, or gets no sandbox, by its prompt, and changes nothing. */
const DENIED = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }
if grep -q sandbox; then
  echo '{"type":"assistant","message":{"id":"m","role":"assistant","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}'
  echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"bwrap: No permissions to create a new namespace"}]}}'
else
  echo '{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t","message":"npm install needs approval"}'
fi
echo '{"type":"result","subtype":"success","is_error":false,"result":"I could not.","modelUsage":{}}'
`;

describe('the agent of a task', { timeout: 240_000 }, () => {
  it('that changed nothing because a tool was denied or its sandbox did not start fails with that reason, once', async () => {
    const config = 'agents:\n  claude: { kind: claude, command: ./claude.sh, env: { ANTHROPIC_API_KEY: k } }\n';
    await using project = makeModelProject({ 'claude.sh': DENIED, '.manyhands/config.yaml': config });
    const reasonOf = async (prompt: string) => {
      const { tasks } = RunDocument.parse(await project.json('job', prompt, '--check', 'true'));
      return tasks.map(({ attempts, reason }) => ({ attempts, reason }));
    };
    expect(await reasonOf('Do it')).toEqual([
      { attempts: 1, reason: 'It ended without changing anything: Bash was denied: npm install needs approval' },
    ]);
    expect(await reasonOf('Do it in the sandbox')).toEqual([
      {
        attempts: 1,
        reason: "The sandbox of the agent's program could not start: bwrap: No permissions to create a new namespace",
      },
    ]);
  });

  it('is shown as over its spending cap, in its run or for the day', async () => {
    const config = (cap: string) =>
      `agents:\n  one: { kind: command, command: ./one.sh, ${cap}: 0.2 }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n`;
    await using project = makeModelProject({ 'one.sh': EXPENSIVE, '.manyhands/config.yaml': config('spendUsd') });
    const blocked = RunDocument.parse(await project.json('job', 'Do it', '--check', 'true'));
    expect(blocked.tasks[0]?.reason).toContain('over its spending cap ($25.00 of $0.20 in this run)');
    const inRun = `over its spending cap in run ${blocked.run} ($25.00 of $0.20 in this run)`;
    const [own] = z.array(AgentStatus).parse(await project.json('models'));
    expect(own).toMatchObject({ ok: true, detail: expect.stringContaining(inRun) });
    writeFileSync(join(project.repo, '.manyhands/config.yaml'), config('spendUsdPerDay'));
    const [daily] = z.array(AgentStatus).parse(await project.json('models'));
    expect(daily).toMatchObject({ ok: false, detail: expect.stringContaining('over its spending cap') });
  });

  it('is set for a role in every form of --agent, and models pick names the agent and model that a run uses', async () => {
    const agents =
      '  claude: { kind: claude, command: ./claude.sh, env: { ANTHROPIC_API_KEY: k }, models: { standard: sonnet, heavy: opus } }\n';
    await using project = makeModelProject({
      'claude.sh': LIMITED,
      'mine.sh': GOOD,
      '.manyhands/config.yaml': `agents:\n${agents}roles: { implement: { agent: 'command:./mine.sh' }, review: { agent: 'claude:opus' } }\n`,
    });
    const pick = async (...flags: string[]) =>
      AgentPick.parse(await project.json('models', 'pick', '--role', ...flags));
    expect(await pick('plan')).toMatchObject({ agent: 'claude', tier: 'heavy', model: 'opus' });
    expect(await pick('discover')).toMatchObject({ agent: 'claude', tier: 'standard', model: 'sonnet' });
    expect(await pick('review')).toMatchObject({ agent: 'claude-opus', model: 'opus' });
    expect(await pick('implement', '--agent', 'auto')).toMatchObject({
      agent: 'mine',
      because: 'set for the role implement',
    });
    const unknown = await project.mh('models', 'pick', '--role', 'revew');
    expect(unknown).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no role "revew". Did you mean review?'),
    });
    const misspelt = await project.mh('job', 'Do it', '--agent', 'implment=claude');
    expect(misspelt.stderr).toContain('There is no role "implment". Did you mean implement?');
  });

  it.each([
    ['job', 'Do it', '--role', 'revew'],
    ['job', 'Do it', '--agent', 'revew=gone'],
    ['job', 'Do it', '--agent', 'revew=auto'],
    ['config', 'set', 'roles.revew.agent', 'gone'],
    ['config', 'set', 'roles.revew.agent', 'gone', '--global'],
  ])('names an unknown role even if no agent is usable: %s %s %s %s', async (...argv) => {
    await using project = makeModelProject({
      '.manyhands/config.yaml': 'agents: { gone: { kind: claude, command: ./gone.sh } }\nrouting: { order: [gone] }\n',
      '.manyhands/roles/mine.md':
        '---\nrole: mine\nsummary: Looks.\naccess: read\ntier: standard\n---\nLook at {{task}}\n',
    });
    expect(await project.mh(...argv)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no role "revew". Did you mean review?'),
    });
    expect(await project.mh('config', 'set', 'roles.mine.agent', 'gone')).toMatchObject({ code: 0 });
  });

  it('is a profile of CC Switch only if enabled and the own login is rate-limited, and its secret is neither stored nor shown', async () => {
    await using project = makeModelProject({
      'claude.sh': CLAUDE,
      '.manyhands/config.yaml':
        'agents:\n  claude: { kind: claude, command: ./claude.sh }\nlimits: { retryDelaySeconds: 0 }\n',
    });
    writeProfile(project.root);
    const off = await project.mh('models');
    expect(off.stderr).toContain('Unused CC Switch profiles: Kimi for claude');
    await project.mh('config', 'set', 'routing.ccswitch', 'auto');
    const [listed] = z.array(AgentStatus).parse(await project.json('models'));
    expect(listed?.accounts).toEqual([{ name: 'ccswitch-kimi', restsUntil: null }]);
    const done = RunDocument.parse(await project.json('job', 'Do it', '--check', 'true'));
    expect(done).toMatchObject({ status: 'done', tasks: [{ attempts: 2 }] });
    const [after] = z.array(AgentStatus).parse(await project.json('models'));
    expect(after?.restsUntil).not.toBeNull();
    const shown = [off, await project.mh('doctor'), await project.mh('logs')];
    for (const { stdout, stderr } of shown) expect(stdout + stderr).not.toContain(SECRET);
    expect(project.stored()).not.toContain(SECRET);
    expect((await project.mh('models', 'pick', '--role', 'implement')).stdout).toContain('login ccswitch-kimi');
  });

  it('is another agent after one fell over three times in a row, and results teach without changing the settings', async () => {
    const settings =
      '# mine\nagents:\n  wild: { kind: command, command: ./crashes.sh }\n  calm: { kind: command, command: ./good.sh }\nrouting:\n  prefer: { implement: [wild] } # always\nlimits: { retryDelaySeconds: 0 }\n';
    await using project = makeModelProject({
      'crashes.sh': CRASHES,
      'good.sh': GOOD,
      '.manyhands/config.yaml': settings,
    });
    const done = RunDocument.parse(await project.json('job', 'Do it', '--check', 'true'));
    expect(done).toMatchObject({ status: 'done', tasks: [{ attempts: 4, agent: 'calm' }] });
    const scores = z.array(ModelScore).parse(await project.json('models', 'scores', '--role', 'implement'));
    expect(scores.map(({ agent, here }) => [agent, here])).toEqual([
      ['calm', { good: 1, bad: 0 }],
      ['wild', { good: 0, bad: 3 }],
    ]);
    const pick = await project.mh('models', 'pick', '--role', 'implement');
    expect(pick.stdout).toMatch(/^implement: wild, .*preferred for the role implement/);
    expect(pick.stdout).toContain('calm: ');
    expect(pick.stdout).toContain('score 0.67 (1 of 1 good here)');
    expect(readFileSync(join(project.repo, '.manyhands', 'config.yaml'), 'utf8')).toBe(settings);
    await project.json('job', 'Do it', '--check', 'true', '--agent', 'command:./good.sh');
    const listed = z.array(ModelScore).parse(await project.json('models', 'scores', '--role', 'implement'));
    expect(listed.find(({ because }) => because.endsWith('not in the settings'))).toMatchObject({
      agent: expect.stringContaining('good'),
      here: { good: 1, bad: 0 },
    });
  });

  it.runIf(TESTS_ALL)(
    'is the same agent with its other model while only one of its model families is rate-limited',
    async () => {
      await using project = makeModelProject({
        'claude.sh': LIMITED,
        '.manyhands/config.yaml':
          'agents:\n  claude: { kind: claude, command: ./claude.sh, env: { ANTHROPIC_API_KEY: none }, models: { standard: sonnet, heavy: opus } }\nroles: { implement: { tier: heavy } }\nlimits: { retryDelaySeconds: 0 }\n',
      });
      const done = RunDocument.parse(await project.json('job', 'Do it', '--check', 'true'));
      expect(done).toMatchObject({ status: 'done', tasks: [{ attempts: 2, agent: 'claude' }] });
      const [listed] = z.array(AgentStatus).parse(await project.json('models'));
      expect(listed).toMatchObject({ restsUntil: null, resting: [{ account: null, family: 'opus' }] });
      const pick = await project.mh('models', 'pick', '--role', 'implement');
      expect(pick.stdout).toMatch(/^implement: claude, sonnet \(standard\): .*standard because opus is rate-limited/);
    },
  );
});
