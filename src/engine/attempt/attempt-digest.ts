import type { AgentEvent } from '../../agents/agent.ts';
import type { RuleDecision } from '../../core/policy/decide-policy.ts';
import { readTestResults } from '../../gates/test-results/read-test-results.ts';
import type { Digest } from '../../risks/risk.ts';
import type { Failure } from '../../schema/failure.ts';

const SHELL_TOOL = /^(bash|shell|exec_command|run_shell_command|command_execution|execute|terminal)$/i;
const SEARCH_TOOL = /^(grep|glob|search|ripgrep|search_file_content|find|websearch|web_search)/i;
const TEST_COMMAND =
  /\b(npm|pnpm|yarn|bun)\s+(run\s+)?t(est)?\b|\b(vitest|jest|mocha|pytest|phpunit|rspec|go\s+test|cargo\s+(nextest|test)|node\s+--test|make\s+test|ctest|mvn\s+test|gradle\w*\s+test)\b/;
/** What an agent writes when it claims that the tests pass. */
const TESTS_PASS =
  /\b(?:all|the|every|\d+(?:\s+of\s+\d+)?)\s+(?:unit |integration |the |our |of the )?tests?\s+(?:(?:are|is|now|all|should)\s+)*(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful)\b|\btests?\s+(?:suite\s+)?(?:(?:are|is|now|all)\s+)*(?:pass(?:es|ed|ing)?|green)\b/i;
/** What the sandboxes of Codex, Claude Code and Gemini report when they cannot start, in place of a command's output. */
const SANDBOX_ERROR =
  /^.*(?:\b(?:bwrap|bubblewrap|sandbox-exec|codex-linux-sandbox): .*|\b(?:LandlockRestrict|SeccompInstall|LandlockRuleset)\b.*|failed to (?:start|initiali[sz]e|create|set up) (?:the )?sandbox.*)$/im;
/** Enough to assess risks; an attempt may run thousands. */
const MAX_COMMANDS = 2_000;
const MAX_REFUSED = 50;

/** Decides a call of a tool by the rules of an attempt. */
export type JudgeCall = (call: { name: string; input: unknown }) => RuleDecision;

/** Summarizes what an attempt does while its output is read. */
export class AttemptDigest {
  readonly #commands: string[] = [];
  readonly #searches: Record<string, number> = {};
  readonly #tests = new Set<string>();
  #lastTestFailed = false;
  #claimedTestsPass = false;
  #outputBytes = 0;
  #redactions = 0;
  #permissionDenials = 0;
  #denied: Digest['denied'];
  #sandboxError: string | undefined;
  readonly #refused = new Map<string, RuleDecision>();
  readonly #judge: JudgeCall | undefined;

  /** `judge` decides by the rules of the attempt, where it has some. */
  constructor(judge?: JudgeCall) {
    this.#judge = judge;
  }

  addEvent(event: AgentEvent): void {
    if (event.type === 'tool-call') this.#addToolCall(event);
    if (event.type === 'tool-result' && this.#tests.has(event.id))
      this.#lastTestFailed = event.isError || readTestResults(event.output).results.failed > 0;
    if (event.type === 'text') this.#claimedTestsPass ||= TESTS_PASS.test(event.text);
    if (event.type === 'tool-result' && event.isError) this.#sandboxError ??= SANDBOX_ERROR.exec(event.output)?.[0];
    if (event.type === 'permission-denied') this.#addDenial(event);
  }

  setOutputBytes(bytes: number): void {
    this.#outputBytes = bytes;
  }

  countRedaction(): void {
    this.#redactions += 1;
  }

  summary(): Digest {
    return {
      commands: this.#commands,
      searches: this.#searches,
      outputBytes: this.#outputBytes,
      redactions: this.#redactions,
      lastTestFailed: this.#lastTestFailed,
      claimedTestsPass: this.#claimedTestsPass,
      permissionDenials: this.#permissionDenials,
      denied: this.#denied,
      sandboxError: this.#sandboxError,
      refused: [...this.#refused.values()],
    };
  }

  #addDenial({ tool, message }: Extract<AgentEvent, { type: 'permission-denied' }>): void {
    this.#permissionDenials += 1;
    this.#denied ??= { tool, message };
  }

  #addToolCall(event: Extract<AgentEvent, { type: 'tool-call' }>): void {
    const decided = this.#judge?.(event);
    if (decided !== undefined && decided.decision !== 'allow' && this.#refused.size < MAX_REFUSED)
      this.#refused.set(decided.subject, decided);
    const command = SHELL_TOOL.test(event.name) ? commandIn(event.input) : undefined;
    if (command !== undefined) {
      if (this.#commands.length < MAX_COMMANDS) this.#commands.push(command);
      if (TEST_COMMAND.test(command)) {
        this.#tests.add(event.id);
        this.#claimedTestsPass = false;
      }
    }
    if (!SEARCH_TOOL.test(event.name)) return;
    const search = `${event.name} ${JSON.stringify(event.input)}`.slice(0, 300);
    this.#searches[search] = (this.#searches[search] ?? 0) + 1;
  }
}

/** Why nothing changed: what kept the agent from working, where that is known, because a retry would meet it again. */
export function noChangeFailure({ sandboxError, denied }: Partial<Digest> = {}): Failure {
  if (sandboxError !== undefined)
    return {
      kind: 'environment',
      message: `The sandbox of the agent's program could not start: ${sandboxError.trim()}`,
    };
  if (denied === undefined) return { kind: 'no-change', message: 'It ended without changing anything' };
  const reason = denied.message.startsWith(denied.tool)
    ? denied.message
    : `${denied.tool} was denied: ${denied.message}`;
  return { kind: 'refused', message: `It ended without changing anything: ${reason}`, denied: denied.tool };
}

function commandIn(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return undefined;
  const command = 'command' in input ? input.command : 'cmd' in input ? input.cmd : undefined;
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.join(' ') : undefined;
}
