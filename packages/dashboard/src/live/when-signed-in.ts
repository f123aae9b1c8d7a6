import { StewardError } from '@steward/contract/client'
import { isSignedIn } from './session.svelte.ts'

/**
 * Asks for what only a signed-in browser may see. Another one fails without a request, because
 * browsers report each refused request on their console. Undefined until the daemon told which it is.
 */
export const whenSignedIn = <T>(ask: () => Promise<T>): Promise<T> | undefined => {
  const signedIn = isSignedIn()
  if (signedIn === undefined) return undefined
  return signedIn ? ask() : Promise.reject(new StewardError('unauthorized'))
}
