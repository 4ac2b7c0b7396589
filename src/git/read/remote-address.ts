/** What two URLs of one repository have in common, whatever the protocol, the login and the ending: host and path. */
export function remoteAddress(url: string): string {
  const text = url.trim();
  const short = /^(?:[^/@:]+@)?([^/@:]+):(?!\/\/)(.+)$/.exec(text);
  const long = /^[a-z+]+:\/\/(?:[^/@]*@)?([^/:]*)(?::\d+)?\/(.*)$/i.exec(text);
  const [host, path] = long !== null ? [long[1], long[2]] : short !== null ? [short[1], short[2]] : ['', text];
  const plain = (path ?? '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/^\/+/, '');
  return `${(host ?? '').toLowerCase()}/${plain}`;
}
