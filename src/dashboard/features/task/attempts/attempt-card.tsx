import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import type { AttemptState } from '../../../../core/run/state.ts';
import { Duration, Money, Time } from '../../../ui/amounts.tsx';
import { taskPath } from '../../../ui/paths.ts';
import { StateMark } from '../../../ui/state-mark.tsx';
import { modelOf } from '../task-facts.ts';
import styles from './attempts.module.css';
import { Outcome } from './outcome.tsx';
import { Warnings } from './warnings.tsx';

type AttemptCardProps = { which: { run: string; task: string }; attempt: AttemptState; again(): void };

/** One attempt: who made it and why they, what it took, what came of it. The lines of all cards stand in the same order. */
export function AttemptCard({ which, attempt, again }: AttemptCardProps): ReactElement {
  const { number, ended, usage } = attempt;
  const look = ended === null ? 'running' : ended.failure === null ? 'done' : 'failed';
  const used = usage.kind === 'known' ? usage : undefined;
  return (
    <article className={styles.card} aria-label={`Attempt ${number}`}>
      <header className={styles.head}>
        <h2>Attempt {number}</h2>
        <StateMark look={look} />
      </header>
      <dl className={styles.facts}>
        <Fact name="Agent">{attempt.account === null ? attempt.agent : `${attempt.agent} · ${attempt.account}`}</Fact>
        <Fact name="Model">
          {[modelOf(usage) ?? 'not told', attempt.tier].filter((each) => each !== null).join(' · ')}
        </Fact>
        <Fact name="Chosen">{attempt.because}</Fact>
        <Fact name="Started">
          <Time at={attempt.startedAt} />
        </Fact>
        <Fact name={ended === null ? 'Running' : 'Took'}>
          <Duration from={attempt.startedAt} to={ended?.at ?? null} />
        </Fact>
        <Fact name="Turns">{figure(used?.turns)}</Fact>
        <Fact name="Tokens">
          {used === undefined ? '–' : `${figure(used.inputTokens)} in, ${figure(used.outputTokens)} out`}
        </Fact>
        <Fact name="Cost">
          <Money usd={used?.costUsd ?? null} />
          {usage.kind === 'unknown' && ended !== null ? <span className="quiet"> not known</span> : null}
        </Fact>
      </dl>
      {ended === null ? null : <Outcome ended={ended} />}
      <Warnings which={{ ...which, attempt: number }} warnings={attempt.warnings} again={again} />
      <p>
        <Link href={`${taskPath(which.run, which.task)}?attempt=${number}`} className={styles.link}>
          Read its transcript
        </Link>
      </p>
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </>
  );
}

function figure(number: number | undefined): string {
  return number === undefined ? '–' : number.toLocaleString('en-US');
}
