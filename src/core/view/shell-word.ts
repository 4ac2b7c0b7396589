const PLAIN = /^[\w./@%+=:,-]+$/;

/** A file name quoted for a shell where needed; one that begins with a dash is not read as an option. */
export function shellWord(file: string): string {
  return shellArgument(file.startsWith('-') ? `./${file}` : file);
}

/** An argument of a command, an option for example, quoted for a shell where needed. */
export function shellArgument(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
