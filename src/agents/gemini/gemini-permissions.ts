import type { Permission } from '../../schema/config/agent.ts';
import type { Assignment } from '../agent.ts';
import { shellPrefixes } from '../tool-call.ts';

/** What an attempt may do: Gemini's approval mode, and the text of a policy file. */
export interface GeminiRights {
  mode: 'default' | 'auto_edit' | 'yolo';
  policy: string;
}

type Rule = { decision: 'allow' | 'deny'; priority: number } & ({ tools: string[] } | { commands: string[] });

const WRITING = ['write_file', 'replace', 'save_memory'];
const SHELL = 'run_shell_command';
/** Its own names of the tools that a verifier gets by default. */
const SCRATCH: Readonly<Record<string, readonly string[]>> = { Bash: [SHELL], Write: ['write_file'] };
/** Plan mode would have the agent write a plan instead of doing the work. */
const NEVER = ['enter_plan_mode'];
const READING_COMMANDS = ['git blame', 'git diff', 'git log', 'git ls-files', 'git show', 'git status'];
const TOOL = /^[a-z][\w*-]*$/;

/** What is not allowed is refused, because no user can answer. Plan mode is not used, because it makes the agent write a plan. */
const MODES: Readonly<Record<Permission, GeminiRights['mode']>> = {
  default: 'default',
  acceptEdits: 'auto_edit',
  plan: 'default',
  dontAsk: 'default',
  bypass: 'yolo',
};

/** The permissions of one attempt; a read-only task may not write, whatever the settings say. */
export function geminiRights({ access, settings }: Assignment): GeminiRights {
  const { permission, allowedTools, allowedCli, disallowedTools } = settings;
  const refused = [...rules('deny', 900, disallowedTools), rule('deny', 900, { tools: NEVER })];
  if (access === 'read' || permission === 'plan') {
    const scratch = (settings.scratchTools ?? []).flatMap((tool) => SCRATCH[tool] ?? []);
    const policy = [
      ...refused,
      rule('deny', 950, { tools: WRITING.filter((tool) => !scratch.includes(tool)) }),
      rule('allow', 800, { tools: scratch }),
      rule('allow', 800, { commands: READING_COMMANDS }),
    ];
    return { mode: 'default', policy: policyText(policy, scratch.includes(SHELL)) };
  }
  const commands = [...(permission === 'acceptEdits' ? ['git'] : []), ...allowedCli];
  const policy = [...refused, ...rules('allow', 800, allowedTools), rule('allow', 800, { commands })];
  return { mode: MODES[permission], policy: policyText(policy, true) };
}

/** Tool patterns of other agents are ignored, except those for shell commands, which all agents have. */
function rules(decision: Rule['decision'], priority: number, patterns: readonly string[]): Rule[] {
  const commands = shellPrefixes(patterns);
  const tools = patterns.filter((pattern) => TOOL.test(pattern));
  return [rule(decision, priority, { commands }), rule(decision, priority, { tools })];
}

function rule(decision: Rule['decision'], priority: number, what: { tools: string[] } | { commands: string[] }): Rule {
  return { decision, priority, ...what };
}

function policyText(all: readonly Rule[], allowRedirection: boolean): string {
  return all
    .filter((each) => ('tools' in each ? each.tools : each.commands).length > 0)
    .map((each) =>
      [
        '[[rule]]',
        ...('tools' in each
          ? [`toolName = ${JSON.stringify(each.tools)}`]
          : ['toolName = "run_shell_command"', `commandPrefix = ${JSON.stringify(each.commands)}`]),
        `decision = "${each.decision}"`,
        `priority = ${each.priority}`,
        ...(each.decision === 'allow' && 'commands' in each && allowRedirection ? ['allowRedirection = true'] : []),
      ].join('\n'),
    )
    .join('\n\n');
}
