import { AppError } from '../../errors.ts';
import type { PullRequest } from '../../schema/pull-request.ts';
import type { Platform } from '../platform.ts';
import { cleanText } from '../render/clean-text.ts';
import { tableLines } from '../render/output.ts';

const COLUMNS = [
  { title: '#', right: true },
  { title: 'ID', right: true },
  { title: 'AUTHOR', most: 20 },
  { title: 'BRANCH', most: 32 },
  { title: 'TITLE' },
];

/** Shows the open pull requests and lets the user choose; without a terminal it is a usage error. */
export async function choosePullRequests(
  platform: Pick<Platform, 'terminal' | 'ask'>,
  open: readonly PullRequest[],
): Promise<number[]> {
  const { terminal, ask } = platform;
  if (open.length === 0) {
    terminal.err('There is no open pull request.\n');
    return [];
  }
  const rows = open.map(({ number, author, head, title, draft }, index) =>
    [String(index + 1), String(number), author, head.branch, `${draft ? '(draft) ' : ''}${title}`].map(cleanText),
  );
  for (const line of tableLines(COLUMNS, rows, terminal.size().columns)) terminal.err(`${line}\n`);
  const answer = await ask("Pull requests to review: numbers of the first column (1,2), 'all', or 'q' to quit");
  if (answer === undefined)
    throw new AppError(
      'USAGE',
      'There is no terminal to ask which pull requests to review: name them with --pr <number> or --from-run',
    );
  return parseChoice(answer, open);
}

/** The pull requests that an answer such as `1,3`, `all` or `q` selects. */
export function parseChoice(answer: string, open: readonly PullRequest[]): number[] {
  const choice = answer.trim().toLowerCase();
  if (choice === '' || choice === 'q') return [];
  if (choice === 'all') return open.map(({ number }) => number);
  const positions = choice.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(positions)].map((word) => {
    const pull = /^\d+$/.test(word) ? open[Number(word) - 1] : undefined;
    if (pull !== undefined) return pull.number;
    throw new AppError('USAGE', `${word} is not a number from 1 to ${open.length}`, { word });
  });
}
