import picomatch from 'picomatch';
import type { PolicyDecision } from '../../schema/config/policy.ts';
import { isCommandOf, mayBeCommandOf } from './command-pattern.ts';
import { globMatcher } from './path-glob.ts';
import { type CommandLine, parseCommandLine } from './shell-commands.ts';

/** A rule; it applies where everything that it names matches. `source` is where it comes from, for people. */
export type Rule = {
  decision: PolicyDecision;
  tool?: readonly string[] | undefined;
  path?: readonly string[] | undefined;
  command?: readonly string[] | undefined;
  host?: readonly string[] | undefined;
  role?: readonly string[] | undefined;
  reason?: string | undefined;
  source: string;
};

/** Rules of which the first that applies decides. Of several lists the strictest decision counts. */
export type RuleList = readonly Rule[];

/** What an agent wants to do. `tool` is the vendor's name, `kind` ours; paths inside the workspace are relative to it, others absolute. */
export type PolicyRequest = {
  role: string;
  tool: string;
  kind: ToolKind;
  paths?: readonly string[];
  command?: string;
  host?: string;
  /** The path in the workspace, or the absolute one, of a path in a command. */
  inside?(path: string): string;
};

/** The tools that rules name whatever the vendor calls them. */
export type ToolKind = 'Read' | 'Edit' | 'Bash' | 'WebFetch' | 'other';

/** One thing that a request does: a command of a command line, a path, a host. */
type Facet = { path?: string; forms?: readonly string[]; isOpaque?: boolean; host?: string; subject: string };

/** The decision with the rule that made it; without a rule nothing applies, and it is allowed. `subject` is what it is about, and what a person approves. */
export type RuleDecision = { decision: PolicyDecision; rule?: Rule; subject: string; path?: string };

const STRICTNESS: Readonly<Record<PolicyDecision, number>> = { allow: 0, ask: 1, deny: 2 };

/** Decides a request by every list; `granted` are subjects that a person has approved, which need no further approval. */
export function decidePolicy(
  lists: readonly RuleList[],
  request: PolicyRequest,
  granted: readonly string[] = [],
): RuleDecision {
  let strictest: RuleDecision | undefined;
  for (const facet of facetsOf(request)) {
    for (const rules of lists) {
      const rule = rules.find((each) => applies(each, request, facet));
      const decided = decidedBy(rule, facet, granted);
      if (strictest === undefined || isStricter(decided, strictest)) strictest = decided;
    }
  }
  return strictest ?? { decision: 'allow', subject: request.tool };
}

function decidedBy(rule: Rule | undefined, { subject, path }: Facet, granted: readonly string[]): RuleDecision {
  const about = path === undefined ? { subject } : { subject, path };
  if (rule === undefined) return { decision: 'allow', ...about };
  const isGranted = rule.decision === 'ask' && granted.includes(subject);
  return { decision: isGranted ? 'allow' : rule.decision, rule, ...about };
}

/** Of two equal decisions the one that a rule made is kept. */
function isStricter(one: RuleDecision, other: RuleDecision): boolean {
  const difference = STRICTNESS[one.decision] - STRICTNESS[other.decision];
  return difference > 0 || (difference === 0 && other.rule === undefined && one.rule !== undefined);
}

function facetsOf({ tool, kind, paths = [], command, host, inside }: PolicyRequest): Facet[] {
  const line = command === undefined ? undefined : parseCommandLine(command);
  const facets = [
    ...(line === undefined ? [] : commandFacets(line, inside ?? ((path) => path))),
    ...paths.map((path) => ({ path, subject: `${kind === 'other' ? tool : kind} ${path}` })),
    ...(host === undefined ? [] : [{ host: host.toLowerCase(), subject: `${kind === 'other' ? tool : kind} ${host}` }]),
  ];
  return facets.length === 0 ? [{ subject: tool }] : facets;
}

/** Each command by itself, and each path that it writes together with it. */
function commandFacets({ commands, isOpaque }: CommandLine, inside: (path: string) => string): Facet[] {
  return commands.flatMap(({ text, forms, writes }) => [
    { forms, isOpaque, subject: `Bash ${text}` },
    ...writes.map((path) => ({ forms, isOpaque, path: inside(path), subject: `Bash ${withTarget(text, path)}` })),
  ]);
}

/** A person who approves a command that writes a file approves exactly that file. */
function withTarget(text: string, path: string): string {
  return text.split(' ').includes(path) ? text : `${text} > ${path}`;
}

function applies(rule: Rule, { role, tool, kind }: PolicyRequest, facet: Facet): boolean {
  return (
    (rule.role === undefined || rule.role.some((name) => isGlobOf(name, role))) &&
    (rule.tool === undefined || rule.tool.some((name) => isGlobOf(name, tool) || isGlobOf(name, kind))) &&
    (rule.path === undefined || (facet.path !== undefined && matcherOf(rule)(facet.path))) &&
    (rule.host === undefined || (facet.host !== undefined && rule.host.some((name) => isHost(name, facet.host)))) &&
    (rule.command === undefined || isCommand(rule, facet))
  );
}

/** What is refused is refused in every spelling; what is allowed must be plainly that. */
function isCommand({ decision, command = [] }: Rule, { forms, isOpaque }: Facet): boolean {
  if (forms === undefined || (decision === 'allow' && isOpaque)) return false;
  const [plain = ''] = forms;
  if (decision === 'allow') return command.some((pattern) => isCommandOf(pattern, plain));
  return forms.some((form) => command.some((pattern) => mayBeCommandOf(pattern, form)));
}

function isGlobOf(pattern: string, name: string): boolean {
  return pattern === name || (pattern.includes('*') && picomatch.makeRe(pattern, { dot: true }).test(name));
}

/** `*.example.org` is every host below it, and not the host itself. */
function isHost(pattern: string, host = ''): boolean {
  const name = pattern.toLowerCase();
  if (name === '*' || name === host) return true;
  return name.startsWith('*.') && host.endsWith(name.slice(1)) && host.length > name.length - 1;
}

const matchers = new WeakMap<Rule, (path: string) => boolean>();

/** What is refused is found in every spelling of a path; what is allowed must be exactly it. */
function matcherOf(rule: Rule): (path: string) => boolean {
  const known = matchers.get(rule);
  if (known !== undefined) return known;
  const matcher = globMatcher(rule.path ?? [], rule.decision === 'allow' ? 'exact' : 'loose');
  matchers.set(rule, matcher);
  return matcher;
}

/** The message to an agent about a refused call; for one that a person must approve, that it is held. */
export function refusalText({ decision, rule, subject, path }: RuleDecision): string {
  if (decision === 'ask')
    return `${subject} needs the approval of a person${rule?.reason === undefined ? '' : `: ${rule.reason}`}. It is held for them; do not try it in another way. Finish what does not depend on it, then end.`;
  if (rule === undefined || isConfigured(rule)) return `${subject}: ${rule?.reason ?? 'the policy denies it'}`;
  const reason = rule.reason ?? 'is denied';
  return path !== undefined && /^(is|belongs) /.test(reason) ? `${path} ${reason}` : reason;
}

/** Whether a rule is one of the `policy` settings, and not a view of another setting. */
function isConfigured({ source }: Rule): boolean {
  return source.startsWith('policy[');
}
