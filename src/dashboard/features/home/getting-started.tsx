import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import { LinkButton } from '../../ui/controls/button.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import styles from './getting-started.module.css';

/** The first steps of a new user; they are free. */
export function GettingStarted(): ReactElement {
  return (
    <div className={styles.page}>
      <h1>Start your first run</h1>
      <p className={styles.lead}>
        Manyhands runs coding agents on a goal, each in its own workspace, checks their work and lands it on a branch.
        No run has been started yet. Begin with a rehearsal: a script replaces the model, everything else is real.
      </p>
      <ol className={styles.steps}>
        <Step number={1} title="Rehearse, free of charge">
          <p>In a terminal, in one of your git repositories. Your branch and files do not change.</p>
          <Copyable text={'mh do "Add a --json flag" --rehearse'} />
        </Step>
        <Step number={2} title="Watch it here">
          <p>The run appears on this page: first what needs you, then active runs, then ended runs.</p>
        </Step>
        <Step number={3} title="Use real agents">
          <p>
            <Link href="/models" className={styles.link}>
              Models
            </Link>{' '}
            shows which agents are available. Set the checks that must pass and a budget.
          </p>
          <Copyable text={'mh do "Add a --json flag" --check "npm test" --budget 2'} />
        </Step>
      </ol>
      <p className={styles.buttons}>
        <LinkButton to="/start" weight="main">
          New run
        </LinkButton>
        <span className="quiet">does the same in a form with all options.</span>
      </p>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }): ReactElement {
  return (
    <li className={styles.step}>
      <span className={styles.number} aria-hidden="true">
        {number}
      </span>
      <div className={styles.text}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
