import type { TranscriptLine } from '../../../../schema/transcript-page.ts';

/** A tool call with its result; `times` counts identical consecutive calls. */
export type ToolItem = {
  kind: 'tool';
  id: number;
  at: number;
  name: string;
  input: unknown;
  times: number;
  result: { text: string; isError: boolean } | null;
  rows: readonly number[];
};

/** A row that is not part of a tool call. */
type LineItem = { kind: 'line'; id: number; at: number; line: TranscriptLine; rows: readonly number[] };

/** Several calls of the same tool in a row, such as an agent reading files. */
export type ToolGroup = {
  kind: 'tools';
  id: number;
  at: number;
  name: string;
  calls: ToolItem[];
  rows: readonly number[];
};

/** An item of a transcript; `rows` are the ids of the rows it contains. */
export type Item = ToolItem | ToolGroup | LineItem;

/** Fewer calls of the same tool stay single rows. */
const MIN_GROUP = 4;

type Mutable = Omit<ToolItem, 'rows'> & { rows: number[]; same: string };

/** Folds rows into items: calls with their results, and identical consecutive calls into one. */
export function foldRows(rows: readonly TranscriptLine[]): Item[] {
  const items: (Mutable | LineItem)[] = [];
  const open = new Map<string, Mutable>();
  for (const row of rows) {
    if (row.kind === 'tool-call') takeCall(row, items, open);
    else if (row.kind === 'tool-result') takeResult(row, items, open);
    else if (row.kind === 'usage') takeUsage(row, items);
    else items.push(asLine(row));
  }
  return grouped(items.map((item) => (item.kind === 'line' ? item : shown(item))));
}

/** Joins calls of the same tool that follow each other; one that failed, is a plan or asks a person stays by itself. */
function grouped(items: readonly (ToolItem | LineItem)[]): Item[] {
  const result: Item[] = [];
  let run: ToolItem[] = [];
  const flush = () => {
    const [first] = run;
    if (first === undefined || run.length < MIN_GROUP) result.push(...run);
    else {
      const rows = run.flatMap((call) => call.rows);
      result.push({ kind: 'tools', id: first.id, at: first.at, name: first.name, calls: run, rows });
    }
    run = [];
  };
  for (const item of items) {
    const isJoined = item.kind === 'tool' && item.result?.isError !== true && !isShownAlone(item);
    if (!isJoined || (run[0] !== undefined && run[0].name !== item.name)) flush();
    if (isJoined) run.push(item);
    else result.push(item);
  }
  flush();
  return result;
}

function isShownAlone(item: ToolItem): boolean {
  return planSteps(item.input) !== undefined || questionToPerson(item) !== undefined;
}

/** A step of an agent's own plan. */
export type PlanStep = { text: string; status: string };

/** The plan that a tool call records, as the tools of the known agents do: a list of steps with a status. */
export function planSteps(input: unknown): PlanStep[] | undefined {
  const list = ['todos', 'plan', 'entries'].map((key) => field(input, key)).find(Array.isArray);
  const steps = list?.flatMap((entry: unknown): PlanStep[] => {
    const text = textField(entry, 'content') ?? textField(entry, 'step') ?? textField(entry, 'description');
    const status = textField(entry, 'status');
    return text === undefined || status === undefined ? [] : [{ text, status }];
  });
  return steps === undefined || steps.length === 0 ? undefined : steps;
}

/** The tool of Manyhands with which an agent asks a person, under the names that its agents know it by. */
const ASK_TOOL = /(?:^|[^a-z])ask_(?:user|person)$/;

/** A question to a person, and the answer that the call returned, if there was one in time. */
export type PersonQuestion = { question: string; answer: string | undefined };

/** The question that a tool call asks a person; undefined for another call, and for one that failed. */
export function questionToPerson({
  name,
  input,
  result,
}: Pick<ToolItem, 'name' | 'input' | 'result'>): PersonQuestion | undefined {
  const question = ASK_TOOL.test(name) && result?.isError !== true ? textField(input, 'question') : undefined;
  if (question === undefined) return undefined;
  return { question, answer: result === null ? undefined : textField(parsed(result.text), 'answer') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The result of another version; the question is shown without it.
    return undefined;
  }
}

function takeCall(row: TranscriptLine, items: (Mutable | LineItem)[], open: Map<string, Mutable>): void {
  const id = textField(row.data, 'id');
  const input = field(row.data, 'input');
  const same = `${row.text}\n${JSON.stringify(input) ?? ''}`;
  const last = items.at(-1);
  if (last?.kind === 'tool' && last.same === same) {
    last.times += 1;
    last.rows.push(row.id);
    if (id !== undefined) open.set(id, last);
    return;
  }
  const item: Mutable = {
    kind: 'tool',
    id: row.id,
    at: row.at,
    name: row.text,
    input,
    times: 1,
    result: null,
    rows: [row.id],
    same,
  };
  if (id !== undefined) open.set(id, item);
  items.push(item);
}

function takeResult(row: TranscriptLine, items: (Mutable | LineItem)[], open: Map<string, Mutable>): void {
  const id = textField(row.data, 'id');
  const item = id === undefined ? undefined : open.get(id);
  if (item === undefined) {
    items.push(asLine(row));
    return;
  }
  item.result = { text: row.text, isError: field(row.data, 'isError') === true };
  item.rows.push(row.id);
}

/** Of consecutive usage rows only the last is shown, because it is a running total. */
function takeUsage(row: TranscriptLine, items: (Mutable | LineItem)[]): void {
  const last = items.at(-1);
  if (last?.kind !== 'line' || last.line.kind !== 'usage') items.push(asLine(row));
  else items[items.length - 1] = { ...last, line: row, rows: [...last.rows, row.id] };
}

function asLine(row: TranscriptLine): LineItem {
  return { kind: 'line', id: row.id, at: row.at, line: row, rows: [row.id] };
}

function shown({ same: _same, ...item }: Mutable): ToolItem {
  return item;
}

/** A field of a row's structured data. */
export function field(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, key) : undefined;
}

function textField(data: unknown, key: string): string | undefined {
  const value = field(data, key);
  return typeof value === 'string' ? value : undefined;
}

/** The index of the item that contains a row; -1 if there is none. */
export function indexOfRow(items: readonly Item[], row: number): number {
  const exact = items.findIndex((item) => item.rows.includes(row));
  return exact !== -1 ? exact : items.findLastIndex((item) => item.id <= row);
}
