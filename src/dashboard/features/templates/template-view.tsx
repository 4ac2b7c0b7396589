import type { ReactElement } from 'react';
import { useAction } from '../../api/use-operation.ts';
import { Button, LinkButton } from '../../ui/controls/button.tsx';
import { ConfirmButton } from '../../ui/controls/confirm-button.tsx';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { duration, Money } from '../../ui/text/amounts.tsx';
import { Copyable } from '../../ui/text/copyable.tsx';
import type { Template } from './template-form.tsx';
import styles from './templates.module.css';

type TemplateViewProps = { dir: string; template: Template; onEdit(): void; onRemoved(): void };

/** One template: its text, defaults, and job statistics by model. */
export function TemplateView({ dir, template, onEdit, onRemoved }: TemplateViewProps): ReactElement {
  const { name, from, file, statistics } = template;
  const removal = useAction('remove-template', {
    done: `${name} removed`,
    onDone: onRemoved,
    changes: ['list-templates'],
  });
  const remove = () => removal.act({ dir, name, scope: from === 'global' ? 'global' : 'project' });
  const facts = Object.entries({
    role: template.role,
    agent: template.agent,
    tier: template.tier,
    folder: template.dir,
  });
  return (
    <div className={styles.column}>
      <Panel
        title={name}
        actions={
          <>
            {from === 'built-in' ? null : (
              <ConfirmButton question={`Remove ${name}?`} yes="Remove" busy={removal.isBusy} onConfirm={remove}>
                Remove
              </ConfirmButton>
            )}
            <Button onClick={onEdit}>{from === 'built-in' ? 'Customize' : 'Edit'}</Button>
            <LinkButton
              to={`/start?recipe=job&template=${encodeURIComponent(name)}&dir=${encodeURIComponent(dir)}`}
              weight="main"
            >
              Start a job
            </LinkButton>
          </>
        }
      >
        <div className={styles.column}>
          <p>{template.summary}</p>
          <p className={styles.facts}>
            {facts.map(([key, value]) => (value === null ? null : <span key={key}>{`${key}: ${value}`}</span>))}
            <span>{template.write ? 'read and write' : 'read only'}</span>
            {template.budget === null ? null : (
              <span>
                budget <Money usd={template.budget} />
              </span>
            )}
            {template.checks.map((check) => (
              <Copyable key={check} text={check} />
            ))}
            <Copyable text={file} />
          </p>
          <pre className={styles.text}>{template.text}</pre>
        </div>
      </Panel>
      <Panel title="Job statistics" flush>
        {statistics.length === 0 ? <EmptyState title="No job with this template has ended yet" /> : null}
        {statistics.length === 0 ? null : (
          <Table
            label="Job statistics"
            rows={statistics}
            keyOf={({ agent, model }) => `${agent} ${model}`}
            columns={[
              { title: 'Agent', cell: ({ agent }) => agent },
              { title: 'Model', cell: ({ model }) => model ?? <span className="quiet">unknown</span> },
              { title: 'Runs', isNumber: true, cell: ({ runs }) => runs },
              { title: 'Verified', isNumber: true, cell: ({ successRate }) => `${Math.round(successRate * 100)} %` },
              { title: 'Landed', isNumber: true, cell: ({ landed }) => landed },
              { title: 'Cost per run', isNumber: true, cell: ({ cost }) => <Money usd={cost} /> },
              { title: 'Turns', isNumber: true, cell: ({ turns }) => turns.toFixed(1) },
              { title: 'Time', isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
            ]}
          />
        )}
      </Panel>
    </div>
  );
}
