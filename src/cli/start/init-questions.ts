import type { Detection } from '../../init/detect.ts';
import { type Choices, defaultChoices } from '../../init/draft.ts';
import type { Setting } from '../../init/import/key-mapping.ts';
import { oneLine } from '../render/clean-text.ts';
import type { Questions } from '../terminal/questions.ts';

/** The user's decisions about a project that is being set up. */
export type Decisions = { choices: Choices; agreed: Setting[] };

/** Asks with what was detected as the default answers; null when the user cancels. */
export async function askDecisions(
  questions: Questions,
  detection: Detection,
  held: readonly Setting[],
): Promise<Decisions | null> {
  const choices = defaultChoices(detection);
  const checks = await askChecks(questions, detection);
  if (checks === null) return null;
  const base = await questions.text(
    'Branch that runs start from and land on (empty: the branch that is checked out)',
    '',
  );
  if (base === null) return null;
  const copyFiles = await askMany(questions, {
    question: 'Ignored files to copy into workspaces (agents can read them)',
    options: detection.privateFiles.map((file) => ({ value: file, label: file, isChosen: false })),
  });
  if (copyFiles === null) return null;
  const agreed = await askMany(questions, {
    question: 'Imported settings that give agents more permissions: select those to accept',
    options: held.map((setting, index) => ({
      value: String(index),
      label: oneLine(`${setting.to}: ${JSON.stringify(setting.value)}`),
      hint: oneLine(setting.widens ?? ''),
      isChosen: false,
    })),
  });
  if (agreed === null) return null;
  return {
    choices: { ...choices, checks, copyFiles, base: base === '' ? null : base },
    agreed: held.filter((_, index) => agreed.includes(String(index))),
  };
}

async function askChecks(questions: Questions, { checks }: Detection): Promise<Choices['checks'] | null> {
  const names = await askMany(questions, {
    question: 'Commands that must pass before anything lands',
    options: checks.map(({ name, run, isWanted }) => ({ value: name, label: run, hint: name, isChosen: isWanted })),
  });
  if (names === null) return null;
  const more = await questions.text('Another command that must pass (empty: none)', '');
  if (more === null) return null;
  const chosen = checks.filter(({ name }) => names.includes(name));
  return more === '' ? chosen : [...chosen, { name: freeName(names), run: more }];
}

/** Asks only if there are options. */
async function askMany(
  questions: Questions,
  { question, options }: { question: string; options: Parameters<Questions['choose']>[1] },
): Promise<string[] | null> {
  return options.length === 0 ? [] : questions.choose(question, options);
}

function freeName(taken: readonly string[]): string {
  return ['test', 'check', 'more'].find((name) => !taken.includes(name)) ?? 'own';
}
