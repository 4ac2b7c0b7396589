import { z } from 'zod';
import type { Scratch } from '../../support/scratch.ts';

const Served = z.object({ url: z.string(), link: z.string(), pid: z.number() });

/** A server in the background of a scratch repository. */
export type ServedPage = {
  url: string;
  pid: number;
  /** A new address that signs a browser in, once. */
  link(): Promise<string>;
};

/** Serves the dashboard; the same port as before can be asked for, where a page waits for it. */
export async function serveDashboard(
  scratch: Scratch,
  port?: number,
  env: Record<string, string> = {},
): Promise<ServedPage> {
  const args = port === undefined ? [] : ['--port', String(port)];
  const started = await scratch.mh(['serve', '--detach', ...args], { env });
  if (started.code !== 0) throw new Error(`mh serve failed: ${started.stderr}`);
  const ask = async () => Served.parse((await scratch.mh(['serve', '--json'])).json);
  const { url, pid } = await ask();
  return { url, pid, link: async () => (await ask()).link };
}
