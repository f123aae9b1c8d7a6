import { type ReadSecret, requiredSecret } from './required-secret.ts'

/**
 * Replaces `${NAME}` in header values with the secret of that name; a missing one is an error,
 * never an empty header.
 */
export const expandHeaders = (
  headers: Record<string, string>,
  secret: ReadSecret,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) =>
        requiredSecret(name, secret, `the header ${header}`),
      ),
    ]),
  )
