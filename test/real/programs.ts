/** The real agent programs that tests drive. */
export type ProgramName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'claude-agent-acp' | 'codex-acp';

/** Where a program comes from, and where it lies once its package is installed; the first that exists is it. */
export interface Program {
  package: string;
  version: string;
  files: readonly string[];
}

const SYSTEM = `${process.platform}-${process.arch}`;

/**
 * Exact versions, because the facts that the adapters rely on were observed with these. Claude and OpenCode are started
 * by their native program: the one in `.bin` works only after an install script, and none is run.
 */
export const PROGRAMS: Record<ProgramName, Program> = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    files: [`@anthropic-ai/claude-code-${SYSTEM}/claude`, `@anthropic-ai/claude-code-${SYSTEM}-musl/claude`],
  },
  codex: { package: '@openai/codex', version: '0.166.0', files: ['.bin/codex'] },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', files: ['.bin/gemini'] },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    files: [`opencode-${SYSTEM}/bin/opencode`, `opencode-${SYSTEM}-musl/bin/opencode`],
  },
  'claude-agent-acp': {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    files: ['.bin/claude-agent-acp'],
  },
  'codex-acp': { package: '@agentclientprotocol/codex-acp', version: '2.6.0', files: ['.bin/codex-acp'] },
};

/** Every program, in the order in which they are installed. */
export const PROGRAM_NAMES = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'claude-agent-acp',
  'codex-acp',
] as const satisfies readonly ProgramName[];
