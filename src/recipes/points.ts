import { z } from 'zod';
import { lastAttempt, type TaskState } from '../core/run/state.ts';
import type { ProgressDocument } from '../schema/progress.ts';

const Text = z.string().trim();
const STANCES = ['agree', 'dispute', 'unsure'] as const;
type Stance = (typeof STANCES)[number];

/** What a participant hands over: what it thinks of the points so far, and points of its own, each with evidence. */
export const PointsAnswer = z.object({
  position: Text.max(8_000).default(''),
  answers: z
    .array(z.object({ point: Text.max(20), stance: z.enum(STANCES), evidence: Text.max(2_000).default('') }))
    .max(200)
    .default([]),
  points: z
    .array(z.object({ claim: Text.min(1).max(1_000), evidence: Text.max(2_000).default('') }))
    .max(30)
    .default([]),
  gaps: z.array(Text.max(500)).max(30).default([]),
});
export type PointsAnswer = z.infer<typeof PointsAnswer>;

/** The same with a verdict on the positions of the others. */
export const PointsOutput = PointsAnswer.extend({
  verdict: z.enum(['agree', 'disagree', 'partial']),
  nothingLeft: z.boolean().default(false),
});
export type PointsOutput = z.infer<typeof PointsOutput>;

/** A statement that participants judge, and what each of them thinks of it; its author agrees with it. */
export type Point = {
  id: string;
  claim: string;
  by: string;
  stances: Record<string, { stance: Stance; evidence: string }>;
};

export type SortedPoints = { agreed: Point[]; disputed: Point[]; open: Point[] };

/** Points beyond this many are not taken up: prompts stay bounded. */
const MOST_POINTS = 40;
const EVIDENCE_CHARS = 400;

/** A quoted command or name, a path, a file or its line, a command: something that another one can look at. */
const QUOTED = /`([^`]+)`/g;
const PATH = /(?<![\w/])[\w@.-]+\/[\w./@-]*\w/g;
const FILE =
  /\b[\w-]+\.\w{1,10}:\d+|\b[\w-]+\.(?:[cm]?[jt]sx?|json[lc5]?|mdx?|py|ipynb|rb|go|mod|sum|rs|java|kts?|c|h|cc|cpp|hpp|mm|cs|fsx?|vb|\w+proj|sln|php|(?:ba|z)?sh|ps1|bat|ya?ml|toml|lock|txt|rst|adoc|s?css|less|sass|html?|xml|sql|swift|scala|vue|svelte|astro|prisma|graphql|gql|ini|cfg|conf|env|csv|tf|tfvars|hcl|proto|gradle|gemspec|lua|pl|pm|exs?|erl|hs|mli?|clj|dart|jl|zig|nix|log|hbs|ejs)\b|\b[\w-]{2,}\.[mr]\b|\b(?:Makefile|Dockerfile)\b|\b\w+file:\d+|\$ \S+/i;
/** Names of files without an ending, and of files that begin with a dot. */
const NAMED_FILE =
  /\b(?:(?:Gem|Rake|Proc|Jenkins|Vagrant|Brew|Just|Pip|Pod|Caddy)file|LICEN[CS]E|COPYING|NOTICE|README|CHANGELOG|CONTRIBUTING|CODEOWNERS|(?:requirements|MANIFEST)\.in)\b|(?<![^\s"'(])\.[a-z][\w.-]*(?:rc|ignore|attributes|config|keep|version)\b/;
/** A command by the name of its program, and its result. */
const COMMAND =
  /\b(?:(?:npm|npx|pnpm|yarn|bun|deno|tsc|eslint|biome|vitest|jest|mocha|pytest|tox|ruff|mypy|python3?|pip|cargo|go (?:test|build|vet|run|list|mod)|cmake|ctest|mvn|gradlew?|dotnet|rspec|phpunit|git (?:log|diff|status|show|grep|blame|ls-files|bisect)|grep|rg|ls|wc|curl|docker|kubectl|terraform|shellcheck)\b[^!?\n]{0,80}?|make(?: [\w-]+)?:? )\b(?:print(?:s|ed)|show(?:s|ed)|report(?:s|ed)|fail(?:s|ed)|pass(?:es|ed)|exit(?:s|ed)|return(?:s|ed)|says|outputs|lists|counts|found|finds|gives)\b/i;
/** Words that look like a name or a path and show nothing. */
const EMPTY =
  /^(?:yes|no|ok(?:ay)?|true|false|agreed?|none|sure|done|it|this|that|(?:the )?code|n\/a|w\/o|i\/o|\d+\/\d+|(?:and|either)\/or|yes\/no|no\/yes|true\/false|pass\/fail|on\/off|read\/write|input\/output|pros\/cons|agree\/disagree|s?he\/(?:s?he|they))$/i;

/** What a participant handed over, if its task is done. */
export function pointsOf(task: TaskState | undefined): PointsOutput | undefined {
  if (task?.phase.status !== 'done') return undefined;
  return PointsOutput.safeParse(lastAttempt(task)?.ended?.output).data;
}

/** The points of these answers, in their order; a later answer of the same participant replaces its earlier one. */
export function collectPoints(answers: readonly { by: string; output: PointsAnswer }[]): Point[] {
  const points: Point[] = [];
  for (const { by, output } of answers) {
    for (const { point, stance, evidence } of output.answers) {
      const found = points.find(({ id }) => id === point);
      if (found !== undefined) found.stances[by] = { stance, evidence };
    }
    for (const { claim, evidence } of output.points) {
      const isKnown = points.some((point) => point.claim.toLowerCase() === claim.toLowerCase());
      if (isKnown || points.length >= MOST_POINTS) continue;
      points.push({ id: `P${points.length + 1}`, claim, by, stances: { [by]: { stance: 'agree', evidence } } });
    }
  }
  return points;
}

/** Agreed is what every participant agrees with and at least two show; what is agreed without evidence stays open. */
export function sortPoints(points: readonly Point[], participants: readonly string[]): SortedPoints {
  const sorted: SortedPoints = { agreed: [], disputed: [], open: [] };
  const needed = Math.min(2, participants.length);
  for (const point of points) {
    const stances = participants.map((name) => point.stances[name]);
    const shown = stances.filter((entry) => entry?.stance === 'agree' && isEvidence(entry.evidence)).length;
    if (stances.some((entry) => entry?.stance === 'dispute')) sorted.disputed.push(point);
    else if (stances.every((entry) => entry?.stance === 'agree') && shown >= needed) sorted.agreed.push(point);
    else sorted.open.push(point);
  }
  return sorted;
}

/** Whether a text names something that another one can look at: a file, a line, a command. */
export function isEvidence(text: string): boolean {
  const plain = text.replaceAll(/\p{Cf}/gu, '');
  const named = [...plain.matchAll(QUOTED)].map(([, quoted = '']) => quoted.trim()).concat(plain.match(PATH) ?? []);
  const isNamed = [FILE, NAMED_FILE, COMMAND].some((pattern) => pattern.test(plain));
  return isNamed || named.some((name) => /\w/.test(name) && !EMPTY.test(name));
}

/** Why an answer cannot be used, if it cannot: agreement needs evidence. */
export function refusePoints(output: unknown): string | undefined {
  const parsed = PointsOutput.safeParse(output);
  if (!parsed.success) return issuesOf(parsed.error);
  const { verdict, answers, points } = parsed.data;
  const shown = [...answers.filter(({ stance }) => stance === 'agree'), ...points].some(({ evidence }) =>
    isEvidence(evidence),
  );
  if (verdict === 'agree' && !shown)
    return 'it agrees without evidence; name the file and line, or the command and its output, that shows it';
  const contradiction = verdict === 'agree' && answers.find(({ stance }) => stance === 'dispute');
  return contradiction ? `its verdict is agree, but it disputes ${contradiction.point}` : undefined;
}

/** What is wrong with an answer, for the agent that gave it. */
export function issuesOf({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`).join('; ');
}

