import { describeRow } from './describe-row.ts';

await describeRow('opencode acp');
