import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { claudeEnv, geminiEnv } from './invocations.ts';
import type { Step } from './model-server/step.ts';
import type { ProgramName } from './programs.ts';
import { geminiSettings } from './sandbox.ts';

export type AcpProgram = Extract<ProgramName, 'gemini' | 'claude-agent-acp' | 'codex-acp' | 'opencode'>;

/** How a real agent is made to speak ACP with a scripted model behind it, and how it behaves. */
export interface Speaker {
  args: string[];
  env(how: Serving): Record<string, string>;
  /** Files in its home. */
  files(how: Serving): Record<string, string>;
  /** Done in its home before a session is gone on with. */
  beforeResume?(home: string): Promise<void>;
  /** It says a refusal as if its model had said it, so that nobody can tell whether one has worked. */
  saysRefusals?: true;
  /** Steps that write a file, run a command, and use a tool of a server. */
  write(workspace: string, name: string): Step;
  run(command: string): Step;
  tool(server: string, name: string, args: Record<string, unknown>): Step;
}

/** Where its model is, how often it asks again by itself, and how long it waits for an answer. */
interface Serving {
  base: string;
  retries: number;
  waitMs: number;
}

const CONTENT = 'a\n';

export const SPEAKERS: Record<AcpProgram, Speaker> = {
  gemini: {
    args: ['--acp'],
    env: ({ base }) => ({ ...geminiEnv(base), GEMINI_MODEL: 'gemini-2.5-flash' }),
    files: ({ retries }) => ({ '.gemini/settings.json': JSON.stringify(geminiSettings(retries + 1)) }),
    beforeResume: ageSessions,
    write: (workspace, name) => ({
      call: [{ name: 'write_file', args: { file_path: join(workspace, name), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'run_shell_command', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `mcp_${server}_${name}`, args }] }),
  },
  'claude-agent-acp': {
    args: [],
    saysRefusals: true,
    env: ({ base, retries, waitMs }) => ({
      ...claudeEnv(base),
      ANTHROPIC_MODEL: 'claude-sonnet-4-5',
      CLAUDE_CODE_MAX_RETRIES: String(retries),
      API_TIMEOUT_MS: String(waitMs),
      CLAUDE_ENABLE_BYTE_WATCHDOG: '1',
      CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: String(waitMs),
    }),
    files: () => ({}),
    write: (workspace, name) => ({
      call: [{ name: 'Write', args: { file_path: join(workspace, name), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'Bash', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `mcp__${server}__${name}`, args }] }),
  },
  'codex-acp': {
    args: [],
    env: () => ({ SCRIPTED_KEY: 'test-key' }),
    files: (how) => ({ '.codex/config.toml': codexConfig(how) }),
    write: (_, name) => ({
      call: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${name}\n+a\n*** End Patch\n` }],
    }),
    run: (cmd) => ({
      call: [
        { name: 'exec_command', args: { cmd, sandbox_permissions: 'require_escalated', justification: 'To commit' } },
      ],
    }),
    tool: (server, name, args) => ({ call: [{ namespace: `mcp__${server}`, name, args }] }),
  },
  opencode: {
    args: ['acp'],
    env: ({ base }) => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(base)),
    }),
    // With these it has its own plugins' library already and asks no registry for it.
    files: () => ({
      '.config/opencode/node_modules/.keep': '',
      '.config/opencode/package-lock.json': JSON.stringify({
        packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
      }),
    }),
    write: (workspace, name) => ({
      call: [{ name: 'write', args: { filePath: join(workspace, name), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'bash', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `${server}_${name}`, args }] }),
  },
};

/** Gemini writes over a session that began in the same minute, because its file is named by the minute. */
async function ageSessions(home: string): Promise<void> {
  const chats = join(home, '.gemini', 'tmp', 'workspace', 'chats');
  for (const name of await readdir(chats)) {
    await rename(join(chats, name), join(chats, name.replace(/^session-\d{4}/, 'session-2020')));
  }
}

function codexConfig({ base, retries, waitMs }: Serving): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    'check_for_update_on_startup = false',
    '[analytics]',
    'enabled = false',
    '[features]',
    'plugins = false',
    'apps = false',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${base}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    `request_max_retries = ${retries}`,
    `stream_max_retries = ${retries}`,
    `stream_idle_timeout_ms = ${waitMs}`,
  ].join('\n');
}

function opencodeConfig(base: string) {
  const model = 'anthropic/claude-sonnet-4-5';
  return {
    model,
    small_model: model,
    provider: { anthropic: { options: { baseURL: `${base}/v1`, apiKey: 'test-key' } } },
    autoupdate: false,
    share: 'disabled',
  };
}
