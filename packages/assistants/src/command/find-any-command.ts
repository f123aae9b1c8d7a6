import { findCommand } from '@steward/platform'
import type { HostPlace } from '../assistant.ts'

/** The path of the first of these commands that is on the PATH. */
export const findAnyCommand = (
  { env }: Pick<HostPlace, 'env'>,
  names: readonly string[],
): string | undefined => {
  for (const name of names) {
    const found = findCommand(name, env.PATH ?? '')
    if (found.ok) return found.value
  }
  return undefined
}
