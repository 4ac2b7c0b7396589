import { isSchema } from '../../ui/form/json-schema.ts';

/** The draft of a new run; each recipe keeps its own input. */
export type Draft = {
  /** Empty for the first recipe. */
  recipe: string;
  /** The project folder; undefined until one is chosen or entered. */
  dir: string | undefined;
  inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  options: Readonly<Record<string, unknown>>;
  /** The path of the work file. */
  file: string;
  isFromFile: boolean;
};

const EMPTY: Draft = { recipe: '', dir: undefined, inputs: {}, options: {}, file: '', isFromFile: true };

/** Parses a stored draft; invalid parts are reset. */
export function readDraft(text: string | null): Draft {
  if (text === null) return EMPTY;
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    // The stored text is not ours; nothing is lost.
    return EMPTY;
  }
  if (!isSchema(kept)) return EMPTY;
  const textAt = (key: 'recipe' | 'file') => (typeof kept[key] === 'string' ? kept[key] : EMPTY[key]);
  const { inputs, options, isFromFile } = kept;
  return {
    recipe: textAt('recipe'),
    dir: typeof kept.dir === 'string' ? kept.dir : undefined,
    file: textAt('file'),
    inputs: isSchema(inputs) ? Object.fromEntries(Object.entries(inputs).filter(isInput)) : {},
    options: isSchema(options) ? options : {},
    isFromFile: isFromFile !== false,
  };
}

function isInput(entry: [string, unknown]): entry is [string, Readonly<Record<string, unknown>>] {
  return isSchema(entry[1]);
}

/** Merges the parameters of an address into a draft: `?recipe=job&template=review&dir=/work/shop`. */
export function withAddress(draft: Draft, params: URLSearchParams): Draft {
  const recipe = params.get('recipe') ?? draft.recipe;
  const template = params.get('template');
  const own = { ...draft.inputs[recipe], ...(template === null ? {} : { template }) };
  return {
    ...draft,
    recipe,
    dir: params.get('dir') ?? draft.dir,
    file: params.get('file') ?? draft.file,
    inputs: { ...draft.inputs, [recipe]: own },
  };
}

/** The draft after its run was started: its input is cleared, options and project are kept. */
export function afterStart(draft: Draft): Draft {
  const { title: _, ...options } = draft.options;
  return { ...draft, inputs: { ...draft.inputs, [draft.recipe]: {} }, options, file: '' };
}
