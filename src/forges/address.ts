/** `isAlias`: the host may be an alias from the user's SSH settings. */
export type Address = { host: string; path: string; isAlias: boolean };

/** The host and the path of a repository's address; undefined for a folder of this machine. */
export function parseAddress(address: string): Address | undefined {
  const url = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::\d*)?\/(.+)$/i.exec(address);
  const scp = /^(?:[^@/:]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(address);
  const [, host, path] = url ?? scp ?? [];
  if (host === undefined || path === undefined) return undefined;
  const name = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .replace(/\/+$/, '');
  const isAlias = !/^(https?|git):/i.test(address) && !host.includes('.');
  return name === '' ? undefined : { host: host.toLowerCase(), path: name, isAlias };
}
