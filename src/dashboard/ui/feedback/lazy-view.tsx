import { type ComponentType, type ReactElement, useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { onReconnect } from '../../api/run-overview.ts';
import { after, now } from '../browser/clock.ts';
import { isTyping } from '../controls/list-keys.ts';
import { ErrorMessage, Skeleton } from './placeholders.tsx';

type ModuleState<P> = { is: 'loading' } | { is: 'loaded'; View: ComponentType<P> } | { is: 'failed' };

const NOT_LOADED = new Error('This view could not be loaded. It is tried again, also when the connection is back.');
/** A change of the network cancels what is being loaded; after it the load succeeds. */
const RETRY_MS = 1_000;
/** The page is reloaded by itself once in this time: where that does not help, it would not the next time. */
const RELOAD_EVERY_MS = 60_000;
const RELOADED_AT = 'manyhands reloaded';

/** A view whose module is loaded when it is first shown. A failed load is repeated soon, and when the connection is back. */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>, lines: number): ComponentType<P> {
  let shared: ModuleState<P> = { is: 'loading' };
  return function LazyView(props: P): ReactElement {
    const [state, setState] = useState(shared);
    const loadModule = async (): Promise<boolean> => {
      try {
        shared = { is: 'loaded', View: await load() };
        setState(shared);
        return true;
      } catch {
        setState({ is: 'failed' });
        return false;
      }
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: a failed load is repeated by LoadFailed
    useEffect(() => {
      if (shared.is !== 'loaded') void loadModule();
    }, []);
    switch (state.is) {
      case 'loading':
        return <Skeleton lines={lines} />;
      case 'loaded':
        return <state.View {...props} />;
      case 'failed':
        return <LoadFailed loadModule={loadModule} />;
    }
  };
}

function LoadFailed({ loadModule }: { loadModule(): Promise<boolean> }): ReactElement {
  const retry = async ({ isManual }: { isManual: boolean }) => {
    if (await loadModule()) return;
    // Many browsers never fetch a failed module again, and a newer server has other modules: both need a page reload.
    if ((await isServerReachable()) && (isManual || mayReload())) location.reload();
  };
  useEffect(() => onReconnect(() => void retry({ isManual: false })));
  // biome-ignore lint/correctness/useExhaustiveDependencies: once after the first failure
  useEffect(() => after(RETRY_MS, () => void retry({ isManual: false })), []);
  return <ErrorMessage error={NOT_LOADED} retry={() => void retry({ isManual: true })} />;
}

function mayReload(): boolean {
  if (isTyping(document.activeElement) || now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_EVERY_MS)
    return false;
  sessionStorage.setItem(RELOADED_AT, String(now()));
  return true;
}

function isServerReachable(): Promise<boolean> {
  return call('list-projects', {}).then(
    () => true,
    () => false,
  );
}
