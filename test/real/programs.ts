import { homedir } from 'node:os';
import { join } from 'node:path';

/** The real agent programs that tests drive. */
export type ProgramName =
  | 'claude'
  | 'codex'
  | 'gemini'
  | 'opencode'
  | 'claude-agent-acp'
  | 'codex-acp'
  | BrowserPart
  | McpJudge;

/** What a verifier is given a browser with: the tool server, and the browser as a compressed file. */
type BrowserPart = 'chrome-devtools-mcp' | 'chromium';

/** What judges our MCP servers: the official conformance suite, and the inspector. */
type McpJudge = 'mcp-conformance' | 'mcp-inspector';

/** Where a program comes from, and where it lies once its package is installed; the first that exists is it. */
export interface Program {
  package: string;
  version: string;
  files: readonly string[];
  /** Packages without which it does not start, of which one must be there: npm counts them as optional and may leave them out. */
  native: readonly string[];
}

const SYSTEM = `${process.platform}-${process.arch}`;
const ofSystem = (name: string) => [`${name}-${SYSTEM}`, `${name}-${SYSTEM}-musl`];

/**
 * Exact versions, because the facts that the adapters rely on were observed with these. Claude and OpenCode are started
 * by their native program: the one in `.bin` works only after an install script, and none is run.
 */
export const PROGRAMS: Record<ProgramName, Program> = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    files: [`@anthropic-ai/claude-code-${SYSTEM}/claude`, `@anthropic-ai/claude-code-${SYSTEM}-musl/claude`],
    native: ofSystem('@anthropic-ai/claude-code'),
  },
  codex: { package: '@openai/codex', version: '0.166.0', files: ['.bin/codex'], native: ofSystem('@openai/codex') },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', files: ['.bin/gemini'], native: ['@google/gemini-cli'] },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    files: [`opencode-${SYSTEM}/bin/opencode`, `opencode-${SYSTEM}-musl/bin/opencode`],
    native: ofSystem('opencode'),
  },
  'claude-agent-acp': {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    files: ['.bin/claude-agent-acp'],
    native: ofSystem('@anthropic-ai/claude-agent-sdk'),
  },
  'codex-acp': {
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    files: ['.bin/codex-acp'],
    native: ofSystem('@openai/codex'),
  },
  'chrome-devtools-mcp': {
    package: 'chrome-devtools-mcp',
    version: '1.11.0',
    files: ['.bin/chrome-devtools-mcp'],
    native: ['chrome-devtools-mcp'],
  },
  'mcp-conformance': {
    package: '@modelcontextprotocol/conformance',
    version: '0.1.16',
    files: ['.bin/conformance'],
    native: ['@modelcontextprotocol/conformance'],
  },
  'mcp-inspector': {
    package: '@modelcontextprotocol/inspector',
    version: '2.12.0',
    files: ['.bin/mcp-inspector'],
    native: ['@modelcontextprotocol/inspector'],
  },
  chromium: {
    package: '@sparticuz/chromium',
    version: '153.0.0',
    files: ['@sparticuz/chromium/bin/chromium.br'],
    native: ['@sparticuz/chromium'],
  },
};

/** Every program, in the order in which they are installed. */
export const PROGRAM_NAMES = [
  'claude',
  'codex',
  'gemini',
  'opencode',
  'claude-agent-acp',
  'codex-acp',
  'chrome-devtools-mcp',
  'chromium',
  'mcp-conformance',
  'mcp-inspector',
] as const satisfies readonly ProgramName[];

/** Where the programs are kept, outside every dependency tree: they are 100 to 450 MB each. */
export function cacheFolder(): string {
  if (process.env.MANYHANDS_TEST_CACHE) return process.env.MANYHANDS_TEST_CACHE;
  const base = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return join(process.env.XDG_CACHE_HOME || base, 'manyhands-test-agents');
}

/** The folder of a program in the cache. */
export function folderOf(program: Program): string {
  return join(cacheFolder(), `${program.package.replaceAll('/', '+')}@${program.version}`);
}

/** The bubblewrap that Codex brings along: tests of the sandbox use it where the system has none. */
export function bundledBubblewrap(): string {
  const target = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
  const vendor = `node_modules/@openai/codex-${SYSTEM}/vendor/${target}-unknown-linux-musl`;
  return join(folderOf(PROGRAMS.codex), vendor, 'codex-resources/bwrap');
}
