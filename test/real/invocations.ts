import { join } from 'node:path';
import type { ProgramName } from './programs.ts';
import type { Sandbox } from './sandbox.ts';

/** A program started by hand, without an adapter of ours. */
export interface Invocation {
  args: string[];
  env: Record<string, string>;
}

/** How often Codex asks again, and how long it waits for the next piece of an answer. */
type CodexRetryOptions = { retries?: number; idleMs?: number };

const CODEX_QUIET = ['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'];
const CODEX_LOCAL = ['--disable', 'plugins', '--disable', 'apps'];

/** How each headless program is told to do a prompt with the model at an address; nothing else is asked by it. */
export const INVOCATIONS: Record<
  Extract<ProgramName, 'claude' | 'codex' | 'gemini'>,
  (base: string, sandbox: Sandbox, prompt: string) => Invocation
> = {
  claude: (base, sandbox, prompt) => ({
    args: [
      ...['-p', prompt, '--output-format', 'stream-json', '--verbose', '--model', 'claude-sonnet-4-5'],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(git *)', '--max-turns', '10'],
      ...['--strict-mcp-config', '--setting-sources', ''],
    ],
    env: { ...sandbox.env, ...claudeEnv(base) },
  }),
  codex: (base, sandbox, prompt) => ({
    args: [
      ...['exec', '--json', '--sandbox', 'workspace-write', '--add-dir', join(sandbox.workspace, '.git')],
      ...['--skip-git-repo-check', '-C', sandbox.workspace, '-m', 'gpt-5.5', ...codexProvider(base)],
      ...[...CODEX_QUIET, ...CODEX_LOCAL, prompt],
    ],
    env: { ...sandbox.env, SCRIPTED_KEY: 'test-key' },
  }),
  gemini: (base, sandbox, prompt) => ({
    args: ['-p', prompt, '--output-format', 'stream-json', '--yolo', '-m', 'gemini-2.5-flash'],
    env: { ...sandbox.env, ...geminiEnv(base) },
  }),
};

/** What points Claude at a scripted model, and keeps it and its retries short. */
export function claudeEnv(base: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: base,
    ANTHROPIC_API_KEY: 'test-key',
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    API_TIMEOUT_MS: '30000',
  };
}

/** What points Codex at a scripted model: its built-in provider would try WebSockets first. */
export function codexProvider(base: string, { retries = 1, idleMs = 30_000 }: CodexRetryOptions = {}): string[] {
  const provider = [
    'name="scripted"',
    `base_url="${base}/v1"`,
    'wire_api="responses"',
    'env_key="SCRIPTED_KEY"',
    `request_max_retries=${retries}`,
    `stream_max_retries=${retries}`,
    `stream_idle_timeout_ms=${idleMs}`,
  ];
  return ['-c', 'model_provider=scripted', '-c', `model_providers.scripted={${provider.join(',')}}`];
}

/** What points Gemini at a scripted model; its settings file must name the kind of login. */
export function geminiEnv(base: string): Record<string, string> {
  return {
    GEMINI_API_KEY: 'test-key',
    GOOGLE_GEMINI_BASE_URL: base,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
  };
}
