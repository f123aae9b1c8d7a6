import type { Evidence } from '../evidence.ts'
import { namesPath, speaksOf } from '../intent.ts'
import { isRealDelete } from '../session-facts.ts'
import type { RuleContext } from './finding.ts'

/**
 * The guards protect whole folders of the system. If the intent asks to delete in one of them, this is
 * reported and does not halt the session.
 */
export const isNamedDelete = (
  { guard, effects }: Evidence,
  { intent, home }: Pick<RuleContext, 'intent' | 'home'>,
): boolean => {
  const { rule, effect, path } = guard
  if (!rule.startsWith('paths.noDelete') || effect !== 'delete' || path === undefined) return false
  if (!speaksOf(intent, 'delete')) return false
  const outside = effects.filter((each) => isRealDelete(each) && !each.inside)
  return [path, ...outside.map(({ target }) => target)].every((each) =>
    namesPath(intent, each, home),
  )
}
