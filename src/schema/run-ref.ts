import { z } from 'zod';

/** Which run is meant: an id, a unique beginning of one, or nothing for the project's latest. */
export const RunRef = { dir: z.string(), run: z.string().optional() };
