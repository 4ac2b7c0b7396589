import type { ReactElement } from 'react';
import type { Template } from './template-draft.ts';
import styles from './templates.module.css';

type TemplateListProps = { templates: readonly Template[]; chosen: string | undefined; onChoose(name: string): void };

const FROM: Record<Template['from'], string> = { 'built-in': 'built in', global: 'yours', project: 'this project' };

/** All templates by name, with where each comes from. */
export function TemplateList({ templates, chosen, onChoose }: TemplateListProps): ReactElement {
  return (
    <ul className={styles.list} aria-label="Templates">
      {templates.map(({ name, summary, from }) => (
        <li key={name}>
          <button
            type="button"
            className={styles.entry}
            aria-current={name === chosen || undefined}
            onClick={() => onChoose(name)}
          >
            <span>
              <span className={styles.name}>{name}</span> <span className="quiet">{FROM[from]}</span>
            </span>
            <span className="quiet">{summary}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
