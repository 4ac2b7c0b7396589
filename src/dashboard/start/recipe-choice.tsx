import type { ReactElement } from 'react';
import type { Recipe } from './asked.ts';
import styles from './start.module.css';

type RecipeChoiceProps = { recipes: readonly Recipe[]; chosen: string; onChoose(name: string): void };

/** What kind of work it is: one of the recipes. */
export function RecipeChoice({ recipes, chosen, onChoose }: RecipeChoiceProps): ReactElement {
  return (
    <fieldset className={styles.recipes}>
      <legend className="hidden-words">Recipe</legend>
      {recipes.map(({ name, title, summary }) => (
        <label key={name} className={styles.recipe} data-chosen={name === chosen}>
          <input type="radio" name="recipe" value={name} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>
            <span className={styles.title}>{title}</span>
            <span className={styles.summary}>{summary}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
