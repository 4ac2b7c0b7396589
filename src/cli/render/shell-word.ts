const PLAIN = /^[\w./@%+=:,-]+$/;

/** The name of a file as a shell takes it when it is pasted: with spaces, quotes or a dash in front, too. */
export function shellWord(file: string): string {
  const named = file.startsWith('-') ? `./${file}` : file;
  return PLAIN.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
