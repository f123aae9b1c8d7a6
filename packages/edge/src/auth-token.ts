import { randomBytes } from 'node:crypto'

/** The secret that every worker requires of its callers. */
export const AUTH_SECRET = 'AUTH_TOKEN'

/** Spec 1, Authentication: a secure token is 32 random bytes in hexadecimal. */
export const generateToken = (): string => randomBytes(32).toString('hex')
