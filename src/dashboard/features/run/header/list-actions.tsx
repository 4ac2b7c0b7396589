import { type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import type { RunState } from '../../../../core/run/state.ts';
import type { RunOverview } from '../../../../schema/overview.ts';
import { useAction } from '../../../api/use-operation.ts';
import { draftFromRun } from '../../../ui/browser/preferences.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { lazyView } from '../../../ui/feedback/lazy-view.tsx';
import { Icon } from '../../../ui/text/icon.tsx';
import styles from './run-actions.module.css';

const SharePanel = lazyView(async () => (await import('./share-panel.tsx')).SharePanel, 3);

type ListActionsProps = { state: RunState; overview: Pick<RunOverview, 'flag' | 'hidden'> | undefined };

/** Marks a run for later, removes it from lists, shares it, or begins the same work again. */
export function ListActions({ state, overview }: ListActionsProps): ReactElement {
  const { run } = state.start;
  const flag = useAction('flag-run');
  const hide = useAction('hide-run');
  const isFlagged = overview?.flag != null;
  const isHidden = overview?.hidden === true;
  const [isSharing, setSharing] = useState(false);
  return (
    <>
      <span className={styles.filing}>
        <Button
          weight="quiet"
          aria-pressed={isFlagged}
          busy={flag.isBusy}
          onClick={() => flag.act({ run, flagged: !isFlagged })}
        >
          <Icon name="flag" size={14} /> {isFlagged ? 'Flagged' : 'Flag'}
        </Button>
        <Button
          weight="quiet"
          aria-pressed={isHidden}
          busy={hide.isBusy}
          onClick={() => hide.act({ run, hidden: !isHidden })}
        >
          <Icon name="eye" size={14} /> {isHidden ? 'Hidden' : 'Hide'}
        </Button>
        <Button weight="quiet" aria-expanded={isSharing} onClick={() => setSharing(!isSharing)}>
          <Icon name="outside" size={14} /> Share
        </Button>
        <StartAgain start={state.start} />
      </span>
      {isSharing ? <SharePanel run={run} /> : null}
    </>
  );
}

/** Opens New run with the recipe, the input and the project of a run; nothing is started. */
function StartAgain({ start: { recipe, input, project } }: { start: RunState['start'] }): ReactElement {
  const [, navigate] = useLocation();
  const open = () => {
    draftFromRun({ recipe: recipe.name, input, dir: project.folder ?? project.root });
    navigate('/start');
  };
  return (
    <Button weight="quiet" title="New run with the same recipe, input and project" onClick={open}>
      <Icon name="retry" size={14} /> Start again…
    </Button>
  );
}
