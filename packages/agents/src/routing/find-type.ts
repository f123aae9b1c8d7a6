import { type BuiltInType, nearestName } from '@steward/contract'
import { DEFAULT_ROUTING, type Routing } from './routing.ts'

/** The result of looking up a requested subagent type. */
export type FoundType =
  | { state: 'known'; type: BuiltInType }
  | { state: 'deprecated'; type: BuiltInType; replacedBy: string }
  /** Unknown: a typo of `suggestion`, or the user's own type. */
  | { state: 'unknown'; suggestion: string | undefined }

/** Finds a subagent type by its exact name; another spelling counts as a typo. */
export const findType = (name: string, { types }: Routing = DEFAULT_ROUTING): FoundType => {
  const type = types.find((each) => each.name === name)
  if (type === undefined) {
    return {
      state: 'unknown',
      suggestion: nearestName(
        name,
        types.filter(({ deprecated }) => !deprecated).map((each) => each.name),
      ),
    }
  }
  if (!type.deprecated) return { state: 'known', type }
  return { state: 'deprecated', type, replacedBy: type.replacedBy ?? 'general-purpose' }
}
