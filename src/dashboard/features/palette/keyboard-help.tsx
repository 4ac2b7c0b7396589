import type { ReactElement } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Sheet } from './modal.tsx';
import styles from './palette.module.css';
import { GO_KEYS } from './shortcut-keys.ts';
import type { PageName } from './use-palette-entries.ts';

const EVERYWHERE: readonly [string, string][] = [
  ['Ctrl K', 'Command palette: any run, task, page or action'],
  ['?', 'These keys'],
  ['/', 'Search'],
  ['c', 'New run'],
  ['Esc', 'Close what is open'],
];
const LISTS: readonly [string, string][] = [
  ['j k', 'Next, previous (or the arrows)'],
  ['Enter', 'Open'],
  ['a', 'Approve (inbox)'],
  ['r', 'Retry or resume (inbox)'],
  ['x', 'Choose (history)'],
  ['f', 'Flag (history)'],
  ['h', 'Hide (history)'],
];

/** All keyboard shortcuts. */
export function KeyboardHelp({ pages, onClose }: { pages: readonly PageName[]; onClose(): void }): ReactElement {
  const go = Object.entries(GO_KEYS).flatMap(([key, path]): [string, string][] => {
    const page = pages.find((each) => each.path === path);
    return page === undefined ? [] : [[`g ${key}`, page.title]];
  });
  return (
    <Sheet label="Keys" onClose={onClose}>
      <div className={styles.help}>
        <h2>Keys</h2>
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="Go to" keys={go} />
        <Keys title="In lists" keys={LISTS} />
        <div>
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Sheet>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly [string, string][] }): ReactElement {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl className={styles.keys}>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
