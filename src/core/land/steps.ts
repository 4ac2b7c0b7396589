import { StepsOutput } from '../../schema/output.ts';

export type StepsVerdict = { passed: boolean; summary: string; report: string };

const STEP_LINE = /^[\s*#>_-]*STEP\s+(\d{1,4})\s*[:.)-]+\s*\**\s*(PASS(?:ED)?|FAIL(?:ED)?)\b\**[\s:.,–—-]*(.*)$/i;
const VERDICT_LINE = /^[\s*#>_-]*VERDICT\s*:\s*\**\s*(PASS(?:ED)?|FAIL(?:ED)?)\b/i;

/** Reads a verifier's answer that is written as lines `STEP 2: FAIL why`; undefined when there is no such line. */
export function stepsFromText(text: string): StepsOutput | undefined {
  const steps = new Map<number, StepsOutput['steps'][number]>();
  let verdict: 'pass' | 'fail' | undefined;
  for (const line of text.split(/\r?\n/)) {
    const match = STEP_LINE.exec(line);
    const number = Number(match?.[1] ?? 0);
    if (match !== null && number > 0)
      steps.set(number, { step: number, result: verdictOf(match[2]), note: match[3]?.trim() ?? '' });
    const whole = VERDICT_LINE.exec(line);
    if (whole !== null) verdict = verdictOf(whole[1]);
  }
  if (steps.size === 0 && verdict === undefined) return undefined;
  const listed = [...steps.values()].sort((a, b) => a.step - b.step);
  return { steps: listed, summary: '', ...(verdict === undefined ? {} : { verdict }) };
}

/** Whether every step that was requested passed: a step without a result did not, and a failure of anything else counts too. */
export function judgeSteps(output: unknown, requested: readonly string[]): StepsVerdict {
  const answer = StepsOutput.safeParse(output);
  if (!answer.success)
    return { passed: false, summary: 'The verification reported nothing about the steps', report: '' };
  const { steps, verdict, summary } = answer.data;
  const results = resultsOf(steps);
  const expected = requested.length > 0 ? requested.map((_, index) => index + 1) : steps.map(({ step }) => step);
  const further = [...results.values()].filter(({ step, result }) => result === 'fail' && !expected.includes(step));
  const numbers = [...expected, ...further.map(({ step }) => step)];
  const failed = numbers.filter((number) => results.get(number)?.result !== 'pass');
  const passed = verdict !== 'fail' && failed.length === 0 && (numbers.length > 0 || verdict === 'pass');
  const lines = numbers.map((number) => lineOf(number, requested[number - 1], results.get(number)));
  return {
    passed,
    summary: summaryOf(passed, numbers.length, failed.length),
    report: [...lines, ...(summary === '' ? [] : ['', summary])].join('\n').trim(),
  };
}

/** The result of each step; a step that is also called failed has failed. */
export function resultsOf<Step extends { step: number; result: 'pass' | 'fail' }>(
  steps: readonly Step[],
): Map<number, Step> {
  const failed = steps.filter(({ result }) => result === 'fail');
  return new Map([...steps, ...failed].map((step) => [step.step, step]));
}

/** Says that something is so, and nothing about what was run or seen. */
const BARE_CLAIM =
  /^(?:ok(?:ay)?|yes|done|pass(?:ed|es)?|good|fine|lgtm|looks (?:good|fine)(?: to me)?|(?:it )?works|verified|checked|confirmed|reached|implemented|completed?|n\/?a|none|true|as (?:requested|planned))$/i;

/** Whether the note of a result says what was run or seen. */
export function isShownBy(note: string): boolean {
  const words = note
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[^\p{L}\p{N}/]+/gu, ' ')
    .trim();
  return /\p{L}{2}/u.test(words) && !BARE_CLAIM.test(words);
}

function lineOf(number: number, text: string | undefined, result: StepsOutput['steps'][number] | undefined): string {
  const label = result === undefined ? 'NOT VERIFIED' : result.result.toUpperCase();
  const note = result?.note === undefined || result.note === '' ? '' : `\n  ${result.note}`;
  return `STEP ${number}: ${label}${text === undefined ? '' : ` ${text}`}${note}`;
}

function summaryOf(passed: boolean, count: number, failed: number): string {
  if (count === 0) return passed ? 'The verification passed' : 'The verification failed';
  return passed ? `${count} of ${count} steps passed` : `${failed} of ${count} steps did not pass`;
}

function verdictOf(label: string | undefined): 'pass' | 'fail' {
  return label?.toLowerCase().startsWith('pass') ? 'pass' : 'fail';
}
