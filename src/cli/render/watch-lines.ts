import { moneyText } from '../../core/view/amounts.ts';
import type { OperationOutput } from '../../operations/all.ts';
import type { WatchEvent } from '../../schema/watch/watch-event.ts';
import { cleanText, oneLine } from './clean-text.ts';

type Series = OperationOutput<'show-watch'>;

/** The series of a project for a terminal. */
export function watchLines(series: Series): string[] {
  const { proposals, discussions, reviews, today, summaries } = series;
  const open = proposals.filter(({ status }) => status === 'new');
  const decided = proposals.filter(({ status }) => status !== 'new').slice(-10);
  return [
    statusLine(series),
    ...(series.problem === null ? [] : [`The round could not start and will be retried: ${oneLine(series.problem)}`]),
    ...section('Proposals', open.flatMap(proposalLines)),
    ...section(
      'Decided',
      decided.map(({ id, status, title, reason, run }) => `  ${id} ${status}: ${oneLine(title)}${tail(reason ?? run)}`),
    ),
    ...section('Discussions', discussions.flatMap(discussionLines)),
    ...section(
      'Draft reviews',
      reviews.flatMap(({ number, title, status, text }) => [
        `  #${number} ${status}: ${oneLine(title)}`,
        ...(status === 'draft' ? indented(text) : []),
      ]),
    ),
    ...section(`Today (${today.day})`, indented(today.text)),
    ...summaries.slice(0, 3).flatMap(({ day, text }) => section(day, indented(text))),
  ];
}

function statusLine({ active, round, running, next, spentToday, budgetPerDay }: Series): string {
  const rounds = `${round} ${round === 1 ? 'round' : 'rounds'}`;
  if (!active)
    return round === 0
      ? 'The project is not watched. Start it with: manyhands watch'
      : `Not watched now; ${rounds} so far.`;
  const now =
    running === null
      ? `next round ${next === null ? 'soon' : `at ${next}`}`
      : `round ${running.round} runs (${running.why}, ${running.run})`;
  const money = budgetPerDay === null ? '' : `; ${moneyText(spentToday)} of ${moneyText(budgetPerDay)} today`;
  return `Watched: ${rounds}, ${now}${money}`;
}

function proposalLines({
  id,
  title,
  category,
  file,
  line,
  confidence,
  seen,
  description,
  confirmation,
}: Series['proposals'][number]): string[] {
  const often = seen === 1 ? '' : `, found ${seen} times`;
  return [
    `  ${id} ${oneLine(title)} (${category}, ${oneLine(file)}:${line}, ${Math.round(confidence * 100)} %${often})`,
    ...(description === '' ? [] : indented(description)),
    ...(confirmation === '' ? [] : [`    confirmed: ${oneLine(confirmation)}`]),
  ];
}

function discussionLines({ id, messages }: Series['discussions'][number]): string[] {
  return [
    `  ${id}`,
    ...messages.slice(-6).flatMap(({ by, text }) => indented(`${by === 'person' ? 'you' : 'agent'}: ${text}`)),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function indented(text: string): string[] {
  return cleanText(text)
    .split('\n')
    .map((line) => `    ${line}`);
}

function tail(text: string | null): string {
  return text === null ? '' : ` (${oneLine(text)})`;
}

/** One line about what happened to a series. */
export function watchEventText({ type, data }: WatchEvent): string {
  switch (type) {
    case 'watch.started':
      return `watching, at most ${moneyText(data.settings.budgetPerDay)} a day`;
    case 'watch.stopped':
      return `stopped: ${oneLine(data.reason)}`;
    case 'watch.round-started':
      return `round ${data.round} (${data.why}): run ${data.run}`;
    case 'watch.round-ended': {
      const { proposals, replies, reviews } = data.result;
      return `round ${data.round} ended: ${proposals.length} proposals, ${replies.length} answers, ${reviews.length} draft reviews, ${moneyText(data.spentUsd)}`;
    }
    case 'watch.messaged':
    case 'watch.said':
      return `message in ${data.discussion}`;
    case 'watch.round-failed':
      return `no round could begin, it tries again: ${oneLine(data.reason)}`;
    case 'watch.proposal-decided':
      return `${data.proposal} ${data.status}${tail(data.reason ?? data.run ?? null)}`;
    case 'watch.review-settled':
      return `review of #${data.number} ${data.status}`;
  }
}
