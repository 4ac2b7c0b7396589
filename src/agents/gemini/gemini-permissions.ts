import { shellPrefixes } from '../../core/policy/shell-commands.ts';
import type { Permission } from '../../schema/config/agent.ts';
import type { Assignment, AttemptPolicy } from '../agent.ts';

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
/** Below what a read-only role may never do, above the settings of tools; the first rule has the highest. */
const FIRST_PRIORITY = 949;
const MOST_RULES = 48;

/** What is not allowed is refused, because no user can answer. Plan mode is not used, because it makes the agent write a plan. */
const MODES: Readonly<Record<Permission, GeminiRights['mode']>> = {
  default: 'default',
  acceptEdits: 'auto_edit',
  plan: 'default',
  dontAsk: 'default',
  bypass: 'yolo',
};

/** The permissions of one attempt; a read-only task may not write, whatever the settings say. */
export function geminiRights({ access, settings, policy: configured }: Assignment): GeminiRights {
  const { permission, allowedTools, allowedCli, disallowedTools } = settings;
  const refused = [
    ...configuredRules(configured),
    ...rules('deny', 900, disallowedTools),
    rule('deny', 900, { tools: NEVER }),
  ];
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

/**
 * The rules of the settings about commands and tools, each list in its order; what a person must approve is refused. A
 * project's rules can only refuse. Rules about paths and hosts are enforced elsewhere.
 */
function configuredRules(policy: AttemptPolicy | undefined): Rule[] {
  if (policy === undefined) return [];
  const { role, person, project, granted } = policy;
  const refusing = project.filter(({ decision }) => decision !== 'allow');
  return [...refusing, ...person].slice(0, MOST_RULES).flatMap((each, index) => {
    if (each.path !== undefined || each.host !== undefined || each.role?.includes(role) === false) return [];
    const decision = each.decision === 'allow' ? 'allow' : 'deny';
    const priority = FIRST_PRIORITY - index;
    const approved =
      each.decision === 'ask' ? granted.flatMap((subject) => /^Bash (.+)$/s.exec(subject)?.[1] ?? []) : [];
    const commands = (each.command ?? [])
      .map((pattern) => pattern.replace(/ ?\*$/, ''))
      .filter((text) => !text.includes('*'));
    const tools = each.command === undefined ? geminiTools(each.tool ?? []) : [];
    return [
      rule('allow', priority, { commands: approved }),
      rule(decision, priority, { commands }),
      rule(decision, priority, { tools }),
    ];
  });
}

/** Gemini's own names of the tools that rules name. */
function geminiTools(names: readonly string[]): string[] {
  const own: Readonly<Record<string, readonly string[]>> = {
    Bash: [SHELL],
    Edit: ['write_file', 'replace'],
    Read: ['read_file', 'read_many_files', 'list_directory', 'glob', 'search_file_content'],
    WebFetch: ['web_fetch', 'google_web_search'],
  };
  return names.flatMap((name) => own[name] ?? (TOOL.test(name) ? [name] : []));
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
