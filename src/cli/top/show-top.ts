import { type Caller, isElsewhere } from '../../access/caller.ts';
import { pagePath } from '../../core/view/decision-path.ts';
import { isInterrupted } from '../../core/view/open-run.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { World } from '../../world.ts';
import type { Platform } from '../platform.ts';
import { painter } from '../render/symbols.ts';
import { applyUpdate, type Update } from './apply-update.ts';
import { createChangeSignal } from './change-signal.ts';
import { executeAction } from './execute-action.ts';
import { followPages, followRuns } from './follow-runs.ts';
import { earlierRows } from './follow-task.ts';
import { bodyRows, drawFrame } from './frame.ts';
import type { Key } from './key.ts';
import { createKeyboard } from './keyboard.ts';
import { withValidSelection } from './move.ts';
import { type Effect, press } from './press.ts';
import { createScreen, type Screen, type TimedFrame } from './screen.ts';
import { initialTop, type Top } from './top-state.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The system does not stop a process group that no shell could continue; after this time the program continues. */
const STOP_TIMEOUT_MS = 300;

/** What is shown: the runs of one project, with its name, or all runs. */
export type Shown = { dir: string | undefined; scope: string | null };

/** Shows runs on the whole terminal until the user quits; the terminal is then restored. */
export async function showTop(platform: Platform, caller: Caller, shown: Shown): Promise<void> {
  const view = new TopView(platform, caller, shown);
  await view.run();
}

class TopView {
  readonly #platform: Platform;
  readonly #caller: Caller;
  readonly #dir: string | undefined;
  readonly #over = new AbortController();
  readonly #checkEngine = createChangeSignal();
  readonly #changed = createChangeSignal();
  readonly #pending = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;
  #top: Top;
  #screen: Screen | undefined;
  #isReading = false;
  #isQuitting = false;

  constructor(platform: Platform, caller: Caller, { dir, scope }: Shown) {
    this.#platform = platform;
    this.#caller = caller;
    this.#dir = dir;
    this.#top = initialTop({ columns: 80, rows: 24 }, scope);
  }

