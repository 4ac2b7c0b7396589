/** Under which this window keeps the draft of a new run. */
export const START_DRAFT = 'manyhands.start';

/** What a run began with. */
type Started = { recipe: string; input: unknown; dir: string };

/** Makes what a run began with the draft of a new run, in this window. */
export function draftFromRun({ recipe, input, dir }: Started): void {
  const draft = { recipe, dir, inputs: { [recipe]: input }, options: {}, file: '', isFromFile: false };
  sessionStorage.setItem(START_DRAFT, JSON.stringify(draft));
}
