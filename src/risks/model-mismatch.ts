import type { Risk } from './risk.ts';

/** Another model was billed, or answered, than the one that was requested; ids are compared exactly, aliases by the table of their vendor. */
export const modelMismatch: Risk = {
  name: 'model-mismatch',
  title: 'Model mismatch',
  severity: 'high',
  find: ({ declaredModel, billedModel, answeredBy }) => {
    if (declaredModel === undefined) return undefined;
    if (billedModel !== undefined && !isSame(declaredModel, billedModel))
      return `${declaredModel} was requested and ${billedModel} was billed`;
    const others = answeredBy.filter((model) => !isSame(declaredModel, model));
    return others.length === 0 ? undefined : `${declaredModel} was requested and ${others.join(', ')} answered`;
  },
};

function isSame(declared: string, used: string): boolean {
  const [requested, model] = [plain(declared), plain(used)];
  return requested === model || ALIASES[requested]?.test(model) === true;
}

const SONNET = /^claude-(?:[\d-]+-)?sonnet(?:-[\d-]+)?$/;
const OPUS = /^claude-(?:[\d-]+-)?opus(?:-[\d-]+)?$/;
const ANY = /^/;

/** The aliases that Claude Code and Gemini CLI accept, and the ids that each may stand for. */
const ALIASES: Readonly<Record<string, RegExp>> = {
  default: ANY,
  auto: ANY,
  best: OPUS,
  opus: OPUS,
  opusplan: new RegExp(`${SONNET.source}|${OPUS.source}`),
  sonnet: SONNET,
  haiku: /^claude-(?:[\d-]+-)?haiku(?:-[\d-]+)?$/,
  pro: /^gemini-[\d.]+-pro(?:-preview)?$/,
  flash: /^gemini-[\d.]+-flash(?:-preview)?$/,
  'flash-lite': /^gemini-[\d.]+-flash-lite(?:-preview)?$/,
};

/** An id without its vendor, its date or version, and its context size. */
function plain(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]+\.)*anthropic\./, '')
    .replace(/\[.*\]$/, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest|\d{3})$/, '')
    .replace(/^(claude-(?:sonnet|opus)-4)-0$/, '$1');
}
