import type { Assignment } from '../agent.ts';
import type { GeminiHome } from './gemini-home.ts';
import { geminiRights } from './gemini-permissions.ts';

/** The arguments of one attempt; the prompt is on stdin, which is what makes it headless. */
export function geminiArguments(assignment: Assignment, home: GeminiHome, isTrusted: boolean): string[] {
  return ['--output-format', 'stream-json', ...commonArguments(assignment, home, isTrusted)];
}

/** The arguments of an attempt in a terminal; the session continues after the prompt. */
export function geminiTerminalArguments(
  assignment: Assignment,
  { home, isTrusted, prompt }: { home: GeminiHome; isTrusted: boolean; prompt: string },
): string[] {
  return [...commonArguments(assignment, home, isTrusted), `--prompt-interactive=${prompt}`];
}

function commonArguments(assignment: Assignment, home: GeminiHome, isTrusted: boolean): string[] {
  const { settings, session } = assignment;
  return [
    ...['--extensions', 'none'],
    ...['--approval-mode', geminiRights(assignment).mode, '--policy', home.policy],
    ...(isTrusted ? [] : ['--skip-trust']),
    ...(settings.model === undefined ? [] : ['--model', settings.model]),
    ...(session === undefined ? [] : ['--resume', session]),
  ];
}

/**
 * The variables that we set. In an untrusted repository Gemini reads them first and so ignores its settings, and
 * `--skip-trust` then lets it work there.
 */
export function geminiVariables(home: GeminiHome, isTrusted: boolean): Record<string, string> {
  return {
    GEMINI_CLI_HOME: home.path,
    GEMINI_CLI_NO_RELAUNCH: 'true',
    GEMINI_CLI_TRUST_WORKSPACE: String(isTrusted),
  };
}
