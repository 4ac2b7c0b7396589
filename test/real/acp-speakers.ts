import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailureKind } from '../../src/schema/failure.ts';
import { claudeEnv, geminiEnv } from './invocations.ts';
import type { Reason, Step } from './model-server/step.ts';
import type { ProgramName } from './programs.ts';

export type AcpProgram = Extract<ProgramName, 'gemini' | 'claude-agent-acp' | 'codex-acp' | 'opencode'>;

/** How a real agent is made to speak ACP with a scripted model behind it, and how it behaves. */
export interface Speaker {
  args: string[];
  /** Variables for a model at an address; `nowhere` is an address at which nobody listens. */
  env(base: string, nowhere: string): Record<string, string>;
  /** Files in its home. */
  files(base: string): Record<string, string>;
  /** Done in its home before a session is gone on with. */
  beforeResume?(home: string): Promise<void>;
  /** Steps that write a.txt, run a command, and use a tool of a server. */
  write(workspace: string): Step;
  run(command: string): Step;
  tool(server: string, name: string, args: Record<string, unknown>): Step;
  /** Whether it asks before it edits in a reading task; else it has no tool to edit with. */
  asks: boolean;
  /** How a turn ends in which it was refused to edit. */
  afterRefusal: FailureKind | undefined;
  refusals: [Reason, FailureKind[]][];
}

const CONTENT = 'a\n';

export const SPEAKERS: Record<AcpProgram, Speaker> = {
  gemini: {
    args: ['--acp'],
    env: (base) => ({ ...geminiEnv(base), GEMINI_MODEL: 'gemini-2.5-flash' }),
    files: () => ({}),
    beforeResume: ageSessions,
    write: (workspace) => ({
      call: [{ name: 'write_file', args: { file_path: join(workspace, 'a.txt'), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'run_shell_command', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `mcp_${server}_${name}`, args }] }),
    asks: true,
    afterRefusal: undefined,
    refusals: [
      ['auth', ['auth']],
      ['usage-limit', ['usage-limit', 'rate-limit']],
    ],
  },
  'claude-agent-acp': {
    args: [],
    env: (base) => ({ ...claudeEnv(base), ANTHROPIC_MODEL: 'claude-sonnet-4-5', CLAUDE_CODE_MAX_RETRIES: '0' }),
    files: () => ({}),
    write: (workspace) => ({
      call: [{ name: 'Write', args: { file_path: join(workspace, 'a.txt'), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'Bash', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `mcp__${server}__${name}`, args }] }),
    asks: true,
    afterRefusal: undefined,
    refusals: [
      ['auth', ['auth']],
      ['rate-limit', ['rate-limit']],
    ],
  },
  'codex-acp': {
    args: [],
    env: () => ({ SCRIPTED_KEY: 'test-key' }),
    files: (base) => ({ '.codex/config.toml': codexConfig(base) }),
    write: () => ({
      call: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\n' }],
    }),
    run: (cmd) => ({
      call: [
        { name: 'exec_command', args: { cmd, sandbox_permissions: 'require_escalated', justification: 'To commit' } },
      ],
    }),
    tool: (server, name, args) => ({ call: [{ namespace: `mcp__${server}`, name, args }] }),
    asks: true,
    afterRefusal: 'refused',
    refusals: [
      ['auth', ['auth']],
      ['rate-limit', ['rate-limit']],
    ],
  },
  opencode: {
    args: ['acp'],
    env: (base, nowhere) => ({
      ...Object.fromEntries(['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => [name, nowhere])),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(base)),
    }),
    files: () => ({}),
    write: (workspace) => ({
      call: [{ name: 'write', args: { filePath: join(workspace, 'a.txt'), content: CONTENT } }],
    }),
    run: (command) => ({ call: [{ name: 'bash', args: { command, description: 'Run' } }] }),
    tool: (server, name, args) => ({ call: [{ name: `${server}_${name}`, args }] }),
    asks: false,
    afterRefusal: undefined,
    refusals: [['auth', ['auth', 'unknown']]],
  },
};

/** Gemini writes over a session that began in the same minute, because its file is named by the minute. */
async function ageSessions(home: string): Promise<void> {
  const chats = join(home, '.gemini', 'tmp', 'workspace', 'chats');
  for (const name of await readdir(chats)) {
    await rename(join(chats, name), join(chats, name.replace(/^session-\d{4}/, 'session-2020')));
  }
}

function codexConfig(base: string): string {
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
    'request_max_retries = 0',
    'stream_max_retries = 0',
  ].join('\n');
}

function opencodeConfig(base: string) {
  const model = 'anthropic/claude-sonnet-4-5';
  return {
    model,
    small_model: model,
    provider: { anthropic: { options: { baseURL: `${base}/v1`, apiKey: 'test-key' } } },
    permission: { edit: 'ask', bash: 'ask' },
    autoupdate: false,
    share: 'disabled',
  };
}
