import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { AttemptOrder } from './attempt-order.ts';
import { type HostContext, openOrder } from './ordered-run.ts';
import { saveLateWork } from './perform-order.ts';

const SUFFIX = '.json';

/**
 * The orders that a host performs, on its disk: by them the work is found that an earlier process could not report. They
 * are not in the folders of attempts, which agents can read, because an order has the token of its repository.
 */
export class KeptOrders {
  readonly #folder: string;

  constructor(home: { root: string }) {
    this.#folder = join(home.root, 'orders');
  }

  async keep(id: string, body: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#file(id), body, { mode: 0o600 });
  }

  /** Forgets an order of which nothing is left on this host. */
  async forget(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  async read(): Promise<{ id: string; body: string }[]> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const ids = (await readdir(this.#folder))
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length));
    return Promise.all(ids.sort().map(async (id) => ({ id, body: await readFile(this.#file(id), 'utf8') })));
  }

  #file(id: string): string {
    return join(this.#folder, `${id}${SUFFIX}`);
  }
}

type Saving = {
  context: HostContext;
  memory: Store;
  stopping: AbortSignal;
  lost: AbortSignal;
  log(line: string): void;
};

/** Saves the work that an earlier process of this host left, as late work: it is offered, and never lands by itself. */
export async function saveLeftWork(kept: KeptOrders, { context, memory, stopping, lost, log }: Saving): Promise<void> {
  for (const { id, body } of await kept.read()) {
    const own = (line: string) => log(`${id} ${line}`);
    try {
      const order = AttemptOrder.parse(JSON.parse(body));
      // Nothing new is accepted meanwhile, so a repository that does not answer is not waited for.
      const options = { memory, report: async () => {}, stopping, lost, secrets: {}, waitMs: 0, log: own };
      const left = await openOrder(context, order, options);
      await saveLateWork(left, { order, forget: () => kept.forget(id), log: own });
      own('was left by an earlier process; its work is saved as late work');
    } catch (error) {
      own(`was left by an earlier process, and could not be saved: ${messageOf(error)}`);
    }
  }
}
