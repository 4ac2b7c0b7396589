import { accessOfToken, type OrderAccess } from '../../store/credentials/order-token.ts';
import type { AdmittedHosts } from '../../store/postgres/hosts/admitted-hosts.ts';
import type { World } from '../../world.ts';

type Sources = { folder: string; database: string | undefined; world: World };

/** Verifies the tokens with which hosts use the repository; that of a host which no longer belongs to the installation opens nothing. */
export class OrderTokens implements AsyncDisposable {
  readonly #sources: Sources;
  #hosts: Promise<AdmittedHosts> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async accessOf(token: string): Promise<OrderAccess | undefined> {
    const { folder, database, world } = this.#sources;
    const access = await accessOfToken(folder, token, world);
    if (access === undefined || !database) return undefined;
    this.#hosts ??= import('../../store/postgres/hosts/admitted-hosts.ts').then(
      (module) => new module.AdmittedHosts(database, world),
    );
    return (await (await this.#hosts).has(access.host)) ? access : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#hosts)?.[Symbol.asyncDispose]();
  }
}
