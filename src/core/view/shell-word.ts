const PLAIN = /^[\w./@%+=:,-]+$/;

/** A file name quoted for a shell where needed; one that begins with a dash is not read as an option. */
export function shellWord(file: string): string {
  const path = file.startsWith('-') ? `./${file}` : file;
  return PLAIN.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
