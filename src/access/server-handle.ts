/** How a server is asked for; what is left out comes from the settings. */
export type ServerRequest = {
  /** `serve` stays until it is stopped; `run` is there as long as a command works on a run. */
  kind: 'serve' | 'run';
  port?: number;
  host?: string;
};

/** A server of the data directory: the one of this process, or another's. */
export interface ServerHandle {
  /** Its address; it lets nobody in. */
  readonly url: string;
  readonly pid: number;
  readonly kind: ServerRequest['kind'];
  /** A link that lets one browser in, once, to a place in the dashboard. */
  link(to?: string): Promise<string>;
  /** A file that leads a browser to such a link: arguments of programs can be seen by every user of the machine. */
  linkFile(to?: string): Promise<string>;
}

/** A server that this process opened. */
export interface OwnServer extends ServerHandle, AsyncDisposable {
  /** What a person should know about it, such as that the usual port was taken. */
  readonly notes: string[];
}
