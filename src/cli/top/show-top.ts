import { AppError, messageOf } from '../../errors.ts';
import type { Caller } from '../../operations/caller.ts';
import type { Platform } from '../platform.ts';
import { painter } from '../symbols.ts';
import { createBell } from './bell.ts';
import { browse } from './browse.ts';
import { carryOut } from './carry-out.ts';
import { followPages } from './follow-pages.ts';
import { followRuns } from './follow-runs.ts';
import { earlierRows } from './follow-task.ts';
import { bodyRows, drawFrame } from './frame.ts';
import { hear, type News } from './hear.ts';
import type { Key } from './key.ts';
import { createKeyboard } from './keyboard.ts';
import { settled } from './move.ts';
import { nextTick } from './next-tick.ts';
import { type Ask, press } from './press.ts';
import { createScreen, type Picture, type Screen } from './screen.ts';
import { suspend } from './suspend.ts';
import { beginTop, type Top } from './top.ts';

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
  readonly #look = createBell();
  readonly #changed = createBell();
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
        this.#do(() => carryOut(this.#platform, this.#caller, ask.deed));
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