  async run(): Promise<void> {
    const { signal } = this.#over;
    const stopListening = this.#platform.onSignal(() => this.#over.abort());
    const onStop = () => this.#suspend();
    process.on('SIGTSTP', onStop);
    try {
      this.#takeScreen();
      const pages = followPages({ caller: this.#caller, publish: this.#publish, changed: this.#changed }, signal);
      this.#follow = pages.follow;
      const runs = followRuns(
        {
          platform: this.#platform,
          caller: this.#caller,
          dir: this.#dir,
          publish: this.#publish,
          checkEngine: this.#checkEngine,
        },
        signal,
      ).catch((error: unknown) => this.#fail(error));
      await aborted(signal);
      await Promise.all([runs, pages.ended()]);
    } finally {
      process.off('SIGTSTP', onStop);
      stopListening();
      this.#screen?.[Symbol.dispose]();
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #follow: (page: Top['page']) => void = () => {};

  #takeScreen(): void {
    const raw = this.#platform.takeScreen();
    if (raw === undefined)
      throw new AppError('USAGE', 'top needs a terminal: its input and output must not be redirected');
    raw.onInput(createKeyboard(this.#platform.world, (key) => this.#press(key)));
    raw.closed.addEventListener('abort', () => this.#over.abort(), { once: true });
    this.#screen = createScreen(raw, this.#platform.world, () => this.#draw(raw.size()));
  }

  #draw(size: Top['size']): TimedFrame {
    const { world, terminal } = this.#platform;
    const resized = { ...this.#top, size };
    const view = { top: resized, now: world.now(), colors: painter(terminal.colors.out) };
    this.#top = withValidSelection(resized, bodyRows(view));
    return { frame: drawFrame({ ...view, top: this.#top }), nextMs: nextTick(this.#top) };
  }

  readonly #publish = (update: Update): void => {
    const before = this.#top.engine;
    this.#top = applyUpdate(this.#top, update);
    if (this.#top.engine !== before) this.#changed.notify();
    this.#screen?.change();
  };

  #press(key: Key): void {
    const { page } = this.#top;
    const { top, effects } = press(this.#top, key);
    this.#top = top;
    if (page !== top.page) this.#showPage(top.page);
    for (const effect of effects) this.#perform(effect);
    this.#screen?.change();
  }

  #showPage(page: Top['page']): void {
    if (page.kind === 'run' && this.#top.state?.start.run !== page.run) this.#top = { ...this.#top, state: undefined };
    this.#follow(page);
    if (page.kind === 'run') this.#markRead(page.run);
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'quit':
        this.#quit();
        break;
      case 'suspend':
        this.#suspend();
        break;
      case 'redraw':
        this.#checkEngine.notify();
        this.#screen?.redraw();
        break;
      case 'earlier':
        this.#readEarlier();
        break;
      case 'execute':
        this.#run(() => executeAction(this.#platform, this.#caller, effect.action));
        break;
      case 'browse':
        this.#run(() => browse(this.#platform, effect));
        break;
    }
  }

  /** Pending actions complete before the end, unless the user quits again. */
  #quit(): void {
    if (this.#pending.size === 0 || this.#isQuitting) {
      this.#over.abort();
      return;
    }
    this.#isQuitting = true;
    this.#publish({
      kind: 'message',
      text: 'Waiting for an action to complete; press q again to quit immediately.',
      isError: false,
    });
    void Promise.all(this.#pending).then(() => this.#over.abort());
  }

  #run(act: () => Promise<string>): void {
    this.#publish({ kind: 'message', text: '…', isError: false });
    const pending = act().then(
      (text) => this.#publish({ kind: 'message', text, isError: false }),
      (error: unknown) => this.#publish({ kind: 'message', text: errorText(error), isError: true }),
    );
    this.#pending.add(pending);
    void pending.then(() => this.#pending.delete(pending));
  }

  #readEarlier(): void {
    const { page, transcript } = this.#top;
    if (page.kind !== 'task' || this.#isReading) return;
    this.#isReading = true;
    void earlierRows(this.#caller, page, transcript)
      .then((found) => {
        if (this.#top.page === page) this.#publish({ kind: 'earlier', ...found });
      })
      .catch((error: unknown) => this.#publish({ kind: 'message', text: messageOf(error), isError: true }))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** Opening a run marks it as read; only an engine can record that. */
  #markRead(run: string): void {
    if (!isElsewhere(this.#caller) || this.#top.runs?.get(run)?.unread !== true) return;
    // Safe: the run merely stays unread.
    this.#caller.call('mark-read', { run }).catch(() => {});
  }

  #suspend(): void {
    const listeners = process.listeners('SIGTSTP');
    process.removeAllListeners('SIGTSTP');
    this.#screen?.[Symbol.dispose]();
    void suspend(this.#platform.world).then(() => {
      for (const listener of listeners) process.on('SIGTSTP', listener);
      if (!this.#over.signal.aborted) this.#takeScreen();
    });
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#over.abort();
  }
}

function errorText(error: unknown): string {
  return error instanceof AppError ? `${error.message}. ${error.hint}` : messageOf(error);
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
}

/** Stops this process group, as Ctrl-Z does; resolves when it is continued. */
async function suspend(world: World): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once('SIGCONT', resolve);
  process.kill(0, 'SIGTSTP');
  const stopWaiting = world.alarm(world.now() + STOP_TIMEOUT_MS, resolve);
  await promise;
  stopWaiting();
  process.off('SIGCONT', resolve);
}

/** Opens a run or a task in the browser if a server is running, and returns the message to show; if no browser opens, the link. */
async function browse(platform: Platform, target: { run: string; task: string | null }): Promise<string> {
  const server = await platform.findServer();
  if (server === undefined) return 'No server is running. Start one in another terminal: mh serve --open';
  const path = pagePath(target);
  try {
    await platform.reveal(await server.linkFile(path));
    return 'Opened in the browser.';
  } catch {
    // No browser can be started here: the user can open the link elsewhere.
    return `Open this link (valid once, for one browser): ${await server.link(path)}`;
  }
}

/** In how many milliseconds the frame changes by itself: a second while a clock is visible, else a minute. */
export function nextTick(top: Top): number {
  return top.engine !== 'none' && hasClock(top) ? SECOND_MS : MINUTE_MS;
}

function hasClock({ page, runs, state }: Top): boolean {
  switch (page.kind) {
    case 'runs':
      return [...(runs?.values() ?? [])].some((run) => run.endedAt === null && !isWaiting(run));
    case 'run':
      return state !== undefined && state.status.kind !== 'ended';
    case 'task':
      return state?.tasks[page.task]?.phase.status === 'running';
  }
}

/** Whether the row of a run shows how long it waits, in minutes, instead of a clock. */
function isWaiting(run: RunOverview): boolean {
  return run.liveCount === 0 && (run.attention.length > 0 || isInterrupted(run));
}
