import { StewardError } from '@steward/contract/client'
import { isSignedIn } from './session.svelte.ts'

/**
 * Requests data that only a signed-in browser may see. Other browsers fail without a request, because
 * browsers report each refused request on their console. Undefined until the daemon has reported the
 * sign-in state.
 */
export const whenSignedIn = <T>(ask: () => Promise<T>): Promise<T> | undefined => {
  const signedIn = isSignedIn()
  if (signedIn === undefined) return undefined
  return signedIn ? ask() : Promise.reject(new StewardError('unauthorized'))
}
