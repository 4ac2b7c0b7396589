import type { ModelServer } from '../model-server.ts';
import { acpRunner } from './acp-runner.ts';
import type { CaseRunner } from './case-runner.ts';
import type { Row } from './cases.ts';
import { claudeRunner, codexRunner, geminiRunner } from './vendor-runners.ts';

/** The runner of each row. */
export const RUNNERS: Record<Row, (server: ModelServer, program: string) => CaseRunner> = {
  claude: claudeRunner,
  codex: codexRunner,
  gemini: geminiRunner,
  'claude-agent-acp': (server, program) => acpRunner(server, program, 'claude-agent-acp'),
  'codex-acp': (server, program) => acpRunner(server, program, 'codex-acp'),
  'gemini --acp': (server, program) => acpRunner(server, program, 'gemini'),
  'opencode acp': (server, program) => acpRunner(server, program, 'opencode'),
};
