import type { Detection, ProposedCheck } from './detect.ts';

/** What a person decided, or the defaults. */
export type Choices = {
  checks: Pick<ProposedCheck, 'name' | 'run'>[];
  /** Checks that were run and did not pass, with how they ended: they become a comment. */
  failed?: (Pick<ProposedCheck, 'name' | 'run'> & { result: string })[];
  setup: string[];
  /** Ignored files that may be copied into workspaces: only those a person named. */
  copyFiles: string[];
  /** The branch that every run starts from; null leaves it to what is checked out, and to the kind of work. */
  base: string | null;
};

/** A part of the settings file: its value, and the comment above it. */
export type Part = { key: string; value: unknown; comment: string; alternatives: string[] };

/** The defaults: the checks that prove most, and no private file. */
export function defaultChoices(detection: Detection): Choices {
  const { checks, setup } = detection;
  return { checks: checks.filter(({ isWanted }) => isWanted), setup, copyFiles: [], base: null };
}

/** The settings of a new project, part by part; a part without a value becomes a comment. */
export function draftSettings(detection: Detection, choices: Choices): Part[] {
  const { forge, keyFiles } = detection;
  const { failed = [] } = choices;
  const named = [...choices.checks, ...failed];
  const others = detection.checks.filter(({ run }) => !named.some((chosen) => chosen.run === run));
  const foreign = forge !== null && forge.provider !== null && !isPublicHost(forge.host);
  return [
    {
      key: 'checks',
      value: choices.checks.map(({ name, run }) => ({ name, run })),
      comment:
        choices.checks.length === 0
          ? 'No command that proves a change was found. Without one every result is called unverified.'
          : 'Commands that must exit 0 on the merged result before anything lands.',
      alternatives:
        named.length + others.length === 0 ? ['- npm test'] : [...failedChecks(failed), ...otherChecks(others)],
    },
    {
      key: 'workspace',
      value: {
        ...(choices.setup.length === 0 ? {} : { setup: choices.setup }),
        ...(detection.dependencyDirs.length === 0 || choices.setup.length > 0
          ? {}
          : { copyDirs: detection.dependencyDirs }),
        ...(choices.copyFiles.length === 0 ? {} : { copyFiles: choices.copyFiles }),
      },
      comment:
        'How a fresh copy of the repository is made ready: the folders of copyDirs are copied from your checkout, then setup runs.',
      alternatives: copyAlternative(detection.privateFiles.filter((file) => !choices.copyFiles.includes(file))),
    },
    {
      key: 'git',
      value: {
        ...(choices.base === null ? {} : { base: choices.base }),
        ...(foreign ? { provider: forge.provider } : {}),
        ...(forge !== null && forge.remote !== 'origin' ? { remote: forge.remote } : {}),
      },
      comment: 'Work starts from the branch that is checked out, and lands there, unless one is named.',
      alternatives: choices.base !== null || detection.base === null ? [] : [`base: ${JSON.stringify(detection.base)}`],
    },
    {
      key: 'project',
      value: keyFiles.length === 0 ? {} : { keyFiles },
      comment: 'What agents should read first.',
      alternatives: ['testInstructions: docs/testing.md'],
    },
  ];
}

function failedChecks(failed: NonNullable<Choices['failed']>): string[] {
  if (failed.length === 0) return [];
  return [
    'Failed when init --prove ran it, and so not used; add it once it passes:',
    ...failed.map(({ name, run, result }) => `- ${JSON.stringify({ name, run })}  # ${result}`),
  ];
}

function otherChecks(others: readonly ProposedCheck[]): string[] {
  if (others.length === 0) return [];
  return ['Found too, and not used:', ...others.map(({ name, run }) => `- ${JSON.stringify({ name, run })}`)];
}

function copyAlternative(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  return [
    'Ignored files that a workspace may need. Agents can read what is copied:',
    `copyFiles: ${JSON.stringify(files)}`,
  ];
}

function isPublicHost(host: string): boolean {
  return ['github.com', 'gitlab.com', 'bitbucket.org'].includes(host);
}
