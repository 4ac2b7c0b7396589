import { type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { EmptyState } from '../../ui/feedback/placeholders.tsx';
import { Modal } from './modal.tsx';
import styles from './palette.module.css';
import { type Entry, findEntries, withRecent } from './palette-entries.ts';
import { selectedItem } from './selected-item.ts';
import { type PageName, useEntries } from './use-palette-entries.ts';

const KEY = 'manyhands.recent';

/** The command palette: finds pages, runs, tasks and actions. */
export function Palette({ pages, onClose }: { pages: readonly PageName[]; onClose(): void }): ReactElement {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [confirming, setConfirming] = useState<string>();
  const [selected] = useState(() => selectedItem(document.activeElement, location.pathname));
  const found = findEntries(useEntries(pages, selected), typed, recent());
  const current = Math.min(at, found.length - 1);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.needsConfirmation === true && confirming !== entry.id) {
      setConfirming(entry.id);
      return;
    }
    localStorage.setItem(KEY, JSON.stringify(withRecent(recent(), entry.id)));
    onClose();
    entry.run();
  };
  const move = (to: number) => {
    setAt(Math.max(0, Math.min(to, found.length - 1)));
    setConfirming(undefined);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: found.length,
    };
    const to = typed !== '' && (event.key === 'Home' || event.key === 'End') ? undefined : steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter') {
      // A key that is held down confirms nothing.
      if (!event.repeat) choose(found[current]);
    } else if (event.key === 'k' && (event.ctrlKey || event.metaKey)) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <Modal label="Command palette" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${current}`}
        aria-label="Run, task, page or action"
        className={styles.input}
        placeholder="Run, task, page or action"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          move(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Results" className={styles.list}>
        {found.map((entry, index) => (
          <Option
            key={entry.id}
            id={`${id}-${index}`}
            entry={entry}
            isCurrent={index === current}
            isConfirming={confirming === entry.id}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      {found.length === 0 ? (
        <EmptyState title="No matches">To search transcripts too, press Esc, then /.</EmptyState>
      ) : null}
    </Modal>
  );
}

type OptionProps = { id: string; entry: Entry; isCurrent: boolean; isConfirming: boolean; onChoose(): void };

function Option({ id, entry, isCurrent, isConfirming, onChoose }: OptionProps): ReactElement {
  return (
    // The focus stays in the field above, which names the current option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={styles.option}
      data-confirming={isConfirming}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: 'nearest' });
      }}
      // The second click of a double click confirms nothing.
      onClick={({ detail }) => (detail < 2 ? onChoose() : undefined)}
    >
      <span className={styles.title}>{isConfirming ? `Press Enter again: ${entry.title}` : entry.title}</span>
      <span className={styles.hint}>{entry.hint}</span>
      <span className={styles.group}>{entry.group}</span>
    </div>
  );
}

function recent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : [];
  } catch {
    // The stored text is not ours; nothing is lost.
    return [];
  }
}
