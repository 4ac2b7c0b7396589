import type { Caller } from '../../access/caller.ts';
import { isInterrupted } from '../../core/view/run-status.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { RunOverview } from '../../schema/overview.ts';
import type { Platform } from '../platform.ts';
import { painter } from '../render/symbols.ts';
import { createChangeSignal } from './change-signal.ts';
import { execute } from './execute-action.ts';
import { followPages } from './follow-pages.ts';
import { followRuns } from './follow-runs.ts';
import { earlierRows } from './follow-task.ts';
import { bodyRows, drawFrame } from './frame.ts';
import type { Key } from './key.ts';
import { createKeyboard } from './keyboard.ts';
import { settled } from './move.ts';
import { type Ask, press } from './press.ts';
import { createScreen, type Picture, type Screen } from './screen.ts';
import { hear, type News } from './subscribe.ts';
import { suspend } from './suspend.ts';
import { beginTop, type Top } from './top.ts';

const SECOND_MS = 1_000;

const MINUTE_MS = 60_000;

/** What is shown: the runs of one project, by the name it is called, or all. */
export type Shown = { dir: string | undefined; scope: string | null };

/** Shows everything on the whole terminal until the person quits; the terminal is given back as it was. */
export async function showTop(platform: Platform, caller: Caller, shown: Shown): Promise<void> {
  const view = new TopView(platform, caller, shown);
  await view.run();
}

class TopView {
  readonly #platform: Platform;
  readonly #caller: Caller;
  readonly #dir: string | undefined;
  readonly #over = new AbortController();
  readonly #look = createChangeSignal();
  readonly #changed = createChangeSignal();
  readonly #deeds = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;
  #top: Top;
  #screen: Screen | undefined;
  #isReading = false;
  #isQuitting = false;

  constructor(platform: Platform, caller: Caller, { dir, scope }: Shown) {
    this.#platform = platform;
    this.#caller = caller;
    this.#dir = dir;
    this.#top = beginTop({ columns: 80, rows: 24 }, scope);
  }

  async run(): Promise<void> {
    const { signal } = this.#over;
    const stopListening = this.#platform.onSignal(() => this.#over.abort());
    const onStop = () => this.#suspend();
    process.on('SIGTSTP', onStop);
    try {
      this.#takeScreen();
      const pages = followPages({ caller: this.#caller, tell: this.#tell, changed: this.#changed }, signal);
      this.#follow = pages.follow;
      const runs = followRuns(
        { platform: this.#platform, caller: this.#caller, dir: this.#dir, tell: this.#tell, look: this.#look },
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

  #draw(size: Top['size']): Picture {
    const { world, terminal } = this.#platform;
    const resized = { ...this.#top, size };
    const view = { top: resized, now: world.now(), colors: painter(terminal.colors.out) };
    this.#top = settled(resized, bodyRows(view));
    return { frame: drawFrame({ ...view, top: this.#top }), nextMs: nextTick(this.#top) };
  }

  readonly #tell = (news: News): void => {
    const before = this.#top.engine;
    this.#top = hear(this.#top, news);
    if (this.#top.engine !== before) this.#changed.ring();
    this.#screen?.change();
  };

  #press(key: Key): void {
    const { page } = this.#top;
    const { top, asks } = press(this.#top, key);
    this.#top = top;
    if (page !== top.page) this.#turn(top.page);
    for (const ask of asks) this.#answer(ask);
    this.#screen?.change();
  }

  #turn(page: Top['page']): void {
    if (page.kind === 'run' && this.#top.state?.start.run !== page.run) this.#top = { ...this.#top, state: undefined };
    this.#follow(page);
    if (page.kind === 'run') this.#markRead(page.run);
  }

  #answer(ask: Ask): void {
    switch (ask.kind) {
      case 'quit':
        this.#quit();
        break;
      case 'suspend':
        this.#suspend();
        break;
      case 'redraw':
        this.#look.ring();
        this.#screen?.redraw();
        break;
      case 'earlier':
        this.#readEarlier();
        break;
      case 'do':
        this.#do(() => execute(this.#platform, this.#caller, ask.deed));
        break;
      case 'browse':
        this.#do(() => browse(this.#platform, ask));
        break;
    }
  }

  /** What was asked for is answered before the end, unless the person does not wait for that. */
  #quit(): void {
    if (this.#deeds.size === 0 || this.#isQuitting) {
      this.#over.abort();
      return;
    }
    this.#isQuitting = true;
    this.#tell({ kind: 'said', text: 'Waiting for an answer; q again quits at once.', isTrouble: false });
    void Promise.all(this.#deeds).then(() => this.#over.abort());
  }

  #do(act: () => Promise<string>): void {
    this.#tell({ kind: 'said', text: '…', isTrouble: false });
    const deed = act().then(
      (text) => this.#tell({ kind: 'said', text, isTrouble: false }),
      (error: unknown) => this.#tell({ kind: 'said', text: troubleOf(error), isTrouble: true }),
    );
    this.#deeds.add(deed);
    void deed.then(() => this.#deeds.delete(deed));
  }

  #readEarlier(): void {
    const { page, transcript } = this.#top;
    if (page.kind !== 'task' || this.#isReading) return;
    this.#isReading = true;
    void earlierRows(this.#caller, page, transcript)
      .then((found) => {
        if (this.#top.page === page) this.#tell({ kind: 'earlier', ...found });
      })
      .catch((error: unknown) => this.#tell({ kind: 'said', text: messageOf(error), isTrouble: true }))
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** Who opens a run has read it; without an engine nobody could put that on record. */
  #markRead(run: string): void {
    if (this.#caller.engine() !== 'other' || this.#top.runs?.get(run)?.unread !== true) return;
    // That it stays unread is no harm.
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

function troubleOf(error: unknown): string {
  return error instanceof AppError ? `${error.message}. ${error.hint}` : messageOf(error);
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
}

/** Shows a run or a task in the browser if a server runs, and gives what to say; where no browser opens, its link. */
async function browse(platform: Platform, place: { run: string; task: string | null }): Promise<string> {
  const door = await platform.findServer();
  if (door === undefined) return 'No server runs. In another terminal: mh serve --open';
  const task = place.task === null ? '' : `/tasks/${encodeURIComponent(place.task)}`;
  const path = `/runs/${place.run}${task}`;
  try {
    await platform.reveal(await door.linkFile(path));
    return 'Opened in the browser.';
  } catch {
    // No browser can be started from here: a person can open the link elsewhere.
    return `Open (for one browser, once): ${await door.link(path)}`;
  }
}

/** In how many milliseconds the picture changes by itself: while a clock is to be seen, a second; ages, a minute. */
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

/** What waits says since when, in minutes. */
function isWaiting(run: RunOverview): boolean {
  return run.liveCount === 0 && (run.attention.length > 0 || isInterrupted(run));
}
