import { StewardError } from '@steward/contract'

export type ReadSecret = (name: string) => string | undefined

/** The value of a secret; a missing one is an error that says where to set it. */
export const requiredSecret = (name: string, secret: ReadSecret, subject: string): string => {
  const found = secret(name)
  if (found !== undefined) return found
  throw new StewardError('not_configured', {
    subject,
    reason: `the secret ${name} is not set. Here: add it to .env in the data home. On the edge: steward secrets set ${name} --all`,
  })
}