/** The points with what was said about them, for the next prompt. */
export function pointLines(points: readonly Point[]): string {
  return points
    .map(({ id, claim, by, stances }) => {
      const views = Object.entries(stances).map(
        ([name, { stance, evidence }]) =>
          `  - ${name}: ${stance}${evidence === '' ? '' : `: ${evidence.slice(0, EVIDENCE_CHARS)}`}`,
      );
      return [`${id} (${by}): ${claim}`, ...views].join('\n');
    })
    .join('\n');
}

/** The outcome as a document: agreed, disputed, open, with who said what and on what evidence. */
export function pointsDocument(
  title: string,
  { agreed, disputed, open }: SortedPoints,
  more: readonly string[] = [],
): string {
  const part = (heading: string, points: readonly Point[]) => [
    `## ${heading}`,
    '',
    points.length === 0 ? 'None.' : pointLines(points).replace(/^(P\d+)/gm, '- **$1**'),
    '',
  ];
  return [`# ${title}`, '', ...part('Agreed', agreed), ...part('Disputed', disputed), ...part('Open', open), ...more]
    .join('\n')
    .trimEnd();
}

/** The points as the progress of a run. */
export function pointsProgress(sorted: SortedPoints): ProgressDocument['points'] {
  const rows = (points: readonly Point[], status: 'done' | 'rejected' | 'open') =>
    points.map(({ id, claim, stances }) => ({
      id,
      title: claim,
      status,
      by: Object.entries(stances)
        .map(([name, { stance }]) => `${name} ${stance}`)
        .join(', '),
      round: null,
      evidence: Object.values(stances).find(({ evidence }) => evidence !== '')?.evidence ?? null,
    }));
  const all = [...rows(sorted.agreed, 'done'), ...rows(sorted.disputed, 'rejected'), ...rows(sorted.open, 'open')];
  return all.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}
