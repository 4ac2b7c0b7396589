/** The options of a server; the settings provide the defaults. */
export type ServerRequest = {
  /** `serve` runs until it is stopped; `run` as long as a command works on a run. */
  kind: 'serve' | 'run';
  port?: number;
  host?: string;
};

/** A server of the data directory, in this or another process. */
export interface ServerHandle {
  /** Its URL, without credentials. */
  readonly url: string;
  readonly pid: number;
  readonly kind: ServerRequest['kind'];
  /** A single-use login link to a page of the dashboard. */
  link(to?: string): Promise<string>;
  /** A file that redirects a browser to such a link, because every user of the machine can see program arguments. */
  linkFile(to?: string): Promise<string>;
}

/** A server that this process opened. */
export interface OwnServer extends ServerHandle, AsyncDisposable {
  /** Notes for the user, such as that the default port was in use. */
  readonly notes: string[];
}
