import { type BuiltInType, nearestName } from '@steward/contract'
import { DEFAULT_ROUTING, type Routing } from './routing.ts'

/** What is known of a subagent type that somebody asked for. */
export type FoundType =
  | { state: 'known'; type: BuiltInType }
  | { state: 'deprecated'; type: BuiltInType; replacedBy: string }
  /** Not one of ours: a slip of `suggestion`, or a type of the person's own. */
  | { state: 'unknown'; suggestion: string | undefined }

/** Looks a subagent type up by its exact name; another spelling of it is a slip. */
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
