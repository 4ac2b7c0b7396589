// Any Node from 18 on must be able to read the files in this folder.
import { makeReady, say } from './steps/ready.mjs';
import { finish } from './steps/run.mjs';

await finish(async () => {
  await makeReady();
  say('Manyhands is set up. Next: `npm start` for the demo, `npm link` for the command `mh`.');
});
