import { z } from 'zod';

/** Which run is meant: an id or a unique beginning of one, which needs no folder; or nothing for the latest of the folder's project. */
export const RunRef = {
  dir: z.string().optional().describe('A folder of the project; needed where no run is named.'),
  run: z.string().optional(),
};
