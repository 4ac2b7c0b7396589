import type { ReactElement } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { Modal } from './modal.tsx';
import styles from './palette.module.css';
import { GO_KEYS } from './shortcut-keys.ts';
import type { PageName } from './use-palette-entries.ts';

const EVERYWHERE: readonly [string, string][] = [
  ['Ctrl K', 'Command palette: any run, task, page or action'],
  ['?', 'Keyboard shortcuts'],
  ['/', 'Search'],
  ['c', 'New run'],
  ['j k', 'Next, previous item of the page, row of a list or line of a diff'],
  ['Enter', 'Open the item'],
  ['Ctrl Enter', 'Send the message that is being written'],
  ['Esc', 'Close the dialog'],
];
const LISTS: readonly [string, string][] = [
  ['↓ ↑', 'Next, previous row (also in the timeline, tasks and events)'],
  ['Home End', 'First, last row'],
  ['r', 'Retry blocked work or a failed run (inbox)'],
  ['x', 'Select (history)'],
  ['f', 'Flag (history)'],
  ['h', 'Hide (history)'],
];

const DIFF: readonly [string, string][] = [
  ['↓ ↑', 'Next, previous line; with Shift, select lines'],
  ['← →', 'Old, new side'],
  ['n p', 'Next, previous file'],
  ['Enter', 'Comment on the selected lines (or c)'],
  ['v', 'Mark the file as viewed'],
  ['Esc', 'Remove the selection'],
];
const VIEWS: readonly [string, string][] = [
  ['← →', 'Move in time (timeline, zoomed), next tab (task)'],
  ['+ -', 'Zoom (timeline)'],
  ['0', 'Show all (timeline)'],
  ['Ctrl F', 'Find in the transcript'],
];

/** All keyboard shortcuts. */
export function KeyboardHelp({ pages, onClose }: { pages: readonly PageName[]; onClose(): void }): ReactElement {
  const go = Object.entries(GO_KEYS).flatMap(([key, path]): [string, string][] => {
    const page = pages.find((each) => each.path === path);
    return page === undefined ? [] : [[`g ${key}`, page.title]];
  });
  return (
    <Modal label="Keyboard shortcuts" onClose={onClose}>
      <div className={styles.help}>
        <h2>Keyboard shortcuts</h2>
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="Go to" keys={go} />
        <Keys title="In lists" keys={LISTS} />
        <Keys title="In a focused diff" keys={DIFF} />
        <Keys title="In views" keys={VIEWS} />
        <p className="quiet">No single key approves, rejects, lands or cancels anything.</p>
        <div>
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Modal>
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
