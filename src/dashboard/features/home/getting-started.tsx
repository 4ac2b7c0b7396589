import type { ReactElement, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useAction } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
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
          <p>In a sample repository that is made for it. Your own repositories are not touched.</p>
          <p className={styles.buttons}>
            <RehearseButton />
            <span className="quiet">
              or in a terminal <Copyable text="mh demo" />
            </span>
          </p>
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
        <LinkButton to="/start">New run</LinkButton>
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

/** Makes the sample and starts the rehearsal in it, then shows the run. */
function RehearseButton(): ReactElement {
  const [, navigate] = useLocation();
  const start = useAction('start-run', { onDone: ({ run }) => navigate(runPath(run)) });
  const make = useAction('make-demo', {
    onDone: ({ goal, options }) => start.act({ recipe: 'goal', input: { goal }, options }),
  });
  return (
    <Button weight="main" busy={make.isBusy || start.isBusy} onClick={() => make.act({})}>
      Rehearse now
    </Button>
  );
}
