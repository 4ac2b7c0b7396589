import type { ReactElement } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { PageFrame } from '../../ui/page.tsx';
import { Skeleton, Trouble } from '../../ui/standing.tsx';
import { withReview } from './asked.ts';
import { StartForm } from './start-form.tsx';

/** Starts a run of any recipe: the form is made of the recipe's own schema. */
export function StartPage(): ReactElement {
  const recipes = useOperation('list-recipes', {}, { fresh: true });
  return (
    <PageFrame title="New run" about="Say what is wanted; agents plan it, do it, and prove it with your checks.">
      {recipes.error === undefined ? null : <Trouble error={recipes.error} again={recipes.again} />}
      {recipes.isLoading ? <Skeleton lines={12} /> : null}
      {recipes.data === undefined ? null : <StartForm recipes={withReview(recipes.data)} />}
    </PageFrame>
  );
}
