import { describeRow } from './describe-row.ts';

await describeRow('codex-acp');
