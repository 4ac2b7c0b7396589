import { describeRow } from './describe-row.ts';

await describeRow('gemini --acp');
