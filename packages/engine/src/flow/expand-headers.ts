import { StewardError } from '@steward/contract'

/**
 * Replaces `${NAME}` in header values with the secret of that name; a missing one is an error,
 * never an empty header.
 */
export const expandHeaders = (
  headers: Record<string, string>,
  secret: (name: string) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
        const found = secret(name)
        if (found !== undefined) return found
        throw new StewardError('not_configured', {
          subject: `the header ${header}`,
          reason: `the secret ${name} is not set. Here: add it to .env in the data home. On the edge: steward secrets set ${name} --all`,
        })
      }),
    ]),
  )
