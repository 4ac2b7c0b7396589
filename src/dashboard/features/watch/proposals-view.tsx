import { type FormEvent, type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import type { OperationOutput } from '../../../operations/all.ts';
import { useAction } from '../../api/use-operation.ts';
import { runPath } from '../../ui/browser/page-paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import styles from '../../ui/layout/card-list.module.css';
import { Panel } from '../../ui/layout/panel.tsx';

type Proposal = OperationOutput<'show-watch'>['proposals'][number];
type ProposalsViewProps = { dir: string; proposals: readonly Proposal[] };

/** The proposals of a watcher, those to decide first. */
export function ProposalsView({ dir, proposals }: ProposalsViewProps): ReactElement {
  const sorted = [...proposals].sort(
    (a, b) => Number(b.status === 'new') - Number(a.status === 'new') || b.lastAt - a.lastAt,
  );
  return (
    <Panel title="Proposals">
      <div className={styles.list}>
        {sorted.length === 0 ? (
          <EmptyState title="No proposals">A second agent confirms a proposal before it is shown.</EmptyState>
        ) : null}
        {sorted.map((proposal) => (
          <ProposalCard key={proposal.id} dir={dir} proposal={proposal} />
        ))}
      </div>
    </Panel>
  );
}

function ProposalCard({ dir, proposal }: { dir: string; proposal: Proposal }): ReactElement {
  const { id, title, category, description, file, line, evidence, confidence, confirmation, status, run, reason } =
    proposal;
  const [isRejecting, setRejecting] = useState(false);
  const accepting = useAction('accept-proposal', { done: 'It became a run', changes: ['show-watch'] });
  return (
    <article className={styles.card} aria-label={title}>
      <div className={styles.head}>
        <strong>{title}</strong>
        {status !== 'new' ? null : (
          <span>
            <Button
              weight="main"
              busy={accepting.isBusy}
              onClick={() => accepting.act({ proposal: id, options: { dir } })}
            >
              Accept
            </Button>
            <Button onClick={() => setRejecting(true)}>Reject</Button>
          </span>
        )}
      </div>
      <p>{description}</p>
      <p className="quiet">
        {file}:{line} · {category} · {Math.round(confidence * 100)} % · {status}
        {reason === null ? '' : ` (${reason})`}
        {run === null ? null : (
          <>
            {' · '}
            <Link href={runPath(run)} className="link">
              its run
            </Link>
          </>
        )}
      </p>
      {evidence === '' ? null : <pre>{evidence}</pre>}
      <p className="quiet">{confirmation}</p>
      {isRejecting ? <RejectForm dir={dir} proposal={id} onDone={() => setRejecting(false)} /> : null}
    </article>
  );
}

type RejectFormProps = { dir: string; proposal: string; onDone(): void };

function RejectForm({ dir, proposal, onDone }: RejectFormProps): ReactElement {
  const [reason, setReason] = useState('');
  const rejecting = useAction('reject-proposal', { done: 'Rejected', onDone, changes: ['show-watch'] });
  const reject = (event: FormEvent) => {
    event.preventDefault();
    rejecting.act({ dir, proposal, reason });
  };
  return (
    <form className={styles.form} onSubmit={reject} aria-label="Reject the proposal">
      <label>
        Why? The watcher remembers it.
        <input value={reason} required maxLength={2_000} onChange={(event) => setReason(event.target.value)} />
      </label>
      <span>
        <Button type="submit" weight="danger" busy={rejecting.isBusy}>
          Reject
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </span>
    </form>
  );
}
