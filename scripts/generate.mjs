import { writeGenerated } from './steps/generated.mjs';
import { finish } from './steps/run.mjs';

/** Writes the lists of commands and operations from their files. */
await finish(async () => writeGenerated());
