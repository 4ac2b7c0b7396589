import { type ComponentType, type ReactElement, useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { onReconnect } from '../../api/run-overview.ts';
import { isTyping } from '../controls/list-keys.ts';
import { Skeleton, Trouble } from './placeholders.tsx';

type Stage<P> = { is: 'coming' } | { is: 'here'; View: ComponentType<P> } | { is: 'missing' };

const NOT_LOADED = new Error(
  'This part of the page could not be loaded. If the server cannot be reached, it is tried again when it is back.',
);

/** A view whose module is loaded when it is first looked at, and again when the server is back if that failed. */
export function lateView<P extends object>(load: () => Promise<ComponentType<P>>, lines: number): ComponentType<P> {
  let known: Stage<P> = { is: 'coming' };
  return function LateView(props: P): ReactElement {
    const [stage, setStage] = useState(known);
    const tryToLoad = async (): Promise<boolean> => {
      try {
        known = { is: 'here', View: await load() };
        setStage(known);
        return true;
      } catch {
        setStage({ is: 'missing' });
        return false;
      }
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: what failed is tried again by what stands in its place
    useEffect(() => {
      if (known.is !== 'here') void tryToLoad();
    }, []);
    switch (stage.is) {
      case 'coming':
        return <Skeleton lines={lines} />;
      case 'here':
        return <stage.View {...props} />;
      case 'missing':
        return <Missing tryToLoad={tryToLoad} />;
    }
  };
}

function Missing({ tryToLoad }: { tryToLoad(): Promise<boolean> }): ReactElement {
  const again = async ({ isAsked }: { isAsked: boolean }) => {
    if (await tryToLoad()) return;
    // Many browsers never fetch a module again that failed once, and a newer server has other modules: both need a new page.
    if ((await isServerThere()) && (isAsked || !isTyping(document.activeElement))) location.reload();
  };
  useEffect(() => onReconnect(() => void again({ isAsked: false })));
  return <Trouble error={NOT_LOADED} again={() => void again({ isAsked: true })} />;
}

function isServerThere(): Promise<boolean> {
  return call('list-projects', {}).then(
    () => true,
    () => false,
  );
}
