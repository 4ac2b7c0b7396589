import type { AssignmentSettings } from '../agent.ts';

const OWN_SERVER = 'manyhands';
/** Without a terminal of its own Gemini removes every tool that is called `ask_user`, also one of a server. */
const OTHER_NAMES = { MANYHANDS_TOOL_NAMES: 'ask_user=ask_person' };

/** The servers as Gemini gets them: ours offers its tools under names that Gemini does not remove. */
export function withGeminiNames(mcp: AssignmentSettings['mcp']): AssignmentSettings['mcp'] {
  return Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => [
      name,
      name === OWN_SERVER && 'command' in server ? { ...server, env: { ...server.env, ...OTHER_NAMES } } : server,
    ]),
  );
}
