import { dieDuringRun } from './dead-engine.ts';
import { resumeAndEnd } from './resume.ts';

/** The engine that the row `restart` kills and starts: a program of its own, because the other rows would load with it. */
const [mode, folder = '', size = ''] = process.argv.slice(2);
if (mode === '--die-during-run') await dieDuringRun(folder, Number(size));
else if (mode === '--resume') await resumeAndEnd(folder);
else throw new Error(`There is no mode ${mode}`);
