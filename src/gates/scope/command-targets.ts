/** Programs all of whose operands they write to, and those whose last operand it is. */
const WRITES_ALL = new Set(['rm', 'rmdir', 'unlink', 'shred', 'mv', 'touch', 'truncate', 'tee', 'chmod', 'chown']);
const WRITES_LAST = new Set(['cp', 'ln', 'install', 'sed', 'perl']);
const EDITS_IN_PLACE = /^-[a-z]*i/;
/** Operators, then words made of quoted and plain parts. */
const TOKEN = /(\d?>>?\|?|&>>?)|(&&|\|\||[;|&\n()])|((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;|&<>()'"\\])+)/g;
/** What the shell would make something else of is not known from here. */
const UNKNOWN = /[$`*?~{[]/;
const LONGEST_COMMAND = 20_000;

/**
 * Paths that a shell command plainly writes to: where its output goes, and operands of programs that write. It errs on
 * the side of seeing too little; a relative path counts only where no `cd` comes before it.
 */
export function writtenPaths(command: string): string[] {
  const written: string[] = [];
  let words: string[] = [];
  let isRedirected = false;
  let hasMoved = false;
  const end = () => {
    hasMoved ||= words[0] === 'cd' || words[0] === 'pushd';
    written.push(...targetsOf(words).filter((path) => path.startsWith('/') || !hasMoved));
    words = [];
  };
  for (const [, redirect, operator, word] of command.slice(0, LONGEST_COMMAND).matchAll(TOKEN)) {
    if (redirect !== undefined) isRedirected = true;
    else if (operator !== undefined) {
      // `>&2` goes to no file.
      isRedirected = false;
      end();
    } else if (word !== undefined && !UNKNOWN.test(word)) {
      const plain = unquoted(word);
      if (isRedirected && (plain.startsWith('/') || !hasMoved)) written.push(plain);
      else if (!isRedirected) words.push(plain);
      isRedirected = false;
    } else isRedirected = false;
  }
  end();
  return written;
}

function targetsOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'sudo' && word !== 'command');
  const program = words[at] ?? '';
  const rest = words.slice(at + 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  if (WRITES_ALL.has(program)) return operands;
  if (!WRITES_LAST.has(program)) return [];
  const isEditor = program === 'sed' || program === 'perl';
  if (isEditor && !rest.some((word) => EDITS_IN_PLACE.test(word) || word.startsWith('--in-place'))) return [];
  return operands.slice(1).slice(-1);
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) => {
      return single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '';
    },
  );
}
