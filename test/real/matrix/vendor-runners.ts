import { join } from 'node:path';
import { bash, claudeFixture, write as writeByClaude } from '../claude-fixture.ts';
import { codexFixture, patch, shell as shellOfCodex } from '../codex-fixture.ts';
import { geminiFixture, shell as shellOfGemini, write as writeByGemini } from '../gemini-fixture.ts';
import type { ModelServer } from '../model-server.ts';
import type { CaseRunner } from './case-runner.ts';

const WAIT_MS = 60_000;

/** Claude Code, headless. */
export function claudeRunner(server: ModelServer, program: string): CaseRunner {
  const fixture = claudeFixture(server, program);
  return {
    runCase: (place, { script, base, more, settings = {}, hooks = {}, retries = 0, waitMs = WAIT_MS }) => {
      const env = {
        CLAUDE_CODE_MAX_RETRIES: String(retries),
        API_TIMEOUT_MS: String(waitMs),
        CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: String(waitMs),
        ...(base === undefined ? {} : { ANTHROPIC_BASE_URL: base }),
      };
      return fixture.perform(place, { script, more: { ...more, settings, env }, hooks });
    },
    write: writeByClaude,
    run: bash,
    tool: (from, name, args) => ({ call: [{ name: `mcp__${from}__${name}`, args }] }),
    answer: (output) => ({ call: [{ name: 'StructuredOutput', args: output }] }),
    forbidden: ({ workspace }) => ({
      step: bash(`node -e "require('fs').writeFileSync('made.txt', '')"`),
      file: join(workspace, 'made.txt'),
      more: {},
    }),
    refusalUsage: 'none',
    between: 0,
  };
}

/** Codex, headless. */
export function codexRunner(server: ModelServer, program: string): CaseRunner {
  const fixture = codexFixture(server, program);
  return {
    runCase: (place, { script, base, more, settings = {}, hooks = {}, retries = 0, waitMs = WAIT_MS }) => {
      const own = { retries, idleMs: waitMs, ...(base === undefined ? {} : { base }) };
      return fixture.perform(place, { script, more: { ...more, settings }, hooks, ...own });
    },
    write: (_, name) => patch(name),
    run: shellOfCodex,
    tool: (from, name, args) => ({ call: [{ namespace: `mcp__${from}`, name, args }] }),
    answer: (output) => ({ say: JSON.stringify(output) }),
    forbidden: ({ root }) => ({
      step: patch(join(root, 'outside.txt')),
      file: join(root, 'outside.txt'),
      more: {},
    }),
    refusalUsage: 'none',
    between: 0,
  };
}

/** Gemini CLI, headless. */
export function geminiRunner(server: ModelServer, program: string): CaseRunner {
  const fixture = geminiFixture(server, program);
  return {
    runCase: (place, { script, base, more, settings = {}, hooks = {}, retries = 0 }) => {
      const own = { attempts: retries + 1, ...(base === undefined ? {} : { base }) };
      return fixture.perform(place, { script, more: { ...more, settings }, hooks, ...own });
    },
    write: (_, name) => writeByGemini(name),
    run: shellOfGemini,
    tool: (from, name, args) => ({ call: [{ name: `mcp_${from}_${name}`, args }] }),
    answer: (output) => ({ say: `So:\n\`\`\`json\n${JSON.stringify(output)}\n\`\`\`\n` }),
    forbidden: ({ workspace }) => ({
      step: writeByGemini('made.txt'),
      file: join(workspace, 'made.txt'),
      more: { more: { access: 'read' }, settings: { permission: 'plan' } },
    }),
    refusalUsage: 'none',
    between: 0,
  };
}
