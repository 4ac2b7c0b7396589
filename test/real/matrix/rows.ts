import type { ModelServer } from '../model-server.ts';
import { acpPerformer } from './acp-performer.ts';
import type { Row } from './cases.ts';
import type { Performer } from './performer.ts';
import { claudePerformer, codexPerformer, geminiPerformer } from './vendor-performers.ts';

/** Who plays each row. */
export const PERFORMERS: Record<Row, (server: ModelServer, program: string) => Performer> = {
  claude: claudePerformer,
  codex: codexPerformer,
  gemini: geminiPerformer,
  'claude-agent-acp': (server, program) => acpPerformer(server, program, 'claude-agent-acp'),
  'codex-acp': (server, program) => acpPerformer(server, program, 'codex-acp'),
  'gemini --acp': (server, program) => acpPerformer(server, program, 'gemini'),
  'opencode acp': (server, program) => acpPerformer(server, program, 'opencode'),
};
