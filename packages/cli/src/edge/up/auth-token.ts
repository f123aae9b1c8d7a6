import { randomBytes } from 'node:crypto'

/** The token of this start: the person's own, or a new one that has to be shown. */
export const chooseAuthToken = (
  environment: Readonly<Record<string, string>>,
): { token: string; isGenerated: boolean } => {
  const own = environment.AUTH_TOKEN
  if (own) return { token: own, isGenerated: false }
  // Spec 1, Authentication: 32 random bytes in hexadecimal.
  return { token: randomBytes(32).toString('hex'), isGenerated: true }
}
